// Finds the packages that a build has to examine: those whose releases differ from the last publication. A build does
// not open any other package.

import { createHash } from 'node:crypto';
import type { PackageName } from '../contract/name.ts';
import { readMemory } from '../memory/source-memory.ts';
import { listTreePackages, type TreeMemory } from '../memory/tree-memory.ts';
import type { PackageLimit } from './package-limit.ts';
import type { Output } from '../output/output.ts';
import type { Release } from '../sources/release.ts';
import { isRead, type ScannedSource } from './scan.ts';
import type { SourceChoice } from './choose-sources.ts';

/** Source id → package → digest of its releases, for the sources that were read. */
export type ReleaseDigests = ReadonlyMap<string, ReadonlyMap<PackageName, string>>;

export function digestSources(scanned: readonly ScannedSource[]): ReleaseDigests {
  return new Map(
    scanned
      .filter(isRead)
      .map((source) => [
        source.chosen.spec.id,
        new Map([...source.packages].map(([name, releases]) => [name, digestReleases(releases)])),
      ]),
  );
}

export interface AffectedInputs {
  readonly scanned: readonly ScannedSource[];
  readonly digests: ReleaseDigests;
  readonly tree: TreeMemory;
  readonly choice: SourceChoice;
  readonly output: Output;
  readonly limit: PackageLimit | undefined;
  /** packages whose withdrawn versions or document texts have changed since the last publication */
  readonly reconsidered: readonly PackageName[];
}

/**
 * Sorted. Returns all packages if the builder's memory is not trusted. The same holds for a source whose memory is
 * stale: an earlier build could not read the source while the memory was lost, so its removed packages are unknown.
 */
export async function affectedPackages({
  scanned,
  digests,
  tree,
  choice,
  output,
  limit,
  reconsidered,
}: AffectedInputs): Promise<readonly PackageName[]> {
  const isTrusted = tree.trusted && !scanned.some((source) => isRead(source) && tree.stale.has(source.chosen.spec.id));
  const affected = new Set<PackageName>(
    isTrusted ? reconsidered : [...reconsidered, ...tree.names, ...(await listTreePackages(output))],
  );
  for (const { chosen, remembered } of scanned.filter(isRead)) {
    const before = remembered?.packages ?? {};
    const after = digests.get(chosen.spec.id) ?? new Map<PackageName, string>();
    for (const [name, digest] of after) if (before[name] !== digest) affected.add(name);
    for (const name of Object.keys(before) as PackageName[]) if (!after.has(name)) affected.add(name);
  }
  for (const { id } of choice.forgotten) {
    const memory = tree.trusted ? await readMemory(output, id) : undefined;
    const names =
      memory === undefined ? await listTreePackages(output) : (Object.keys(memory.packages) as PackageName[]);
    for (const name of names) affected.add(name);
  }
  return [...affected].filter((name) => limit?.admits(name) ?? true).toSorted();
}

/** Two builds compute the same digest as long as the releases are unchanged. */
function digestReleases(releases: readonly Release[]): string {
  const rows = releases.map((release) =>
    JSON.stringify([
      release.normalized,
      release.version,
      release.reference,
      release.defaultBranch,
      release.branch ?? null,
      release.time ?? null,
      release.recordDigest ?? null,
      ...(release.signedBy === undefined ? [] : [release.signedBy]),
    ]),
  );
  return createHash('sha256').update(rows.toSorted().join('\n')).digest('hex').slice(0, 32);
}
