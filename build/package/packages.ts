// Stages the packages that a build has to examine. The module is loaded only for a build with such packages: an
// unchanged build does not need it.

import { createArchiver } from '../archive/archiver.ts';
import type { PackageName } from '../contract/name.ts';
import { normalizeVersion } from '../contract/version.ts';
import { buildPackage } from './package-build.ts';
import type { PackageResult } from './package-stage.ts';
import type { PackageContext } from './package-context.ts';
import type { Contribution } from './package-decision.ts';
import type { ProgressEvent } from '../contract/build-report.ts';
import { runBatch } from '../shared/concurrency/batch.ts';
import { isRead, type ReadSource, type ReleasesByName, type ScannedSource } from '../scan/scan.ts';
import type { Release } from '../sources/release.ts';

/** Staging makes the archiver itself. */
export type StagingContext = Omit<PackageContext, 'archiver'>;

export interface PackagesRequest {
  readonly affected: readonly PackageName[];
  readonly scanned: readonly ScannedSource[];
  readonly jobs: number;
  /** a folder for archive contents that do not fit into memory */
  readonly scratchDirectory: string;
  readonly progress: (event: ProgressEvent) => void;
  readonly context: StagingContext;
}

/** Lets the contents of other packages be read while one waits for its archives to be compressed or written. */
const packagesAtOnce = 2;

export async function stagePackages(request: PackagesRequest): Promise<readonly PackageResult[]> {
  const { affected, jobs, scratchDirectory, progress } = request;
  const read = request.scanned.filter(isRead);
  const archiver = createArchiver({ scratchDirectory, jobs });
  const context: PackageContext = { ...request.context, archiver };
  const contributionsTo = gatherContributions(read);
  let done = 0;
  const stage = async (name: PackageName): Promise<PackageResult> => {
    const result = await buildPackage(name, (publishers) => contributionsTo(name, publishers), context);
    done += 1;
    progress({ phase: 'archive', done, total: affected.length, label: name });
    return result;
  };
  try {
    return await runBatch(affected, Math.max(jobs, packagesAtOnce), stage);
  } finally {
    await archiver.close();
  }
}

/**
 * The contributions of sources to a package: only sources that have it, and those named. Other sources cost nothing
 * here, even if there are thousands.
 */
function gatherContributions(
  sources: readonly ReadSource[],
): (name: PackageName, publishers: ReadonlySet<string>) => readonly Contribution[] {
  const places = new Map(sources.map(({ chosen }, at) => [chosen.spec.id, at]));
  const holders = new Map<string, Set<number>>();
  const withUnknownNames: number[] = [];
  for (const [at, { packages, former, quarantined }] of sources.entries()) {
    if (quarantined.some(({ name }) => name === null)) withUnknownNames.push(at);
    for (const name of [
      ...packages.keys(),
      ...former.keys(),
      ...quarantined.flatMap((quarantine) => quarantine.name ?? []),
    ]) {
      const known = holders.get(name);
      if (known === undefined) holders.set(name, new Set([at]));
      else known.add(at);
    }
  }
  return (name, publishers) => {
    const found = new Set([
      ...withUnknownNames,
      ...(holders.get(name) ?? []),
      ...Array.from(publishers).flatMap((id) => places.get(id) ?? []),
    ]);
    return [...found]
      .toSorted((one, other) => one - other)
      .flatMap((at) => {
        const source = sources[at];
        return source === undefined ? [] : [takeContribution(source, name)];
      });
  };
}

function takeContribution(source: ReadSource, name: PackageName): Contribution {
  const unpublishable = source.quarantined.filter((quarantine) => quarantine.name === null || quarantine.name === name);
  return {
    source: source.chosen.spec.id,
    releases: take(source.packages, name),
    former: take(source.former, name),
    unpublishable: new Set(
      unpublishable.flatMap(({ version }) => (version === null ? [] : (normalizeVersion(version) ?? []))),
    ),
    holdsAll: unpublishable.some((quarantine) => quarantine.name === null || quarantine.version === null),
  };
}

function take(packages: ReleasesByName, name: PackageName): readonly Release[] {
  const releases = packages.get(name) ?? [];
  packages.delete(name);
  return releases;
}
