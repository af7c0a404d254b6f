// The regular expressions that Composer makes of `archive.exclude` (see composer-exclude.ts), as steps of the linear
// matcher: classes as PCRE reads them, groups with alternatives, `*`, `+`, `?` and two looks ahead.

import { anyByte, endOfText, only, onlySlash, parseByteClass } from './byte-class.ts';
import { compileSteps, either, optional, repeated, take, type Step } from './linear-matcher.ts';

/** Where a match may start: at the root, behind any slash, or behind any text. */
export type ExpressionStart = 'root' | 'segment' | 'anywhere';

/** No wildcard matches a dot at the start of a segment. */
export const noDot = '(?=[^.])';
export const segmentEnd = '(?![^/])';

const anything = repeated([take(anyByte)]);
const startSteps: Readonly<Record<ExpressionStart, readonly Step[]>> = {
  root: [take(onlySlash)],
  segment: [...anything, take(onlySlash)],
  anywhere: anything,
};
const dot = 0x2e;
const beforeNoDot: Step = { kind: 'look', accepts: anyByte.slice().fill(0, dot, dot + 1) };
const slashOrEnd = new Uint8Array(endOfText + 1).fill(1, endOfText);
slashOrEnd.set(onlySlash);
const beforeSlashOrEnd: Step = { kind: 'look', accepts: slashOrEnd };

/** What PCRE refuses outside a class, and everywhere. */
const posixSet = /^\[:[a-z]*:\]/;
const equivalence = /\[=[a-z]*=\]/;

interface Parsed {
  readonly steps: readonly Step[];
  /** just behind them */
  readonly end: number;
}

/** A match ends before a slash or at the end of the path. undefined if the expression would not compile. */
export function compileExpression(source: string, start: ExpressionStart): ((path: string) => boolean) | undefined {
  const parsed = equivalence.test(source) ? undefined : parseAlternatives(source, 0);
  return parsed?.end === source.length
    ? compileSteps([...startSteps[start], ...parsed.steps, beforeSlashOrEnd, ...anything])
    : undefined;
}

/** Up to a closing bracket, or the end. */
function parseAlternatives(source: string, start: number): Parsed | undefined {
  const steps: Step[] = [];
  let cursor = start;
  while (cursor < source.length && source[cursor] !== ')') {
    if (source[cursor] === '|') {
      const others = parseAlternatives(source, cursor + 1);
      return others && { steps: either(steps, others.steps), end: others.end };
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
    return parsed && { steps: [take(parsed.accepts)], end: parsed.end };
  }
  const at = source[start] === '\\' ? start + 1 : start;
  return { steps: [take(only(source.charCodeAt(at)))], end: at + 1 };
}
