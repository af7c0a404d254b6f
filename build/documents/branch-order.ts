// The order of dev versions in a `~dev` document. If neither constraint nor version decides between branches, Composer
// takes the first (DefaultPolicy.php, compareByPriority). So this file uses the order of VcsRepository: the default
// branch, then the others by name, as git lists them.

import type { VersionRecord } from '../contract/documents.ts';
import type { IndexEntry } from '../contract/serving-index.ts';

/**
 * The branch of a label: `dev-main` → `main`, `1.x-dev` → `1.x`. A numeric branch may have another name in git: `1.0`
 * becomes `1.0.x-dev`.
 */
export function branchOfLabel(version: string): string {
  return version.startsWith('dev-') ? version.slice('dev-'.length) : version.replace(/-dev$/, '');
}

/** Sorts a copy. Total: equal versions give equal order, however they came. */
export function inBranchOrder<
  Version extends { readonly record: VersionRecord; readonly entry: Pick<IndexEntry, 'branch'> },
>(versions: readonly Version[]): Version[] {
  return versions
    .map((version) => ({
      version,
      isDefault: version.record['default-branch'] === true,
      label: version.record.version,
      name: Buffer.from(version.entry.branch ?? branchOfLabel(version.record.version)),
    }))
    .toSorted(
      (one, other) =>
        Number(other.isDefault) - Number(one.isDefault) ||
        Buffer.compare(one.name, other.name) ||
        (one.label < other.label ? -1 : 1),
    )
    .map(({ version }) => version);
}
