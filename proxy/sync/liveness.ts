// Decides whether the process named in a row of the state is still working. A working process writes its row again
// every few seconds. A row without a change for a long time has lost its process. Clocks of hosts differ, so each
// observer measures with its own clock how long the row has not changed. The end of a process on this host is noticed
// immediately.

import { whereaboutsOf } from './process-owner.ts';

/** The interval of an owner's writes to its row. */
export const beatMs = 5000;
const defaultStaleMs = 30_000;

export interface OwnedRow {
  readonly key: string;
  readonly revision: number;
  /** the text of describeOwner */
  readonly owner: string;
}

export interface Liveness {
  readonly isAlive: (row: OwnedRow) => Promise<boolean>;
}

export interface LivenessOptions {
  /** a monotonic clock in milliseconds */
  readonly monotonicMs: () => number;
  /** a row without a change for this time has lost its process; default 30 s */
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
