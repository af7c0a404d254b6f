// Applies a filter to what a source holds: the one part of it that has to read something, for a branch that a constraint reaches by its alias
// alone.

import type { NormalizedVersion } from '../contract/version.ts';
import { branchAliasOf } from '../record/branch-alias.ts';
import { createFilter, filterReleases, type FilterOptions } from './filter.ts';
import { GitFailure } from './git/git-failure.ts';
import { QuarantineError } from './quarantine.ts';
import type { Release, Scan } from './release.ts';

export async function filterScan(scan: Scan, options: FilterOptions): Promise<Scan> {
  if (scan.outcome !== 'read') return scan;
  const filter = createFilter(options);
  if (!filter.limits) return scan;
  const aliases = new Map<Release, NormalizedVersion | null>();
  for (const release of filter.constrains ? scan.releases : []) {
    if (!release.dev || !filter.admitsName(release.name)) continue;
    const alias = await aliasOf(release);
    if (alias !== undefined) aliases.set(release, alias);
  }
  const { releases, quarantined, notices } = filterReleases(scan, filter, aliases);
  return { ...scan, releases, quarantined, notices: [...scan.notices, ...notices] };
}

/** null: its composer.json cannot be read. What is wrong with it is said when it is published. */
async function aliasOf(release: Release): Promise<NormalizedVersion | undefined | null> {
  try {
    return branchAliasOf(await release.composerJson(), release.version, release.defaultBranch);
  } catch (error) {
    if (error instanceof QuarantineError || error instanceof GitFailure) return null;
    throw error;
  }
}
