// Matches byte strings with patterns that packages bring. A pattern is a list of steps, and all ways through it are
// followed at once: the time is linear in the path's length, however many stars the pattern has.

import { endOfText, type ByteClass } from './byte-class.ts';

/** `take` needs a byte of its class; `look` leaves it to the next step; `fork` goes on at each of these distances. */
export type Step =
  | { readonly kind: 'take' | 'look'; readonly accepts: ByteClass }
  | { readonly kind: 'fork'; readonly to: readonly number[] };

export const take = (accepts: ByteClass): Step => ({ kind: 'take', accepts });

export function repeated(steps: readonly Step[]): readonly Step[] {
  return [{ kind: 'fork', to: [1, steps.length + 2] }, ...steps, { kind: 'fork', to: [-steps.length - 1] }];
}

export function optional(steps: readonly Step[]): readonly Step[] {
  return [{ kind: 'fork', to: [1, steps.length + 1] }, ...steps];
}

export function either(first: readonly Step[], second: readonly Step[]): readonly Step[] {
  return [{ kind: 'fork', to: [1, first.length + 2] }, ...first, { kind: 'fork', to: [second.length + 1] }, ...second];
}

/** The steps that may come next, and the state after each byte that was met here. */
interface State {
  readonly at: readonly number[];
  readonly after: Map<number, State>;
}

/** More states of one pattern are forgotten, and found again when they are needed. */
const maxStates = 500;

/** The matcher of whole texts. */
export function compileSteps(steps: readonly Step[]): (text: string) => boolean {
  const states = new Map<string, State>();
  const stateOf = (at: readonly number[]): State => {
    const key = at.join();
    const known = states.get(key);
    if (known !== undefined) return known;
    if (states.size >= maxStates) states.clear();
    const state: State = { at, after: new Map() };
    states.set(key, state);
    return state;
  };
  const follow = (state: State, byte: number): State => {
    const known = state.after.get(byte);
    if (known !== undefined) return known;
    const next = stateOf(advance(steps, state.at, byte));
    state.after.set(byte, next);
    return next;
  };
  return (text) => {
    let state = stateOf([0]);
    for (let at = 0; at < text.length && state.at.length > 0; at += 1) state = follow(state, text.charCodeAt(at));
    return follow(state, endOfText).at.length > 0;
  };
}

/** Where the pattern may go on behind this byte. Behind the end of the text that is its own end, or nowhere. */
function advance(steps: readonly Step[], from: readonly number[], byte: number): readonly number[] {
  const next = new Set<number>();
  const seen = new Set<number>();
  const open = [...from];
  for (let index = open.pop(); index !== undefined; index = open.pop()) {
    if (seen.has(index)) continue;
    seen.add(index);
    const step = steps[index];
    if (step === undefined) {
      if (byte === endOfText) next.add(index);
    } else if (step.kind === 'fork') {
      for (const distance of step.to) open.push(index + distance);
    } else if (step.accepts[byte] === 1) {
      if (step.kind === 'look') open.push(index + 1);
      else next.add(index + 1);
    }
  }
  return [...next].sort((one, other) => one - other);
}
