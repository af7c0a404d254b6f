// How much packages are used, for searches: read from the state now and then, since it decides no more than an order.

import type { Downloads } from './downloads.ts';

export interface Usage {
  /** package → how often it was used. Rejects never: where the state cannot be read it is what was known before. */
  readonly read: (nowMs: number) => Promise<(name: string) => number>;
}

const readEveryMs = 60_000;

/**
 * Installs that clients told of leave out clients that tell nothing, and archives that were sent leave out those from caches: the larger number is
 * nearer to the truth.
 */
export function createUsage(downloads: Pick<Downloads, 'totals'>, installs: Pick<Downloads, 'totals'>): Usage {
  let known: Promise<(name: string) => number> = Promise.resolve(() => 0);
  let readAtMs = Number.NEGATIVE_INFINITY;
  const refresh = async (): Promise<(name: string) => number> => {
    const [sent, told] = await Promise.all([downloads.totals(), installs.totals()]);
    return (name) => Math.max(sent.get(name) ?? 0, told.get(name) ?? 0);
  };
  return {
    read: (nowMs) => {
      if (Math.abs(nowMs - readAtMs) >= readEveryMs) {
        readAtMs = nowMs;
        const before = known;
        // an order is not worth an error, and whoever writes the counts tells of a state that is out of reach
        known = refresh().catch(() => before);
      }
      return known;
    },
  };
}
