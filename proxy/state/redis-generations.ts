// Tracks how far this process has followed the changes of the state. The messages of commits name the written keys; the
// requested generation reveals messages that never arrived. Changed keys are dropped from the cache, and read again. If
// the changed keys are unknown, the whole cache is stale, unless all unknown changes were quiet: no cached row that
// decides about requests is written quietly.

import type { LastKnown } from './last-known.ts';

export interface Reached {
  readonly generation: number;
  /** the number of commits so far that were not quiet; undefined: an older version wrote the state */
  readonly notQuiet: number | undefined;
}

export type RedisGenerations = ReturnType<typeof createRedisGenerations>;

export function createRedisGenerations(known: LastKnown) {
  const progress: Progress = { moves: 1, newest: undefined, followed: undefined, hearsAll: false };
  return {
    /** A counter of this process: it increments when the state has changed, or may have, and not quietly. */
    moves: () => progress.moves,
    /** The generation that Redis has reached at least. */
    reached: () => progress.newest?.generation ?? 0,
    /** The number of commits that were not quiet, as far as this process knows; undefined: unknown. */
    notQuiet: () => progress.newest?.notQuiet,
    /** false: an answer may tell more than messages have. */
    isCaughtUp: (listening: boolean): boolean =>
      progress.hearsAll === listening && progress.followed?.generation === progress.newest?.generation,
    /** A message of a commit, as redis-scripts.ts writes it. */
    receive: (message: string): void => {
      const { keys, ...reached } = parseMessage(message);
      const { followed, hearsAll } = progress;
      const isQuiet = isQuietSince(followed, reached);
      const isNext = hearsAll && reached.generation === (followed?.generation ?? NaN) + 1;
      if (isNext || isQuiet) known.forget(keys, reached.generation, isQuiet ? 'drop' : 'read again');
      else known.markAllStale();
      progress.followed = reached;
      progress.hearsAll = true;
      reachAtLeast(progress, reached);
    },
    /** Redis has reported its generation; `listening`: this process receives the messages of all later ones. */
    answered: (reached: Reached, listening: boolean): void => {
      if (adoptAnswer(progress, reached, listening)) known.markAllStale();
    },
    /** This process wrote these keys; `reached` as Redis answered. */
    wrote: (keys: readonly string[], reached: Reached): void => {
      known.forget(keys, reached.generation, isQuietSince(progress.newest, reached) ? 'drop' : 'read again');
      reachAtLeast(progress, reached);
    },
    /**
     * Redis has not confirmed these keys. Their rows are dropped: one may be a revocation. The lists with these rows
     * stay, because other tokens depend on them as well.
     */
    mayHaveWritten: (keys: readonly string[]): void => known.forgetRows(keys),
    /** Messages may be missing from now on. */
    markGap: (): void => {
      progress.hearsAll = false;
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
  newest: Reached | undefined;
  /** the cache has no value that an earlier change has made wrong */
  followed: Reached | undefined;
  /** true: the message of each change after `followed` arrives */
  hearsAll: boolean;
}

function isQuietSince(before: Reached | undefined, { notQuiet }: Reached): boolean {
  return notQuiet !== undefined && notQuiet === before?.notQuiet;
}

function reach(progress: Progress, reached: Reached): void {
  if (reached.generation === progress.newest?.generation) return;
  if (!isQuietSince(progress.newest, reached)) progress.moves += 1;
  progress.newest = reached;
}

/** Messages and answers come by two connections: one may be behind the other. */
function reachAtLeast(progress: Progress, reached: Reached): void {
  if (progress.newest === undefined || reached.generation > progress.newest.generation) reach(progress, reached);
}

/** true: the cache is unconfirmed, since Redis has another generation than its messages led to. */
function adoptAnswer(progress: Progress, reached: Reached, listening: boolean): boolean {
  const { followed, hearsAll, newest } = progress;
  const before = newest?.generation ?? 0;
  const isReverted = reached.generation < before;
  // a change whose message was lost or late; or a new primary without the last changes
  const missed = hearsAll ? before > (followed?.generation ?? 0) : reached.generation !== followed?.generation;
  if (!hearsAll || missed) progress.hearsAll = listening;
  if (missed || isReverted) progress.followed = reached;
  reach(progress, reached);
  return isReverted || (missed && !isQuietSince(followed, reached));
}

/** No key begins with `!`. */
function parseMessage(message: string): Reached & { readonly keys: readonly string[] } {
  const [generation = '', ...rest] = message.split(' ');
  const last = rest.at(-1);
  if (last?.startsWith('!') !== true) return { generation: Number(generation), notQuiet: undefined, keys: rest };
  return { generation: Number(generation), notQuiet: Number(last.slice(1)), keys: rest.slice(0, -1) };
}
