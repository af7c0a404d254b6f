// `index/_publication.json`: the announcement, written last of all files that a publication changes for readers. A
// reader that sees a new serial drops its caches. The announcement also names the sources, so that a builder without
// its memory still knows the source of each version.

import { parseAnnouncedLists, type AnnouncedLists } from './announced-lists.ts';
import { parseReference, type Reference } from './digest.ts';
import { withChecksum } from './checksum.ts';
import type { FeedTime } from './feed-time.ts';
import { isJsonObject, type JsonObject } from './json.ts';
import { parsePackageName, type PackageName } from './name.ts';
import { refuseNewer } from './newer-format.ts';
import { formatChange, parseChange, type VersionChange } from './version-changes.ts';

export const publicationFormat = 1;
/**
 * The number in the file where it names tombstones. Version 0.1.0 reads no tombstones, and would publish the purged
 * versions again; it refuses this number.
 */
const formatWithTombstones = 2;

/**
 * The source of a version in the serving index after the index was lost, until a source claims the version: no source
 * has this id.
 */
export const unknownSource = 'unknown';

export interface PublishedSource {
  readonly id: string;
  /** the location without credentials */
  readonly location: string;
  /**
   * `argument`: given to a build and remembered. `configuration`: listed in libretto.json. `registered`: a repository
   * of the management API.
   */
  readonly from: 'argument' | 'configuration' | 'registered';
  /** the source has options in libretto.json or in its registration: without them it cannot be read in the same way */
  readonly options?: true;
  /** folders that are packages, of a git repository that a build was given with them; absent for none */
  readonly subdirectories?: readonly string[];
}

/**
 * A change that a rollback undid: builds do not repeat the change while the version's source offers the same content.
 */
export interface RollbackHold {
  readonly name: PackageName;
  readonly version: string;
  readonly version_normalized: string;
  /** the published content; null: the version was withdrawn, and is published again */
  readonly reference: Reference | null;
  /** a later build found that the source no longer has the version */
  readonly gone?: true;
}

/** The keys of packages.json other than the names, and the time of their last change, for the dates of views. */
export interface RootFields {
  readonly sha256: string;
  /** oldest first; of several only those that dates still depend on. `at`: epoch seconds */
  readonly changes: readonly { readonly serial: number; readonly at: number }[];
}

/**
 * `purged` and `withheld`: the rows of the lists of tombstones and of versions withdrawn by hand, which are written
 * before. Absent for empty lists, and in publications of older versions.
 */
export interface Publication extends Partial<AnnouncedLists> {
  readonly format: typeof publicationFormat;
  /** never decreases (I6) */
  readonly serial: number;
  /** RFC 3339 UTC */
  readonly published_at: string;
  /** last_modified of packages.json, epoch seconds, and the hex SHA-256 of its bytes */
  readonly root: { readonly last_modified: number; readonly sha256: string; readonly beside?: RootFields };
  readonly sources: readonly PublishedSource[];
  /**
   * packages without any published version that still have a serving index; absent in publications of older versions
   */
  readonly withdrawn?: readonly PackageName[];
  /** absent for none */
  readonly undone?: readonly RollbackHold[];
  /**
   * the number of packages in `index/_safety.json`; absent if there is no such file, and in publications of older
   * versions
   */
  readonly advised?: number;
  /**
   * epoch seconds: no view has a later date from this publication and those before; absent where an older version
   * published
   */
  readonly dates_until?: number;
  /**
   * the last change of a document, as a token without limits sees it. `kept`: the serial of the last change behind an
   * earlier one; no change until then leaves a serving index, since times of the feed depend on it. Absent where an
   * older version published.
   */
  readonly feed?: FeedTime & { readonly kept: number };
  /** the changes of packages whose serving index was pruned, for the dates of views' lists; absent if there are none */
  readonly pruned?: Readonly<Record<PackageName, readonly VersionChange[]>>;
}

export function formatPublication(publication: Publication): string {
  const { pruned, format, ...rest } = publication;
  const names = Object.entries(pruned ?? {});
  return withChecksum(
    JSON.stringify(
      {
        format: (rest.purged ?? []).length > 0 ? formatWithTombstones : format,
        ...rest,
        ...(names.length === 0
          ? {}
          : { pruned: Object.fromEntries(names.map(([name, changes]) => [name, changes.map(formatChange)])) }),
      },
      null,
      1,
    ),
  );
}

/** Throws an Error that describes the fault, NewerFormat among them; the caller names the file. */
export function parsePublication(text: string): Publication {
  const json: unknown = JSON.parse(text);
  if (!isJsonObject(json)) throw new Error('it is not a JSON object');
  const format = json['format'];
  refuseNewer(format, formatWithTombstones);
  const { serial, published_at: publishedAt, root, sources } = json;
  if (
    (format !== publicationFormat && format !== formatWithTombstones) ||
    typeof serial !== 'number' ||
    !Number.isSafeInteger(serial) ||
    typeof publishedAt !== 'string'
  )
    throw new Error('format, serial or published_at is malformed');
  if (!isJsonObject(root) || typeof root['last_modified'] !== 'number' || typeof root['sha256'] !== 'string')
    throw new Error('root is malformed');
  if (!Array.isArray(sources)) throw new Error('sources is malformed');
  return {
    format: publicationFormat,
    serial,
    published_at: publishedAt,
    root: { last_modified: root['last_modified'], sha256: root['sha256'], ...parseRootFields(root['beside']) },
    sources: sources.map(parsePublishedSource),
    ...(json['withdrawn'] === undefined ? {} : { withdrawn: parseNames(json['withdrawn']) }),
    ...(Array.isArray(json['undone']) ? { undone: json['undone'].map(parseRollbackHold) } : {}),
    ...(typeof json['advised'] === 'number' ? { advised: json['advised'] } : {}),
    ...(typeof json['dates_until'] === 'number' ? { dates_until: json['dates_until'] } : {}),
    ...parseFeed(json['feed']),
    ...parseAnnouncedLists(json),
    ...(isJsonObject(json['pruned']) ? { pruned: parsePruned(json['pruned']) } : {}),
  };
}

function parseRootFields(value: unknown): { readonly beside?: RootFields } {
  if (!isJsonObject(value)) return {};
  const { sha256, changes } = value;
  if (typeof sha256 !== 'string' || !Array.isArray(changes)) throw new Error('beside is malformed');
  return { beside: { sha256, changes: changes.map(parseRootChange) } };
}

function parseRootChange(value: unknown): RootFields['changes'][number] {
  const { serial, at } = isJsonObject(value) ? value : {};
  if (typeof serial !== 'number' || typeof at !== 'number') throw new Error('beside is malformed');
  return { serial, at };
}

function parseFeed(value: unknown): Pick<Publication, 'feed'> {
  const { at, time, kept } = isJsonObject(value) ? value : {};
  if (typeof at !== 'number' || typeof time !== 'number' || typeof kept !== 'number') return {};
  return { feed: { at, time, kept } };
}

function parsePruned(json: JsonObject): NonNullable<Publication['pruned']> {
  return Object.fromEntries(
    Object.entries(json).map(([name, changes]) => {
      if (parsePackageName(name) === undefined || !Array.isArray(changes)) throw new Error('pruned is malformed');
      return [name, changes.map(parseChange)];
    }),
  );
}

function parseNames(value: unknown): readonly PackageName[] {
  const names = Array.isArray(value)
    ? value.map((name: unknown) => (typeof name === 'string' ? parsePackageName(name) : undefined))
    : [undefined];
  return names.map((name) => {
    if (name === undefined) throw new Error('withdrawn is malformed');
    return name;
  });
}

/** Throws an Error that describes the fault. */
export function parseRollbackHold(value: unknown): RollbackHold {
  if (!isJsonObject(value)) throw new Error('an undone change is malformed');
  const { name: given, version, version_normalized: normalized, reference: text, gone } = value;
  const name = typeof given === 'string' ? parsePackageName(given) : undefined;
  const reference = text === null ? null : parseReference(String(text));
  if (name === undefined || reference === undefined || typeof version !== 'string' || typeof normalized !== 'string')
    throw new Error('an undone change is malformed');
  return { name, version, version_normalized: normalized, reference, ...(gone === true ? { gone } : {}) };
}

/** Throws an Error that describes the fault. */
export function parsePublishedSource(value: unknown): PublishedSource {
  if (!isJsonObject(value)) throw new Error('a source is malformed');
  const { id, location, from, subdirectories } = value;
  if (
    typeof id !== 'string' ||
    typeof location !== 'string' ||
    (from !== 'argument' && from !== 'configuration' && from !== 'registered')
  )
    throw new Error('a source is malformed');
  return {
    id,
    location,
    from,
    ...(value['options'] === true ? { options: true } : {}),
    ...(Array.isArray(subdirectories) ? { subdirectories: subdirectories.map(String) } : {}),
  };
}
