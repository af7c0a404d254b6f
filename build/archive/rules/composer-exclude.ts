// `archive.exclude` of a composer.json, as Composer reads it (Package/Archiver/BaseExcludeFilter.php:134 and
// symfony/finder's Glob::toRegex). The syntax resembles gitignore, but each rule is one regular expression over the
// whole path, and the last rule that matches counts.
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

interface ExcludeRule {
  readonly pattern: RegExp;
  readonly excludes: boolean;
}

/**
 * Decides whether a path is left out, given the verdict of earlier rules (export-ignore). An invalid pattern has no
 * effect.
 */
export function compileComposerExcludes(rules: readonly string[]): (path: string, excluded: boolean) => boolean {
  const compiled = rules.map(compileRule).filter((rule) => rule !== undefined);
  if (compiled.length === 0) return (_, excluded) => excluded;
  return (path, excluded) => {
    const subject = `/${byteString(path)}`;
    return compiled.findLast(({ pattern }) => pattern.test(subject))?.excludes ?? excluded;
  };
}

function compileRule(rule: string): ExcludeRule | undefined {
  const excludes = !rule.startsWith('!');
  const glob = byteString(rule.replace(/^!+/, ''));
  const source = globSource(glob.replace(/^\/+|\/+$/g, ''));
  if (source === undefined) return undefined;
  try {
    return { pattern: new RegExp(`${startOf(glob)}${source}(?=$|/)`), excludes };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
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

/** No wildcard matches a dot at the start of a segment. */
const noDot = '(?=[^.])';

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
      // [^/]+ up to the end of its segment: possessive in the original, which JavaScript has no sign for
      source += folders.endsWith('/') ? `/(?:${noDot}[^/]+/)*` : `/(?:${noDot}[^/]+(?![^/])/?)*`;
      cursor += folders.length - 1;
    } else if (character === '}' && (escaped || depth === 0)) {
      return undefined;
    } else {
      source += escaped ? literal(character) : wildcard(character, depth > 0);
      if (!escaped) depth += character === '{' ? 1 : character === '}' ? -1 : 0;
    }
  }
  return translateClasses(source);
}

function wildcard(character: string, inBraces: boolean): string {
  if (character === '*') return '[^/]*';
  if (character === '?') return '[^/]';
  if (character === '{') return '(';
  if (character === '}') return ')';
  if (character === ',' && inBraces) return '|';
  return literal(character);
}

/** Brackets pass through, escaped or not: they make a class of the regular expression. */
function literal(character: string): string {
  return /[.()|+^$*?{\\]/.test(character) ? `\\${character}` : character;
}

const namedSets: Readonly<Record<string, string>> = {
  alnum: 'A-Za-z0-9',
  alpha: 'A-Za-z',
  ascii: '\\x00-\\x7f',
  blank: ' \\t',
  cntrl: '\\x00-\\x1f\\x7f',
  digit: '0-9',
  graph: '!-~',
  lower: 'a-z',
  print: ' -~',
  punct: '!-\\/:-@\\[-`{-~',
  space: ' \\t\\n\\v\\f\\r',
  upper: 'A-Z',
  word: '\\w',
  xdigit: '0-9A-Fa-f',
};

/**
 * Converts PCRE's bracket classes to JavaScript's: a leading `]` is literal, and sets have names. undefined if PCRE
 * refuses them.
 */
function translateClasses(source: string): string | undefined {
  let result = '';
  let inClass = false;
  for (let cursor = 0; cursor < source.length; cursor += 1) {
    const rest = source.slice(cursor);
    const named = /^\[([:=])([a-z]*)\1\]/.exec(rest);
    if (rest.startsWith('\\')) {
      result += rest.slice(0, 2);
      cursor += 1;
    } else if (named !== null) {
      const set = named[1] === ':' ? namedSets[named[2] ?? ''] : undefined;
      if (!inClass || set === undefined) return undefined;
      result += set;
      cursor += named[0].length - 1;
    } else if (!inClass && rest.startsWith('[')) {
      const opening = /^\[\^?\]?/.exec(rest)?.[0] ?? '[';
      result += opening.replace(']', '\\]');
      cursor += opening.length - 1;
      inClass = true;
    } else {
      if (rest.startsWith(']')) inClass = false;
      result += rest.slice(0, 1);
    }
  }
  return result;
}
