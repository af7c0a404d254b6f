// The packages that the list shows, own and mirrored, put together once for each publication and not for each request.

import type { MirroredSummaries } from '../../../mirror/known-packages.ts';
import type { PublishedPackages } from '../../../packages/catalogue.ts';
import type { PackageSummary } from '../../../packages/package-summary.ts';
import type { ListedPackage } from './list-query.ts';

export interface ListedPackages {
  /** sorted by name */
  readonly all: readonly ListedPackage[];
  /** the types that occur, sorted */
  readonly types: readonly string[];
}

/** Returns the same object as long as both catalogues return the same packages. */
export type ListPackages = (
  published: PublishedPackages['all'],
  mirrored: MirroredSummaries | undefined,
) => ListedPackages;

export function createListPackages(): ListPackages {
  let last: { readonly of: Parameters<ListPackages>; readonly listed: ListedPackages } | undefined;
  return (published, mirrored) => {
    if (last === undefined || last.of[0] !== published || last.of[1] !== mirrored)
      last = { of: [published, mirrored], listed: listTogether(published, mirrored) };
    return last.listed;
  };
}

/** An own package stands before a mirrored one of the same name. */
function listTogether(...[published, mirrored = new Map()]: Parameters<ListPackages>): ListedPackages {
  const own = [...published.values()].map((summary) => ({ summary, isMirrored: false }));
  const others = [...mirrored.values()]
    .filter(({ name }: PackageSummary) => !published.has(name))
    .map((summary: PackageSummary) => ({ summary, isMirrored: true }));
  const all = others.length === 0 ? own : [...own, ...others].toSorted(byName);
  return { all, types: [...new Set(all.map(({ summary }) => summary.type))].toSorted() };
}

function byName(one: ListedPackage, other: ListedPackage): number {
  return one.summary.name < other.summary.name ? -1 : 1;
}
