// Tracks how far this process has followed the changes of the state. The messages of commits name the written keys; the
// requested generation reveals messages that never arrived. Changed keys are dropped from the cache. If the changed
// keys are unknown, the whole cache is stale.

import type { LastKnown } from './last-known.ts';

export interface Reached {
  readonly generation: number;
  /** the number of commits so far that were not quiet; undefined: an older version wrote the state */
  readonly notQuiet: number | undefined;
}

export type RedisGenerations = ReturnType<typeof createRedisGenerations>;

export function createRedisGenerations(known: LastKnown) {
  const progress: Progress = { moves: 1, newest: undefined, newestNotQuiet: undefined, heardUpTo: undefined };
  return {
    /** A counter of this process: it increments when the state has changed, or may have, and not quietly. */
    moves: () => progress.moves,
    /** The generation that Redis has reached at least. */
    reached: () => progress.newest ?? 0,
    /** The number of commits that were not quiet, as far as this process knows; undefined: unknown. */
    notQuiet: () => progress.newestNotQuiet,
    /** A message of a commit, as redis-scripts.ts writes it. */
    receive: (message: string): void => {
      const { generation, notQuiet, keys } = parseMessage(message);
      if (progress.heardUpTo !== undefined && generation === progress.heardUpTo + 1) known.forget(keys, generation);
      else known.markAllStale();
      progress.heardUpTo = generation;
      reachAtLeast(progress, { generation, notQuiet });
    },
    /** Redis has reported its generation; `listening`: this process receives the messages of all later ones. */
    answered: (reached: Reached, listening: boolean): void => {
      if (adoptAnswer(progress, reached, listening)) known.markAllStale();
    },
    /** This process wrote, or may have written, these keys; `reached` as Redis answered. */
    wrote: (keys: readonly string[], reached?: Reached): void => {
      known.forget(keys, reached?.generation ?? Number.POSITIVE_INFINITY);
      if (reached !== undefined) reachAtLeast(progress, reached);
    },
    /** Messages may be missing from now on. */
    markGap: (): void => {
      progress.heardUpTo = undefined;
    },
    /** Invalidates all decisions that used cached rows. */
    move: (): void => {
      progress.moves += 1;
    },
    forgetAll: (): void => {
      known.forgetAll();
      progress.moves += 1;
    },
  };
}

/** The progress of this process in following the state. */
interface Progress {
  moves: number;
  /** the highest generation that Redis has named */
  newest: number | undefined;
  newestNotQuiet: number | undefined;
  /** the generation up to which every message came; undefined: some may be missing */
  heardUpTo: number | undefined;
}

function reach(progress: Progress, { generation, notQuiet }: Reached): void {
  if (generation === progress.newest) return;
  progress.newest = generation;
  if (notQuiet === undefined || notQuiet !== progress.newestNotQuiet) progress.moves += 1;
  progress.newestNotQuiet = notQuiet;
}

/** Messages and answers come by two connections: one may be behind the other. */
function reachAtLeast(progress: Progress, reached: Reached): void {
  if (progress.newest === undefined || reached.generation > progress.newest) reach(progress, reached);
}

/** true: the cache is unconfirmed, since Redis has another generation than its messages led to. */
function adoptAnswer(progress: Progress, reached: Reached, listening: boolean): boolean {
  const { generation } = reached;
  const { heardUpTo, newest: before = 0 } = progress;
  // a change whose message was lost or late; or a new primary without the last changes
  const missed = heardUpTo === undefined ? generation !== before : before > heardUpTo;
  if (heardUpTo === undefined || missed) progress.heardUpTo = listening ? generation : undefined;
  reach(progress, reached);
  return missed || generation < before;
}

/** No key begins with `!`. */
function parseMessage(message: string): Reached & { readonly keys: readonly string[] } {
  const [generation = '', ...rest] = message.split(' ');
  const last = rest.at(-1);
  if (last?.startsWith('!') !== true) return { generation: Number(generation), notQuiet: undefined, keys: rest };
  return { generation: Number(generation), notQuiet: Number(last.slice(1)), keys: rest.slice(0, -1) };
}
