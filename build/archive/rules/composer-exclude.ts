// `archive.exclude` of a composer.json, as Composer reads it (Package/Archiver/BaseExcludeFilter.php:134 and
// symfony/finder's Glob::toRegex). The syntax resembles gitignore, but each rule is one regular expression over the
// whole path, and the last rule that matches counts. `linear-matcher.ts` matches that expression in linear time.
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
import {
  workOfMatch,
  type CountWork,
  compileSteps,
  alternative,
  optional,
  repeated,
  matchByte,
  type MatchStep,
} from './linear-matcher.ts';
import { anyByte, only, onlyEnd, onlySlash, parseByteClass } from './byte-class.ts';

// The regular expressions that Composer makes of `archive.exclude` (see composer-exclude.ts), as steps of the linear
// matcher: classes as PCRE reads them, groups with alternatives, `*`, `+`, `?` and two looks ahead.

/** No wildcard matches a dot at the start of a segment. */
const noDot = '(?=[^.])';
const segmentEnd = '(?![^/])';

const anything = repeated([matchByte(anyByte)]);
const beforeNoDot: MatchStep = { kind: 'look', accepts: anyByte.slice().fill(0, 0x2e, 0x2f) };
const slashOrEnd = onlyEnd.slice();
slashOrEnd.set(onlySlash);
const beforeSlashOrEnd: MatchStep = { kind: 'look', accepts: slashOrEnd };

/** What PCRE refuses outside a class, and everywhere. */
const posixSet = /^\[:[a-z]*:\]/;
const equivalence = /\[=[a-z]*=\]/;

interface Parsed {
  readonly steps: readonly MatchStep[];
  /** just behind them */
  readonly end: number;
}

/**
 * A match starts anywhere, or with `^` at the start of the path. It ends before a slash or at the end. undefined if the
 * expression would not compile.
 */
function compileExpression(source: string, count: CountWork): ((path: string) => boolean) | undefined {
  const start = source.startsWith('^') ? 1 : 0;
  const parsed = equivalence.test(source) ? undefined : parseAlternatives(source, start);
  return parsed?.end === source.length
    ? compileSteps([...(start === 1 ? [] : anything), ...parsed.steps, beforeSlashOrEnd, ...anything], count)
    : undefined;
}

/** Up to a closing bracket, or the end. */
function parseAlternatives(source: string, start: number): Parsed | undefined {
  const steps: MatchStep[] = [];
  let cursor = start;
  while (cursor < source.length && source[cursor] !== ')') {
    if (source[cursor] === '|') {
      const others = parseAlternatives(source, cursor + 1);
      return others && { steps: alternative(steps, others.steps), end: others.end };
    }
    const atom = parseAtom(source, cursor);
    if (atom === undefined) return undefined;
    const sign = source[atom.end] ?? '';
    if (sign === '+') steps.push(...atom.steps);
    if (sign === '*' || sign === '+') steps.push(...repeated(atom.steps));
    else steps.push(...(sign === '?' ? optional(atom.steps) : atom.steps));
    cursor = atom.end + (/[*+?]/.test(sign) ? 1 : 0);
  }
  return { steps, end: cursor };
}

function parseAtom(source: string, start: number): Parsed | undefined {
  if (source.startsWith(noDot, start)) return { steps: [beforeNoDot], end: start + noDot.length };
  if (source.startsWith(segmentEnd, start)) return { steps: [beforeSlashOrEnd], end: start + segmentEnd.length };
  if (source[start] === '(') {
    const inner = parseAlternatives(source, source.startsWith('(?:', start) ? start + 3 : start + 1);
    return inner && source[inner.end] === ')' ? { steps: inner.steps, end: inner.end + 1 } : undefined;
  }
  if (source[start] === '[') {
    const parsed = posixSet.test(source.slice(start)) ? undefined : parseByteClass(source, start, 'pcre');
    return parsed && { steps: [matchByte(parsed.accepts)], end: parsed.end };
  }
  const at = source[start] === '\\' ? start + 1 : start;
  return { steps: [matchByte(only(source.charCodeAt(at)))], end: at + 1 };
}

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
