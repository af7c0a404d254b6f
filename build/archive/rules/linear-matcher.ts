// Matches byte strings with patterns that packages bring. A pattern is a list of steps, and all ways through it are
// followed at once: the time is linear in the path's length, however many stars the pattern has.

import { endOfText, onlyEnd, type ByteClass } from './byte-class.ts';

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
  const whole = [...steps, take(onlyEnd)];
  const states = new Map<string, State>();
  let start: State = { at: [0], after: new Map() };
  const follow = (state: State, byte: number): State => {
    const known = state.after.get(byte);
    if (known !== undefined) return known;
    if (states.size >= maxStates) {
      states.clear();
      start = { at: [0], after: new Map() };
    }
    const at = advance(whole, state.at, byte);
    const next = states.get(at.join()) ?? { at, after: new Map() };
    states.set(at.join(), next);
    state.after.set(byte, next);
    return next;
  };
  return (text) => {
    let state = start;
    for (let at = 0; at < text.length && state.at.length > 0; at += 1) state = follow(state, text.charCodeAt(at));
    return follow(state, endOfText).at.length > 0;
  };
}

/** Where the pattern may go on behind this byte. */
function advance(steps: readonly Step[], from: readonly number[], byte: number): readonly number[] {
  const next = new Set<number>();
  const open = new Set(from);
  for (const index of open) {
    const step = steps[index];
    if (step?.kind === 'fork') for (const distance of step.to) open.add(index + distance);
    else if (step?.accepts[byte] === 1) (step.kind === 'look' ? open : next).add(index + 1);
  }
  return [...next].sort((one, other) => one - other);
}
