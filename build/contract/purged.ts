// `index/_purged.json`: the tombstones of purged versions, one row for each content. The file is in the folder of the
// serving index, so that it moves with the tree. A row has digests and the reason's category, and never the text that
// an admin wrote.

import { withChecksum } from './checksum.ts';
import { isJsonObject, type JsonObject } from './json.ts';
import { parsePackageName, type PackageName } from './name.ts';
import { isDevVersion, type NormalizedVersion } from './version.ts';
import { parseVersionList } from './version-list.ts';

export const purgedFormat = 1;

/** Below `index/`. */
export const purgedPath = '_purged.json';

/** The reason of a purge, as clients see it. */
export const purgeReasons = ['secret', 'malware', 'legal', 'mistake', 'other'] as const;

export type PurgeReason = (typeof purgeReasons)[number];

/** The files of an archive, independent of its top folder and its label. */
export interface ArchiveContent {
  /** number of files */
  readonly files: number;
  /** bytes of all files but composer.json */
  readonly bytes: number;
  /** hex SHA-256 over paths and bytes; of composer.json without `name`, `version` and `time` */
  readonly digest: string;
}

export interface PurgedVersion {
  readonly name: PackageName;
  /** the published label */
  readonly version: string;
  readonly version_normalized: NormalizedVersion;
  readonly reference: string;
  /** hex digests of the archive's bytes; null if the archive was unavailable */
  readonly sha1: string | null;
  readonly sha256: string | null;
  readonly content: ArchiveContent | null;
  /** when it was released, RFC 3339, for views. null: unknown */
  readonly released: string | null;
  /** id of the source that published it; null: it was mirrored */
  readonly source: string | null;
  readonly reason: PurgeReason;
  /** RFC 3339 UTC */
  readonly since: string;
}

export function parsePurgeReason(text: string): PurgeReason | undefined {
  return purgeReasons.find((reason) => reason === text);
}

export function purgedKey({
  name,
  version_normalized: normalized,
  reference,
}: Pick<PurgedVersion, 'name' | 'version_normalized' | 'reference'>): string {
  return `${name} ${normalized} ${reference}`;
}

/** Merges both lists: the older row of a content counts. Returns the same `known` if it has all rows. */
export function mergePurged(known: readonly PurgedVersion[], more: readonly PurgedVersion[]): readonly PurgedVersion[] {
  const keys = new Set(known.map(purgedKey));
  const fresh = more.filter((row) => !keys.has(purgedKey(row)));
  return fresh.length === 0 ? known : [...known, ...new Map(fresh.map((row) => [purgedKey(row), row])).values()];
}

/** The facts of a release, an index entry or an upstream's record that show whether it is purged. */
export interface PurgeCandidate {
  readonly normalized: string;
  readonly reference: string;
}

/** Tombstones, ready for lookup. */
export interface PurgedLookup {
  readonly rows: readonly PurgedVersion[];
  /** the tombstones of a package; undefined: none */
  readonly of: (name: string) => readonly PurgedVersion[] | undefined;
  /**
   * The tombstone that blocks this content of this package, by its label or its reference. A commit of a repository
   * with several packages is the reference of each of them. So a reference counts within its package only; a digest
   * identifies the same files in another package.
   */
  readonly blocks: (name: string, candidate: PurgeCandidate) => PurgedVersion | undefined;
}

export function lookUpPurged(rows: readonly PurgedVersion[]): PurgedLookup {
  const names = new Map<string, PurgedVersion[]>();
  for (const row of rows) names.set(row.name, [...(names.get(row.name) ?? []), row]);
  const labels = new Map(
    rows
      .filter((row) => !isDevVersion(row.version_normalized))
      .map((row) => [`${row.name} ${row.version_normalized}`, row]),
  );
  // a mirrored version may have none
  const references = new Map<string, PurgedVersion>(
    rows.flatMap((row) => (row.reference === '' ? [] : [[`${row.name} ${row.reference}`, row] as const])),
  );
  return {
    rows,
    of: (name) => names.get(name),
    blocks: (name, { normalized, reference }) =>
      rows.length === 0 ? undefined : (labels.get(`${name} ${normalized}`) ?? references.get(`${name} ${reference}`)),
  };
}

export const nothingPurged = lookUpPurged([]);

/** Canonical bytes, in any order of the rows. */
export function formatPurged(rows: readonly PurgedVersion[]): string {
  const sorted = rows.toSorted((one, other) => (purgedKey(one) < purgedKey(other) ? -1 : 1));
  const versions = sorted.map(
    ({ name, version, version_normalized, reference, sha1, sha256, content, released, source, reason, since }) => ({
      name,
      version,
      version_normalized,
      reference,
      sha1,
      sha256,
      content,
      released,
      source,
      reason,
      since,
    }),
  );
  return withChecksum(JSON.stringify({ format: purgedFormat, versions }, null, 1));
}

/** Throws an Error that describes the fault, NewerFormat among them; the caller names the file. */
export function parsePurged(text: string): readonly PurgedVersion[] {
  return parseVersionList(text, purgedFormat, parseRow);
}

function parseRow(row: JsonObject): PurgedVersion | undefined {
  const { version, version_normalized: normalized, reference, since } = row;
  const name = typeof row['name'] === 'string' ? parsePackageName(row['name']) : undefined;
  const reason = typeof row['reason'] === 'string' ? parsePurgeReason(row['reason']) : undefined;
  const content = row['content'] === null ? null : parseContent(row['content']);
  if (
    name === undefined ||
    reason === undefined ||
    content === undefined ||
    typeof version !== 'string' ||
    typeof normalized !== 'string' ||
    typeof reference !== 'string' ||
    typeof since !== 'string'
  )
    return undefined;
  return {
    name,
    version,
    version_normalized: normalized as NormalizedVersion,
    reference,
    sha1: textOrNull(row['sha1']),
    sha256: textOrNull(row['sha256']),
    content,
    released: textOrNull(row['released']),
    source: textOrNull(row['source']),
    reason,
    since,
  };
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function parseContent(value: unknown): ArchiveContent | undefined {
  if (!isJsonObject(value)) return undefined;
  const { files, bytes, digest } = value;
  return typeof files === 'number' && typeof bytes === 'number' && typeof digest === 'string'
    ? { files, bytes, digest }
    : undefined;
}
