// All packages of a build: which of them have to be looked at, each of those staged, and what comes of it together.

import pLimit from 'p-limit';
import type { PackageName } from './contract/name.ts';
import { normalizeVersion } from './contract/version.ts';
import { listPackages, type TreeMemory } from './memory/tree-memory.ts';
import { buildPackage, type PackageContext, type PackageResult } from './package-build.ts';
import type { Contribution } from './plan.ts';
import { mergeChanges, type PackageChanges } from './publication.ts';
import { digestReleases } from './release-digest.ts';
import type { ProgressEvent } from './report.ts';
import type { ScannedSource } from './scan.ts';
import type { Quarantine } from './sources/quarantine.ts';
import type { SourceChoice } from './sources/remembered.ts';
import { readMemory } from './memory/source-memory.ts';

export interface PackagesOutcome {
  readonly results: readonly PackageResult[];
  /** every name with a published version after this build, sorted */
  readonly names: readonly PackageName[];
  /** found while sources were read, while packages were, and those that stand from earlier builds of unchanged sources */
  readonly quarantined: readonly { readonly source: string; readonly quarantine: Quarantine }[];
  readonly changes: PackageChanges;
  /** source id → package → digest of its releases, for the sources that were read */
  readonly digests: ReadonlyMap<string, ReadonlyMap<PackageName, string>>;
}

export interface PackagesRequest {
  readonly scanned: readonly ScannedSource[];
  readonly choice: SourceChoice;
  readonly tree: TreeMemory;
  readonly jobs: number;
  readonly progress: (event: ProgressEvent) => void;
  readonly context: PackageContext;
}

type ReadSource = Extract<ScannedSource, { outcome: 'read' }>;

export async function buildPackages(request: PackagesRequest): Promise<PackagesOutcome> {
  const { scanned, tree, context } = request;
  const read = scanned.filter((source): source is ReadSource => source.outcome === 'read');
  const digests = new Map(read.map((source) => [source.chosen.spec.id, new Map([...source.packages].map(([name, releases]) => [name, digestReleases(releases)]))]));
  const visits = await packagesToVisit(request, read, digests);
  const limit = pLimit(Math.max(request.jobs, 2));
  let done = 0;
  const results = await Promise.all(
    visits.map((name) =>
      limit(async () => {
        const result = await buildPackage(name, read.map((source) => contributionOf(source, name)), context);
        done += 1;
        request.progress({ phase: 'archive', done, total: visits.length, label: name });
        return result;
      }),
    ),
  );
  const visible = new Set(tree.names);
  for (const { name, published } of results) {
    if (published.length > 0) visible.add(name);
    else visible.delete(name);
  }
  return { results, names: [...visible].toSorted(), quarantined: allQuarantined(scanned, results), changes: mergeChanges(results.map(({ changes }) => changes)), digests };
}

/** Those whose releases differ from what was last published of them; all of them when the memory is not to be believed. */
async function packagesToVisit(request: PackagesRequest, read: readonly ReadSource[], digests: PackagesOutcome['digests']): Promise<readonly PackageName[]> {
  const { tree, choice, context } = request;
  const visits = new Set<PackageName>();
  if (!tree.trusted) for (const name of await listPackages(context.output)) visits.add(name);
  for (const { chosen, remembered } of read) {
    const before = remembered?.packages ?? {};
    const after = digests.get(chosen.spec.id) ?? new Map<PackageName, string>();
    for (const [name, digest] of after) if (before[name] !== digest) visits.add(name);
    for (const name of Object.keys(before) as PackageName[]) if (!after.has(name)) visits.add(name);
  }
  for (const { id } of choice.forgotten) {
    const memory = tree.trusted ? await readMemory(context.output, id) : undefined;
    const names = memory === undefined ? await listPackages(context.output) : (Object.keys(memory.packages) as PackageName[]);
    for (const name of names) visits.add(name);
  }
  return [...visits].toSorted();
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

function allQuarantined(scanned: readonly ScannedSource[], results: readonly PackageResult[]): PackagesOutcome['quarantined'] {
  const ofSources = scanned.flatMap((source) => {
    const list = source.outcome === 'read' ? source.quarantined : (source.remembered?.quarantined ?? []);
    return list.map((quarantine) => ({ source: source.chosen.spec.id, quarantine }));
  });
  return [...ofSources, ...results.flatMap(({ refused }) => refused)];
}
