// Applies tombstones to one package: excludes contents in its serving index, and releases of its sources. Pure.

import type { PackageName } from '../contract/name.ts';
import type { PurgedVersion } from '../contract/purged.ts';
import type { IndexEntry } from '../contract/serving-index.ts';
import { groupBy } from '../shared/collections/group-by.ts';
import type { PackageState } from './package-state.ts';
import type { Contribution } from './package-decision.ts';
import type { Purged } from './purged.ts';

/** A release that its source has, and that is not published since it is purged. */
export interface BlockedRelease {
  /** id of the source */
  readonly source: string;
  readonly version: string;
  /** for people: `tag v1.0.0`, or a path */
  readonly where: string;
  readonly tombstone: PurgedVersion;
}

/** The state without purged contents, and these. */
export function splitPurged(
  name: PackageName,
  state: PackageState,
  { rows, blocks }: Purged,
): { readonly state: PackageState; readonly dropped: readonly IndexEntry[] } {
  if (rows.length === 0) return { state, dropped: [] };
  const dropped = new Set(
    state.index.versions.filter(
      ({ version_normalized: normalized, reference }) => blocks(name, { normalized, reference }) !== undefined,
    ),
  );
  if (dropped.size === 0) return { state, dropped: [] };
  const versions = state.index.versions.filter((entry) => !dropped.has(entry));
  return {
    state: { ...state, index: { ...state.index, versions }, entries: groupBy(versions, ({ version }) => version) },
    dropped: [...dropped],
  };
}

/** The contributions of the sources without purged releases, and the excluded ones. */
export function withoutPurged(
  name: PackageName,
  contributions: readonly Contribution[],
  { rows, blocks }: Purged,
): { readonly contributions: readonly Contribution[]; readonly blocked: BlockedRelease[] } {
  const blocked: BlockedRelease[] = [];
  if (rows.length === 0) return { contributions, blocked };
  const left = contributions.map((contribution) => {
    const { source } = contribution;
    const unpublishable = new Set(contribution.unpublishable);
    const releases = contribution.releases.filter(({ normalized, reference, version, where }) => {
      const tombstone = blocks(name, { normalized, reference });
      if (tombstone === undefined) return true;
      blocked.push({ source, version, where, tombstone });
      // the published content of a branch stays while its source offers only purged content
      unpublishable.add(normalized);
      return false;
    });
    const former = contribution.former.filter(
      ({ normalized, reference }) => blocks(name, { normalized, reference }) === undefined,
    );
    return { ...contribution, releases, former, unpublishable };
  });
  return { contributions: left, blocked };
}
