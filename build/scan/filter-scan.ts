// Applies a filter to the releases of a source. Only a branch that a constraint matches by its alias needs a read of
// its composer.json.

import type { NormalizedVersion } from '../contract/version.ts';
import { branchAliasOf } from '../record/branch-alias.ts';
import { createFilter, filterReleases } from '../sources/filter.ts';
import { GitFailure } from '../sources/git-failure.ts';
import { matchName } from '../shared/patterns/package-pattern.ts';
import type { FilterOptions } from '../sources/options.ts';
import { QuarantineError } from '../contract/quarantine.ts';
import type { Release, Scan } from '../sources/release.ts';

export type ReadScan = Extract<Scan, { outcome: 'read' }>;

export interface FilteredScan extends ReadScan {
  /** name patterns that match no package of the source */
  readonly idle: readonly string[];
}

/** `oneOfMany`: the limits apply to several sources together, so one source without any match is normal. */
export async function filterScan(scan: ReadScan, options: FilterOptions, oneOfMany = false): Promise<FilteredScan> {
  const filter = createFilter(options);
  if (!filter.limits) return { ...scan, idle: [] };
  const aliases = new Map<Release, NormalizedVersion | null>();
  for (const release of filter.constrains ? scan.releases : []) {
    if (!release.dev || !filter.admitsName(release.name)) continue;
    const alias = await aliasOf(release);
    if (alias !== undefined) aliases.set(release, alias);
  }
  const left = filterReleases(scan, filter, aliases);
  const former = scan.former?.filter(({ name, normalized }) => filter.admits(name, normalized));
  const nothing = left.releases.length === 0 && scan.releases.some(({ name }) => !oneOfMany || filter.admitsName(name));
  const idle = left.idle.filter((pattern) => !scan.former?.some(({ name }) => matchName(pattern)(name)));
  return {
    ...scan,
    ...left,
    ...(former === undefined ? {} : { former }),
    idle,
    notices: nothing
      ? [...scan.notices, 'None of its versions is published: the filters in libretto.json exclude all of them.']
      : scan.notices,
  };
}

/** null: the composer.json of the release cannot be read. The publication reports the error. */
async function aliasOf(release: Release): Promise<NormalizedVersion | undefined | null> {
  try {
    return branchAliasOf(await release.composerJson(), release.version, release.defaultBranch);
  } catch (error) {
    if (error instanceof QuarantineError || error instanceof GitFailure) return null;
    throw error;
  }
}
