// The packages a build looks at, each of them staged. Loaded only when there is one: a build in which nothing changed needs none of this.

import pLimit from 'p-limit';
import { createArchiver } from './archive/archiver.ts';
import type { PackageName } from './contract/name.ts';
import { normalizeVersion } from './contract/version.ts';
import { buildPackage } from './package-build.ts';
import type { PackageResult } from './package-stage.ts';
import type { PackageContext } from './package-version.ts';
import type { Contribution } from './plan.ts';
import type { ProgressEvent } from './report.ts';
import { isRead, type ReadSource, type ScannedSource } from './scan.ts';

export interface PackagesRequest {
  readonly visits: readonly PackageName[];
  readonly scanned: readonly ScannedSource[];
  readonly jobs: number;
  /** for what does not fit into memory while archives are made */
  readonly scratchDirectory: string;
  readonly progress: (event: ProgressEvent) => void;
  readonly context: Omit<PackageContext, 'archiver'>;
}

/** So that while one package waits for its archives to be compressed or written, the contents of others are read. */
const packagesAtOnce = 8;

export async function stagePackages(request: PackagesRequest): Promise<readonly PackageResult[]> {
  const { visits, jobs, scratchDirectory, progress } = request;
  const read = request.scanned.filter(isRead);
  const archiver = createArchiver({ scratchDirectory, jobs });
  const context: PackageContext = { ...request.context, archiver };
  const contributionsTo = gatherContributions(read);
  const limit = pLimit(Math.max(jobs, packagesAtOnce));
  let done = 0;
  try {
    return await Promise.all(
      visits.map((name) =>
        limit(async () => {
          const result = await buildPackage(name, contributionsTo(name), context);
          done += 1;
          progress({ phase: 'archive', done, total: visits.length, label: name });
          return result;
        }),
      ),
    );
  } finally {
    limit.clearQueue();
    await archiver.close();
  }
}

/** What each source has for a package. Most of thousands of sources have nothing for it, and cost next to nothing here. */
function gatherContributions(sources: readonly ReadSource[]): (name: PackageName) => readonly Contribution[] {
  const nothing = sources.map((source): Contribution => ({ source: source.chosen.spec.id, releases: [], held: new Set(), holdsAll: false }));
  const holders = new Map<PackageName, number[]>();
  const doubtful: number[] = [];
  for (const [at, { packages, quarantined }] of sources.entries()) {
    if (quarantined.length > 0) doubtful.push(at);
    for (const name of packages.keys()) {
      const known = holders.get(name);
      if (known === undefined) holders.set(name, [at]);
      else known.push(at);
    }
  }
  return (name) => {
    const contributions = [...nothing];
    for (const at of [...doubtful, ...(holders.get(name) ?? [])]) {
      const source = sources[at];
      if (source !== undefined) contributions[at] = contributionOf(source, name);
    }
    return contributions;
  };
}

function contributionOf(source: ReadSource, name: PackageName): Contribution {
  const unpublishable = source.quarantined.filter((quarantine) => quarantine.name === null || quarantine.name === name);
  return {
    source: source.chosen.spec.id,
    releases: source.packages.get(name) ?? [],
    held: new Set(unpublishable.flatMap(({ version }) => (version === null ? [] : (normalizeVersion(version) ?? [])))),
    holdsAll: unpublishable.some((quarantine) => quarantine.name === null || quarantine.version === null),
  };
}
