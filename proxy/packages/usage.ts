// Reads from the state how much packages are used, for the order of search results. The figures are refreshed only now
// and then, since they decide no more than an order.

import type { View } from '../views/view.ts';
import type { PublishedPackages } from './catalogue.ts';
import type { Downloads } from './downloads.ts';
import { countVisible, readCounts, type CountOf, type Counts } from './visible-counts.ts';

export interface Usage {
  /**
   * As far as `view` goes, of its packages. Rejects never: where the state cannot be read it is what was known before.
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
 * Installs that clients told of leave out clients that tell nothing, and archives that were sent leave out those from
 * caches: the larger number is nearer to the truth.
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
      // an order is not worth an error, and whoever writes the counts tells of a state that is out of reach
      known = Promise.all([readCounts(downloads, byVersion), readCounts(installs, byVersion)]).catch(() => before);
    }
    return known;
  };
}
