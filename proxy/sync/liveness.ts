// Decides whether the process named in a row of the state is still working. A working process writes its row again
// every few seconds. A row that does not change for long belongs to nobody. Clocks of hosts differ, so each observer
// measures with its own clock how long the row has not changed. A process on this host that has ended is noticed at
// once.

import { whereaboutsOf } from './process-owner.ts';

/** How often an owner writes its row again. */
export const beatMs = 5000;
const defaultStaleMs = 30_000;

export interface OwnedRow {
  readonly key: string;
  readonly revision: number;
  /** as describeOwner gave it */
  readonly owner: string;
}

export interface Liveness {
  readonly isAlive: (row: OwnedRow) => Promise<boolean>;
}

export interface LivenessOptions {
  /** milliseconds of a clock that nobody sets */
  readonly monotonicMs: () => number;
  /** a row that does not change for this time belongs to nobody; default 30 s */
  readonly staleAfterMs?: number | undefined;
}

export function createLiveness({ monotonicMs, staleAfterMs = defaultStaleMs }: LivenessOptions): Liveness {
  const sightings = new Map<string, { readonly revision: number; readonly sinceMs: number }>();
  return {
    isAlive: async ({ key, revision, owner }) => {
      if ((await whereaboutsOf(owner)) === 'ended') return false;
      const seen = sightings.get(key);
      if (seen?.revision === revision) return monotonicMs() - seen.sinceMs < staleAfterMs;
      sightings.set(key, { revision, sinceMs: monotonicMs() });
      return true;
    },
  };
}
