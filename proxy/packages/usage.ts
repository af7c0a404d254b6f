// Reads the use of packages from the state, for the order of search results. The figures are refreshed rarely, since
// they decide only an order.

import type { View } from '../core/views/view.ts';
import type { PublishedPackages } from './catalogue.ts';
import type { Downloads } from './downloads.ts';
import { countVisible, readCounts, type CountOf, type Counts } from './visible-counts.ts';

export interface Usage {
  /**
   * The use of the packages in `view`. Never rejects: if the state cannot be read, it returns the last known figures.
   */
  readonly read: (
    nowMs: number,
    view: View | undefined,
    packages: Pick<PublishedPackages, 'labelsOf'>,
  ) => Promise<CountOf>;
}

type Both = readonly [downloaded: Counts, installed: Counts];
type Source = Pick<Downloads, 'totals' | 'totalOf' | 'versionTotals'>;

const readEveryMs = 60_000;
const none: Counts = { totals: new Map(), versions: new Map() };

/**
 * Reported installs miss clients that report nothing, and sent archives miss installs from caches: the larger number is
 * nearer to the truth.
 */
export function createUsage(downloads: Source, installs: Source): Usage {
  // counts by version are read for views alone
  const [whole, byVersion] = [false, true].map((forViews) => kept(downloads, installs, forViews)) as [Kept, Kept];
  return {
    read: async (nowMs, view, packages) => {
      const [downloaded, installed] = (await (view === undefined ? whole : byVersion)(nowMs)).map((counts) =>
        countVisible(counts, packages, view),
      ) as [CountOf, CountOf];
      return (name) => Math.max(downloaded(name), installed(name));
    },
  };
}

type Kept = (nowMs: number) => Promise<Both>;

function kept(downloads: Source, installs: Source, byVersion: boolean): Kept {
  let known: Promise<Both> = Promise.resolve([none, none]);
  let readAtMs = Number.NEGATIVE_INFINITY;
  return (nowMs) => {
    if (Math.abs(nowMs - readAtMs) >= readEveryMs) {
      readAtMs = nowMs;
      const before = known;
      // an order is not worth an error; the writer of the counts reports an unreachable state
      known = Promise.all([readCounts(downloads, byVersion), readCounts(installs, byVersion)]).catch(() => before);
    }
    return known;
  };
}
