// `archive.exclude` of a composer.json, as Composer reads it (Package/Archiver/BaseExcludeFilter.php:134 and
// symfony/finder's Glob::toRegex). The syntax resembles gitignore, but each rule is one regular expression over the
// whole path, and the last rule that matches counts. `composer-expression.ts` matches that expression in linear time.
//
// | rule        | matches                                                    |
// |-------------|------------------------------------------------------------|
// | `docs`      | a file or folder of that name anywhere, with all below it  |
// | `/docs`     | the same at the root only                                  |
// | `a/b`       | these two segments anywhere, even behind part of a name    |
// | `*` `?`     | within a segment; at its start never a dot                 |
// | `**`        | between slashes: any number of folders that have no dot    |
// | `{a,b}`     | either                                                     |
// | `!docs`     | includes it again after any earlier rule                   |

import { byteString } from './bytes.ts';
import { compileExpression, noDot, segmentEnd } from './composer-expression.ts';
import { workOfMatch, type CountWork } from './linear-matcher.ts';

interface ExcludeRule {
  readonly matches: (subject: string) => boolean;
  readonly excludes: boolean;
}

/**
 * Decides whether a path is left out, given the verdict of earlier rules (export-ignore). An invalid pattern has no
 * effect.
 */
export function compileComposerExcludes(
  rules: readonly string[],
  count: CountWork,
): (path: string, excluded: boolean) => boolean {
  const compiled = rules.map((rule) => compileRule(rule, count)).filter((rule) => rule !== undefined);
  if (compiled.length === 0) return (_, excluded) => excluded;
  return (path, excluded) => {
    count(workOfMatch * compiled.length);
    const subject = `/${byteString(path)}`;
    return compiled.findLast(({ matches }) => matches(subject))?.excludes ?? excluded;
  };
}

function compileRule(rule: string, count: CountWork): ExcludeRule | undefined {
  const excludes = !rule.startsWith('!');
  const glob = byteString(rule.replace(/^!+/, ''));
  const source = globSource(glob.replace(/^\/+|\/+$/g, ''));
  const matches = source === undefined ? undefined : compileExpression(startOf(glob) + source, count);
  return matches === undefined ? undefined : { matches, excludes };
}

/**
 * A leading slash binds to the root. Without a slash, or with only a trailing one, a segment starts here. Otherwise any
 * text may precede.
 */
function startOf(glob: string): string {
  const first = glob.indexOf('/');
  if (first === 0) return '^/';
  return first === -1 || first === glob.length - 1 ? '/' : '';
}

/**
 * The glob as a regular expression; undefined if Composer's expression would not compile. A backslash makes the next
 * character an ordinary one.
 */
function globSource(glob: string): string | undefined {
  let source = '';
  let depth = 0;
  let segmentStart = true;
  for (let cursor = 0; cursor < glob.length; cursor += 1) {
    if (segmentStart && glob[cursor] !== '.') source += noDot;
    const escaped = glob[cursor] === '\\';
    if (escaped) cursor += 1;
    const character = glob[cursor] ?? '';
    segmentStart = character === '/';
    const folders = segmentStart ? /^\/\*\*(?:\/|$)/.exec(glob.slice(cursor))?.[0] : undefined;
    if (folders !== undefined) {
      // [^/]+ is possessive in the original: up to the end of its segment
      source += folders.endsWith('/') ? `/(?:${noDot}[^/]+/)*` : `/(?:${noDot}[^/]+${segmentEnd}/?)*`;
      cursor += folders.length - 1;
    } else if (character === '}' && (escaped || depth === 0)) {
      return undefined;
    } else {
      source += escaped ? literal(character) : wildcard(character, depth > 0);
      if (!escaped) depth += character === '{' ? 1 : character === '}' ? -1 : 0;
    }
  }
  return source;
}

function wildcard(character: string, inBraces: boolean): string {
  if (character === '*') return '[^/]*';
  if (character === '?') return '[^/]';
  if (character === '{') return '(';
  if (character === '}') return ')';
  if (character === ',' && inBraces) return '|';
  return literal(character);
}

/** Brackets pass through, escaped or not: they make a class of the expression. */
function literal(character: string): string {
  return /[.()|+^$*?{\\]/.test(character) ? `\\${character}` : character;
}
