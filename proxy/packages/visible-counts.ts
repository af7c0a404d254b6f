// Counts the downloads of packages within a view. For a partly visible package only the visible versions count (I14).

import { filterOf, type View } from '../core/views/view.ts';
import type { PublishedPackages } from './catalogue.ts';
import type { Downloads } from './downloads.ts';

/** Package → how often; 0 of one that was never used, or is not seen. */
export type CountOf = (name: string) => number;

/** Counts in total, of a whole package and by version. */
export interface Counts {
  readonly totals: ReadonlyMap<string, number>;
  /** undefined: not requested */
  readonly versions: ReadonlyMap<string, ReadonlyMap<string, number>> | undefined;
}

/** `byVersion`: as views need them. `name`: of this package only. */
export async function readCounts(
  counts: Pick<Downloads, 'totals' | 'totalOf' | 'versionTotals'>,
  byVersion: boolean,
  name?: string,
): Promise<Counts> {
  const totals = name === undefined ? await counts.totals() : new Map([[name, await counts.totalOf(name)]]);
  return { totals, versions: byVersion ? await counts.versionTotals(name) : undefined };
}

/**
 * `packages`: the packages that the view sees. A mirrored package that is partly visible counts as never used, because
 * its visible versions are not stored.
 */
export function countVisible(
  { totals, versions }: Counts,
  { labelsOf }: Pick<PublishedPackages, 'labelsOf'>,
  view: View | undefined,
): CountOf {
  return (name) => {
    const filter = filterOf(view, name);
    if (filter === 'all') return totals.get(name) ?? 0;
    const counted = filter === 'none' ? undefined : versions?.get(name);
    return counted === undefined ? 0 : labelsOf(name).reduce((sum, label) => sum + (counted.get(label) ?? 0), 0);
  };
}
