// How far this process has followed the state's changes: by the messages of commits, which name the keys they wrote, and by the generation that it asks
// for, which tells it of messages that never came. What was changed is forgotten; where it cannot be told what was, everything is.

import type { LastKnown } from './last-known.ts';

export interface RedisGenerations {
  /** Of this process: moves when the state has changed, or may have. */
  readonly moves: () => number;
  /** The generation that Redis has reached at least. */
  readonly reached: () => number;
  /** A message of a commit: its generation and the keys it wrote, with blanks between. */
  readonly hear: (message: string) => void;
  /** Redis said which generation it is in; `listening`: messages of all later ones come. */
  readonly answered: (generation: number, listening: boolean) => void;
  /** This process wrote, or may have written, these keys; `generation` as Redis answered. */
  readonly wrote: (keys: readonly string[], generation?: number) => void;
  /** From now on messages may be missing. */
  readonly deaf: () => void;
  readonly forgetAll: () => void;
}

export function createRedisGenerations(known: LastKnown): RedisGenerations {
  let moves = 1;
  /** the highest generation that Redis has named */
  let newest: number | undefined;
  /** the generation up to which every message came; undefined: some may be missing */
  let heardUpTo: number | undefined;

  const reach = (generation: number): void => {
    if (generation === newest) return;
    newest = generation;
    moves += 1;
  };
  /** Messages and answers come by two connections: one may be behind the other. */
  const reachAtLeast = (generation: number): void => {
    if (newest === undefined || generation > newest) reach(generation);
  };
  return {
    moves: () => moves,
    reached: () => newest ?? 0,
    hear: (message) => {
      const [number = '', ...keys] = message.split(' ');
      const generation = Number(number);
      if (heardUpTo !== undefined && generation === heardUpTo + 1) known.forget(keys, generation);
      else known.forgetAll();
      heardUpTo = generation;
      reachAtLeast(generation);
    },
    answered: (generation, listening) => {
      const before = newest ?? 0;
      // a change of which no message came, or not in time; or a replica that took over, and does not know of all
      const missed = heardUpTo === undefined ? generation !== before : before > heardUpTo;
      if (missed || generation < before) known.forgetAll();
      if (heardUpTo === undefined || missed) heardUpTo = listening ? generation : undefined;
      reach(generation);
    },
    wrote: (keys, generation) => {
      known.forget(keys, generation ?? Number.POSITIVE_INFINITY);
      if (generation !== undefined) reachAtLeast(generation);
    },
    deaf: () => {
      heardUpTo = undefined;
    },
    forgetAll: () => {
      known.forgetAll();
      moves += 1;
    },
  };
}
