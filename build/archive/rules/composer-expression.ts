// The regular expressions that Composer makes of `archive.exclude` (see composer-exclude.ts), as steps of the linear
// matcher: classes as PCRE reads them, groups with alternatives, `*`, `+`, `?` and two looks ahead.

import { anyByte, only, onlyEnd, onlySlash, parseByteClass } from './byte-class.ts';
import {
  compileSteps,
  alternative,
  optional,
  repeated,
  matchByte,
  type CountWork,
  type MatchStep,
} from './linear-matcher.ts';

/** No wildcard matches a dot at the start of a segment. */
export const noDot = '(?=[^.])';
export const segmentEnd = '(?![^/])';

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
export function compileExpression(source: string, count: CountWork): ((path: string) => boolean) | undefined {
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
