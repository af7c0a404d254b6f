// Finds the contents that a purge of one version removes, and the same bytes elsewhere in the serving index. Reads the
// tree and changes nothing.

import { digestArchive, digestIfAlike } from '../archive/archive-content.ts';
import type { PackageName } from '../contract/name.ts';
import type { ArchiveContent, PurgedVersion, PurgeReason } from '../contract/purged.ts';
import type { IndexEntry } from '../contract/serving-index.ts';
import { normalizeVersion, type NormalizedVersion } from '../contract/version.ts';
import { readPublishedIndex } from '../memory/published-index.ts';
import { listTreePackages } from '../memory/tree-memory.ts';
import type { Output } from '../output/output.ts';

export interface PurgeTarget {
  readonly name: PackageName;
  /** the published label, or the normalized version */
  readonly version: string;
  /** the reference of one content, or its first seven characters or more; undefined: all contents */
  readonly reference: string | undefined;
}

export interface ContentEntry {
  readonly name: PackageName;
  readonly entry: IndexEntry;
}

export interface PurgeSelection {
  /** contents of the named version */
  readonly named: readonly ContentEntry[];
  /** contents with the reference or the archive of one of them, under another label or name */
  readonly same: readonly ContentEntry[];
  /** contents of the package with the same files in another archive; they stay */
  readonly alike: readonly ContentEntry[];
}

export function isTarget(
  { version, reference }: PurgeTarget,
  content: { readonly version: string; readonly version_normalized: string; readonly reference: string },
): boolean {
  const isLabel = content.version === version || content.version_normalized === normalizeVersion(version);
  return isLabel && (reference === undefined || content.reference.startsWith(reference));
}

/**
 * `earlier`: tombstones that earlier purges of the version left. They have the digests of archives that are already
 * removed. Throws PackageDamaged if a serving index is damaged or lost, because its contents are then unknown.
 */
export async function findPurge(
  output: Output,
  target: PurgeTarget,
  earlier: readonly PurgedVersion[],
): Promise<PurgeSelection> {
  const own = await contentsOf(output, target.name);
  const named = own.filter(({ entry }) => isTarget(target, entry));
  if (named.length + earlier.length === 0) return { named, same: [], alike: [] };
  const ofTarget = earlier.filter(({ name, reference }) => name === target.name && reference !== '');
  const references = new Set([
    ...named.map(({ entry }) => entry.reference),
    ...ofTarget.map(({ reference }) => reference),
  ]);
  const archives = new Set([...named.map(({ entry }) => entry.shasum), ...earlier.flatMap(({ sha1 }) => sha1 ?? [])]);
  // a commit of a repository with several packages is the reference of each of them
  const isSame = ({ name, entry }: ContentEntry): boolean =>
    archives.has(entry.shasum) || (name === target.name && references.has(entry.reference));
  const same: ContentEntry[] = [];
  for (const name of await listTreePackages(output)) {
    const contents = name === target.name ? own : await contentsOf(output, name);
    same.push(...contents.filter((content) => !named.includes(content) && isSame(content)));
  }
  const files = earlier.flatMap(({ content }) => content ?? []);
  for (const { entry } of named) {
    const content = (await digestsOf(output, entry))?.content;
    if (content !== undefined) files.push(content);
  }
  return {
    named,
    same,
    alike: await findAlike(
      output,
      files,
      own.filter((content) => !named.includes(content) && !same.includes(content)),
    ),
  };
}

async function findAlike(
  output: Output,
  contents: readonly ArchiveContent[],
  others: readonly ContentEntry[],
): Promise<readonly ContentEntry[]> {
  if (contents.length === 0) return [];
  const digests = new Set(contents.map(({ digest }) => digest));
  const alike: ContentEntry[] = [];
  for (const other of others) {
    const digest = await orUndefined(output, other.entry, (path) => digestIfAlike(path, contents));
    if (digests.has(digest ?? '')) alike.push(other);
  }
  return alike;
}

/** Tombstones of these contents. */
export async function tombstonesOf(
  output: Output,
  contents: readonly ContentEntry[],
  reason: PurgeReason,
  now: Date,
): Promise<readonly PurgedVersion[]> {
  const tombstones: PurgedVersion[] = [];
  for (const { name, entry } of contents) {
    const digests = await digestsOf(output, entry);
    tombstones.push({
      name,
      version: entry.version,
      version_normalized: entry.version_normalized as NormalizedVersion,
      reference: entry.reference,
      sha1: entry.shasum,
      sha256: digests?.sha256 ?? null,
      content: digests?.content ?? null,
      released: entry.time ?? entry.first_published ?? entry.since,
      source: entry.source,
      reason,
      since: now.toISOString(),
    });
  }
  return tombstones;
}

function digestsOf(output: Output, entry: IndexEntry): Promise<ReturnType<typeof digestArchive> | undefined> {
  return orUndefined(output, entry, digestArchive);
}

/** An archive that is missing or damaged has no content to be known by; its label, reference and SHA-1 are. */
async function orUndefined<Result>(
  output: Output,
  { path }: IndexEntry,
  read: (file: string) => Result,
): Promise<Result | undefined> {
  const file = await output.locate(path);
  try {
    return read(file);
  } catch {
    return undefined;
  }
}

/** Throws PackageDamaged for a lost or damaged index. */
async function contentsOf(output: Output, name: PackageName): Promise<readonly ContentEntry[]> {
  return ((await readPublishedIndex(output, name))?.versions ?? []).map((entry) => ({ name, entry }));
}
