// Lists the published packages that a view sees. The newest visible version provides the description of a package
// (I14).

import type { PackageName } from '../../build/contract/name.ts';
import { passes, type View } from '../core/views/view.ts';
import { summaryOf, type ListedVersion, type PackageSummary } from './package-summary.ts';

export interface ListedPackage {
  /** the summary of all its versions */
  readonly summary: PackageSummary;
  /** newest first */
  readonly versions: readonly ListedVersion[];
}

/** This number takes a few milliseconds; then other requests get their turn. */
const versionsInTurn = 1000;

/** Returns packages in the order of `listed`. */
export async function visiblePackages(
  listed: ReadonlyMap<PackageName, ListedPackage>,
  view: View,
): Promise<ReadonlyMap<PackageName, PackageSummary>> {
  const visible = new Map<PackageName, PackageSummary>();
  let left = versionsInTurn;
  for (const [name, found] of listed) {
    if ((left -= found.versions.length) < 0) {
      await new Promise(setImmediate);
      left = versionsInTurn;
    }
    const summary = visibleSummary(name, found, view);
    if (summary !== undefined) visible.set(name, summary);
  }
  return visible;
}

/** undefined: the view sees none of its versions. */
function visibleSummary(
  name: PackageName,
  { summary, versions }: ListedPackage,
  view: View,
): PackageSummary | undefined {
  const filter = view.filterOf(name);
  if (filter === 'all') return summary;
  if (filter === 'none') return undefined;
  const seen = versions.filter((version) => passes(filter, version));
  return seen.length === versions.length ? summary : summaryOf(name, seen);
}
