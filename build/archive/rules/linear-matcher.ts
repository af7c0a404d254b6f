// Matches byte strings with patterns that packages bring. A pattern is a list of steps, and all ways through it are
// followed at once: the time is linear in the path's length. Patterns can still be made so that each byte takes long,
// so the work of one version is counted and bounded.

import { endMark, onlyEnd, type ByteClass } from './byte-class.ts';
import { QuarantineError } from '../../contract/quarantine.ts';

/** `take` needs a byte of its class; `look` leaves it to the next step; `fork` goes on at each of these distances. */
export type MatchStep =
  | { readonly kind: 'take' | 'look'; readonly accepts: ByteClass }
  | { readonly kind: 'fork'; readonly to: readonly number[] };

export const matchByte = (accepts: ByteClass): MatchStep => ({ kind: 'take', accepts });

export function repeated(steps: readonly MatchStep[]): readonly MatchStep[] {
  return [{ kind: 'fork', to: [1, steps.length + 2] }, ...steps, { kind: 'fork', to: [-steps.length - 1] }];
}

export function optional(steps: readonly MatchStep[]): readonly MatchStep[] {
  return [{ kind: 'fork', to: [1, steps.length + 1] }, ...steps];
}

export function alternative(first: readonly MatchStep[], second: readonly MatchStep[]): readonly MatchStep[] {
  return [{ kind: 'fork', to: [1, first.length + 2] }, ...first, { kind: 'fork', to: [second.length + 1] }, ...second];
}

/** Counts the work of all patterns and paths of one version. */
export type CountWork = (work: number) => void;

/** What a rule, one try of it, a step and a state take in time or memory, if one byte in a known state takes 1. */
export const [workOfRule, workOfStep, workOfMatch] = [1000, 20, 25];
const workOfState = 8000;
/** One to three seconds. 50,000 paths of 100 bytes with 60 ordinary patterns take less than half of it. */
const mostWork = 500_000_000;

/** Throws QuarantineError beyond `mostWork`. */
export function createWorkCount(): CountWork {
  let done = 0;
  return (work) => {
    if ((done += work) <= mostWork) return;
    throw new QuarantineError(
      'UNREADABLE_FILE',
      'The patterns of archive.exclude and .gitattributes take too much work for the paths of this version. ' +
        'Use fewer or shorter patterns, and fewer wildcards.',
    );
  };
}

/** The steps that may come next, and the state after each byte that was met here. */
interface State {
  readonly at: readonly number[];
  readonly after: (State | undefined)[];
}

/** More states of one pattern are forgotten, and found again when they are needed. */
const maxStates = 500;

/** The matcher of whole texts. */
export function compileSteps(steps: readonly MatchStep[], count: CountWork): (text: string) => boolean {
  count(workOfRule * steps.length);
  const whole = [...steps, matchByte(onlyEnd)];
  const states = new Map<string, State>();
  let start: State = { at: [0], after: [] };
  const find = (state: State, byte: number): State => {
    if (states.size >= maxStates) {
      states.clear();
      start = { at: [0], after: [] };
    }
    const at = advance(whole, state.at, byte, count);
    const known = states.get(at.join());
    if (known === undefined) count(workOfState);
    const next = known ?? { at, after: [] };
    states.set(at.join(), next);
    state.after[byte] = next;
    return next;
  };
  return (text) => {
    let [state, at] = [start, 0];
    for (; at < text.length && state.at.length > 0; at += 1) {
      const byte = text.charCodeAt(at);
      state = state.after[byte] ?? find(state, byte);
    }
    count(at);
    return (state.after[endMark] ?? find(state, endMark)).at.length > 0;
  };
}

/** Where the pattern may go on behind this byte. */
function advance(
  steps: readonly MatchStep[],
  from: readonly number[],
  byte: number,
  count: CountWork,
): readonly number[] {
  const next = new Set<number>();
  const open = new Set(from);
  for (const index of open) {
    const step = steps[index];
    if (step?.kind === 'fork') for (const distance of step.to) open.add(index + distance);
    else if (step?.accepts[byte] === 1) (step.kind === 'look' ? open : next).add(index + 1);
  }
  count(workOfStep * open.size);
  return [...next].sort((one, other) => one - other);
}
