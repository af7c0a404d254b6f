// Plans which files of one package `prune` may remove: contents that no publication, no record and no recent build
// names. Pure, except for reading the files' facts.

import type { PackageName } from '../contract/name.ts';
import { distPath, indexPath, providerPath, type DistLabel, type PublicPath } from '../contract/paths.ts';
import { parsePackageIndex, type IndexEntry, type PackageIndex } from '../contract/serving-index.ts';
import { isDevVersion } from '../contract/version.ts';
import { parseProvider } from '../documents/documents.ts';
import { retainedKey } from '../history/retained-archives.ts';
import type { Output } from '../output/output.ts';
import { parseOwnFile } from '../output/parse-own-file.ts';
import { BuildRefused } from '../contract/refusals.ts';

export interface PruneLimits {
  /** epoch milliseconds: contents withdrawn after this time stay */
  readonly until: number;
  /** `archiveKey` of the archives that a rollback may need */
  readonly recorded: ReadonlySet<string>;
}

export interface PackagePrune {
  readonly name: PackageName;
  /** the remaining index */
  readonly next: PackageIndex;
  readonly gone: readonly IndexEntry[];
  /** releases whose last content goes */
  readonly releases: readonly IndexEntry[];
  /** archives, and plain copies that belong to no other removed archive */
  readonly files: readonly PublicPath[];
  /** on disk; names of one file count once */
  readonly freedBytes: number;
  /** unpublished entries that stay, grouped by the reason */
  readonly kept: { readonly recent: number; readonly recorded: number };
}

/**
 * Returns undefined for a package with published contents only. Throws BuildRefused if the index or the documents are
 * damaged: then a removal is unsafe.
 */
export async function planPackagePrune(
  output: Output,
  name: PackageName,
  limits: PruneLimits,
): Promise<PackagePrune | undefined> {
  const index = await readIndex(output, name);
  const named = index.versions.some(({ state }) => state !== 'published')
    ? await namedByDocuments(output, name)
    : new Set<string>();
  const gone: IndexEntry[] = [];
  const counts = { recent: 0, recorded: 0 };
  for (const entry of index.versions) {
    const key = retainedKey(name, entry);
    if (entry.state === 'published' || named.has(key)) continue;
    // a time that cannot be read is no reason to remove anything
    if (!(Date.parse(entry.since) <= limits.until)) counts.recent += 1;
    else if (limits.recorded.has(key)) counts.recorded += 1;
    else gone.push(entry);
  }
  const isEmpty = index.versions.length === gone.length;
  if (gone.length === 0 && counts.recent + counts.recorded === 0 && !isEmpty) return undefined;
  const dropped = new Set(gone);
  const next = { ...index, versions: index.versions.filter((entry) => !dropped.has(entry)) };
  const releases = gone.filter(
    (entry) =>
      entry.state === 'withdrawn' &&
      !isDevVersion(entry.version_normalized) &&
      !next.versions.some(
        (left) => left.version_normalized === entry.version_normalized && left.state !== 'superseded',
      ),
  );
  return { name, next, gone, releases, kept: counts, ...(await filesOf(output, name, gone, next.versions)) };
}

async function readIndex(output: Output, name: PackageName): Promise<PackageIndex> {
  const path = `index/${indexPath(name)}`;
  const text = await output.read('index', indexPath(name));
  const index = text === undefined ? undefined : parseOwnFile(path, () => parsePackageIndex(text));
  if (index?.name === name) return index;
  throw damaged(path);
}

/** Reads the documents themselves, and does not trust the index. */
async function namedByDocuments(output: Output, name: PackageName): Promise<ReadonlySet<string>> {
  const keys = new Set<string>();
  for (const kind of ['stable', 'dev'] as const) {
    const path = providerPath(name, kind);
    const text = await output.read('public', path);
    if (text === undefined) continue;
    const records = parseOwnFile(`public/${path}`, () => parseProvider(text, name));
    if (records === undefined) throw damaged(`public/${path}`);
    for (const { version, dist } of records)
      keys.add(retainedKey(name, { version, reference: String(dist?.reference) }));
  }
  return keys;
}

function damaged(path: string): BuildRefused {
  return new BuildRefused(
    `${path} is missing or damaged, so unused archives cannot be determined. \`libretto verify\` names the repair.`,
  );
}

async function filesOf(
  output: Output,
  name: PackageName,
  gone: readonly IndexEntry[],
  left: readonly IndexEntry[],
): Promise<Pick<PackagePrune, 'files' | 'freedBytes'>> {
  const staying = new Set<PublicPath>(
    left.flatMap(({ path, version }) => [path, distPath(name, version as DistLabel)]),
  );
  const candidates = new Set(gone.flatMap(({ path, version }) => [path, distPath(name, version as DistLabel)]));
  const going = [...candidates].filter((path) => !staying.has(path));
  const stayingInodes = new Set<bigint>();
  // only a second name of the same file could remain
  if (going.length > 0)
    for (const path of staying) stayingInodes.add((await output.facts('public', path))?.inode ?? -1n);
  const files: PublicPath[] = [];
  const sizes = new Map<bigint, number>();
  for (const path of going) {
    const facts = await output.facts('public', path);
    if (facts === undefined) continue;
    files.push(path);
    if (!stayingInodes.has(facts.inode)) sizes.set(facts.inode, facts.size);
  }
  return { files, freedBytes: [...sizes.values()].reduce((sum, size) => sum + size, 0) };
}
