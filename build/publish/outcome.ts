// Combines the results of all packages of a build. Pure.

import type { PackageName } from '../contract/name.ts';
import type { PackageResult } from '../package/package-stage.ts';
import { mergeChanges, type PackageChanges } from '../output/publication.ts';
import type { PackageLimit } from '../scan/package-limit.ts';
import type { ScannedSource } from '../scan/scan.ts';
import type { Quarantine } from '../contract/quarantine.ts';
import type { ReleaseDigests } from '../scan/affected-packages.ts';

export interface PackagesOutcome {
  readonly results: readonly PackageResult[];
  /** every name with a published version after this build, sorted */
  readonly names: readonly PackageName[];
  /** found while reading sources, while staging packages, and remembered from earlier builds of unchanged sources */
  readonly quarantined: readonly { readonly source: string; readonly quarantine: Quarantine }[];
  readonly changes: PackageChanges;
  readonly digests: ReleaseDigests;
  /** the time of the recorded changes; undefined: no package was staged */
  readonly stagedAt: Date | undefined;
}

export interface OutcomeInputs {
  readonly results: readonly PackageResult[];
  /** the packages published before this build */
  readonly names: readonly PackageName[];
  readonly scanned: readonly ScannedSource[];
  readonly digests: ReleaseDigests;
  readonly limit: PackageLimit | undefined;
  readonly stagedAt: Date | undefined;
}

export function gatherOutcome({ results, names, scanned, digests, limit, stagedAt }: OutcomeInputs): PackagesOutcome {
  const visible = new Set(names);
  for (const { name, published } of results) {
    if (published > 0) visible.add(name);
    else visible.delete(name);
  }
  return {
    results,
    names: [...visible].toSorted(),
    quarantined: allQuarantined(scanned, results, limit),
    changes: mergeChanges(results.map(({ changes }) => changes)),
    digests,
    stagedAt,
  };
}

/** For a build of some packages, only faults that concern these packages. */
function allQuarantined(
  scanned: readonly ScannedSource[],
  results: readonly PackageResult[],
  limit: PackageLimit | undefined,
): PackagesOutcome['quarantined'] {
  const ofSources = scanned.flatMap((source) => {
    const list = source.outcome === 'read' ? source.quarantined : (source.remembered?.quarantined ?? []);
    const reported = limit === undefined ? list : list.filter(({ name }) => name !== null && limit.admits(name));
    return reported.map((quarantine) => ({ source: source.chosen.spec.id, quarantine }));
  });
  return [...ofSources, ...results.flatMap(({ refused }) => refused)];
}
