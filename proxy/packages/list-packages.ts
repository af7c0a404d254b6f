// Searches and sorts the packages that a caller sees, with their downloads.

import type { View } from '../core/views/view.ts';
import type { Catalogue } from './catalogue.ts';
import type { Downloads } from './downloads.ts';
import type { PackageSummary } from './package-summary.ts';
import { searchPackages, sortKeyOf, type PackageSearch, type PackageSort } from './search-packages.ts';
import { countVisible, readCounts } from './visible-counts.ts';

export interface ListedPackage {
  readonly summary: PackageSummary;
  readonly downloads: number;
  /** the key of its place in the list */
  readonly key: string;
}

export interface ListParts {
  readonly catalogue: Catalogue;
  readonly downloads: Downloads;
}

/** True if a list sorted so begins with the highest key. */
export function isDescending(sort: PackageSort): boolean {
  return sort !== 'name';
}

/** `view`: the caller's; undefined: all. `nowMs`: epoch milliseconds. */
export async function listPackages(
  { catalogue, downloads }: ListParts,
  { sort, ...search }: PackageSearch & { readonly sort: PackageSort },
  { view, nowMs }: { readonly view: View | undefined; readonly nowMs: number },
): Promise<readonly ListedPackage[]> {
  const [packages, counts] = await Promise.all([
    catalogue.read(nowMs, view),
    readCounts(downloads, view !== undefined),
  ]);
  const countOf = countVisible(counts, packages, view);
  const listed = searchPackages(packages.all.values(), search).map((summary) => {
    const count = countOf(summary.name);
    return { summary, downloads: count, key: sortKeyOf(summary, sort, count) };
  });
  const sign = isDescending(sort) ? -1 : 1;
  return listed.toSorted((one, other) => (one.key < other.key ? -sign : sign));
}
