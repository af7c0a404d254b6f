// Git's glob (wildmatch.c with WM_PATHNAME): `*`, `?` and `[…]` stay within one path segment, `**` between slashes
// spans several. Every pattern takes time linear in the path's length, however many stars it has.

import { anyButSlash, anyByte, only, onlySlash, parseByteClass } from './byte-class.ts';
import { compileSteps, optional, repeated, matchByte, type CountWork, type MatchStep } from './linear-matcher.ts';

/** The matcher of a whole pattern; both it and the text are byte strings. A malformed pattern matches nothing. */
export function compileWildmatch(pattern: string, count: CountWork = () => {}): (text: string) => boolean {
  const steps = parse(pattern);
  const matches = steps && compileSteps(steps, count);
  const ending = /[^*?[\]\\/]*$/.exec(pattern)?.[0] ?? '';
  return (text) => text.endsWith(ending) && matches?.(text) === true;
}

function parse(pattern: string): readonly MatchStep[] | undefined {
  const steps: MatchStep[] = [];
  let cursor = 0;
  while (cursor < pattern.length) {
    const character = pattern[cursor];
    if (character === '*') {
      const stars = parseStars(pattern, cursor);
      steps.push(...stars.steps);
      cursor = stars.end;
    } else if (character === '[') {
      const parsed = parseByteClass(pattern, cursor, 'git');
      if (parsed === undefined) return undefined;
      steps.push(matchByte(parsed.accepts));
      cursor = parsed.end;
    } else if (character === '?') {
      steps.push(matchByte(anyButSlash));
      cursor += 1;
    } else {
      if (character === '\\') cursor += 1;
      if (cursor === pattern.length) return undefined;
      steps.push(matchByte(only(pattern.charCodeAt(cursor))));
      cursor += 1;
    }
  }
  return steps;
}

/** A run of stars counts as `**` if it fills a whole segment, and otherwise as `*`. */
function parseStars(pattern: string, start: number): { readonly steps: readonly MatchStep[]; readonly end: number } {
  let end = start;
  while (pattern[end] === '*') end += 1;
  const opens = start === 0 || pattern[start - 1] === '/';
  if (end - start === 1 || !opens) return { steps: withinSegment, end };
  if (end === pattern.length || pattern.startsWith('\\/', end)) return { steps: everything, end };
  if (pattern[end] === '/') return { steps: folders, end: end + 1 };
  return { steps: withinSegment, end };
}

const withinSegment = repeated([matchByte(anyButSlash)]);
const everything = repeated([matchByte(anyByte)]);
/** A `**` before a slash: nothing, or any text up to a slash. */
const folders = optional([...everything, matchByte(onlySlash)]);
