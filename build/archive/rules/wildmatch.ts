// Git's glob (wildmatch.c with WM_PATHNAME): `*`, `?` and `[…]` stay within one path segment, `**` between slashes
// spans several. Every pattern takes time linear in the path's length, however many stars it has.

import { parseByteClass, type ByteClass } from './byte-class.ts';

/**
 * The steps of a pattern. `enter` and `inside` together represent a `**` before a slash: nothing, or any text up to a
 * slash.
 */
type Step =
  | { readonly kind: 'byte'; readonly accepts: ByteClass }
  | { readonly kind: 'star' | 'everything' | 'enter' | 'inside' };

/** The matcher of a whole pattern; both it and the text are byte strings. A malformed pattern matches nothing. */
export function compileWildmatch(pattern: string): (text: string) => boolean {
  const steps = parse(pattern);
  if (steps === undefined) return () => false;
  const first = steps.findIndex((step) => step.kind !== 'byte');
  if (first === -1) return (text) => text.length === steps.length && accepts(steps, text, 0);
  const last = steps.findLastIndex((step) => step.kind !== 'byte');
  const [head, middle, tail] = [steps.slice(0, first), steps.slice(first, last + 1), steps.slice(last + 1)];
  const single = middle.length === 1 ? middle[0]?.kind : undefined;
  return (text) => {
    const end = text.length - tail.length;
    if (end < first || !accepts(head, text, 0) || !accepts(tail, text, end)) return false;
    if (single === 'everything') return true;
    const between = text.slice(first, end);
    return single === 'star' ? !between.includes('/') : run(middle, between);
  };
}

/** Each of these steps takes exactly one byte, from `start` on. */
function accepts(steps: readonly Step[], text: string, start: number): boolean {
  return steps.every((step, index) => step.kind === 'byte' && step.accepts[text.charCodeAt(start + index)] === 1);
}

function parse(pattern: string): readonly Step[] | undefined {
  const steps: Step[] = [];
  let cursor = 0;
  while (cursor < pattern.length) {
    const character = pattern[cursor];
    if (character === '*') {
      const stars = parseStars(pattern, cursor);
      steps.push(...stars.steps);
      cursor = stars.end;
    } else if (character === '[') {
      const parsed = parseByteClass(pattern, cursor);
      if (parsed === undefined) return undefined;
      steps.push({ kind: 'byte', accepts: parsed.accepts });
      cursor = parsed.end;
    } else if (character === '?') {
      steps.push({ kind: 'byte', accepts: anyButSlash });
      cursor += 1;
    } else {
      if (character === '\\') cursor += 1;
      if (cursor === pattern.length) return undefined;
      steps.push({ kind: 'byte', accepts: only(pattern.charCodeAt(cursor)) });
      cursor += 1;
    }
  }
  return steps;
}

/** A run of stars counts as `**` if it fills a whole segment, and otherwise as `*`. */
function parseStars(pattern: string, start: number): { readonly steps: readonly Step[]; readonly end: number } {
  let end = start;
  while (pattern[end] === '*') end += 1;
  const opens = start === 0 || pattern[start - 1] === '/';
  if (end - start === 1 || !opens) return { steps: [{ kind: 'star' }], end };
  if (end === pattern.length || pattern.startsWith('\\/', end)) return { steps: [{ kind: 'everything' }], end };
  if (pattern[end] === '/') return { steps: [{ kind: 'enter' }, { kind: 'inside' }], end: end + 1 };
  return { steps: [{ kind: 'star' }], end };
}

const slash = 0x2f;
const anyButSlash: ByteClass = new Uint8Array(256).fill(1).fill(0, slash, slash + 1);

function only(byte: number): ByteClass {
  return new Uint8Array(256).fill(1, byte, byte + 1);
}

/** Follows all paths through the pattern in parallel: `here` holds the steps that may come next. */
function run(steps: readonly Step[], text: string): boolean {
  let here = reachable(steps, [0]);
  for (let at = 0; at < text.length && here.size > 0; at += 1)
    here = reachable(steps, advance(steps, here, text.charCodeAt(at)));
  return here.has(steps.length);
}

function advance(steps: readonly Step[], here: ReadonlySet<number>, byte: number): number[] {
  const next: number[] = [];
  for (const index of here) {
    const step = steps[index];
    if (step === undefined) continue;
    if (step.kind === 'byte') {
      if (step.accepts[byte] === 1) next.push(index + 1);
    } else if (step.kind === 'inside') {
      next.push(index, ...(byte === slash ? [index + 1] : []));
    } else if (step.kind === 'everything' || (step.kind === 'star' && byte !== slash)) {
      next.push(index);
    }
  }
  return next;
}

/** These steps, and later ones that are reachable without a byte. */
function reachable(steps: readonly Step[], from: readonly number[]): Set<number> {
  const found = new Set<number>();
  const open = [...from];
  for (let index = open.pop(); index !== undefined; index = open.pop()) {
    if (found.has(index)) continue;
    found.add(index);
    const kind = steps[index]?.kind;
    if (kind === 'star' || kind === 'everything' || kind === 'enter') open.push(index + 1);
    if (kind === 'enter') open.push(index + 2);
  }
  return found;
}
