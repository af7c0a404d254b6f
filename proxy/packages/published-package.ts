// Reads one package as readers see it now: its documents in the served tree, and the facts of their versions in the
// serving index.

import { isJsonObject, type JsonObject } from '../../build/contract/json.ts';
import type { PackageName } from '../../build/contract/name.ts';
import { indexPath, providerPath } from '../../build/contract/paths.ts';
import { parsePackageIndex, type IndexEntry } from '../../build/contract/serving-index.ts';
import { isDevVersion, normalizeVersion } from '../../build/contract/version.ts';
import {
  filterOf,
  passes,
  releaseOf,
  seesSome,
  type ReleaseFacts,
  type ReleaseFilter,
  type View,
} from '../core/views/view.ts';
import { recordsOf, releaseIn } from '../core/tree/document-releases.ts';
import type { DocumentRead } from '../core/tree/published-documents.ts';
import { parseRows, type PublishedFiles } from '../core/tree/published-files.ts';

export interface PublishedVersion {
  readonly entry: IndexEntry;
  /** the record in its p2 document */
  readonly record: JsonObject;
}

/** The readable parts of a package. */
export interface ReadVersions {
  /** newest first */
  readonly versions: readonly PublishedVersion[];
  /** the faults of unusable files in the part that the view sees */
  readonly faults: readonly unknown[];
  /** no document is missing that the serving index names a version of */
  readonly isWhole: boolean;
}

const kinds = ['stable', 'dev'] as const;
const nothing: ReadVersions = { versions: [], faults: [], isWhole: true };

/**
 * The versions within `view`, newest first; empty if nothing is published under this name. Throws an Error that names
 * an unusable file. A damaged file without visible versions is no fault, because the error would reveal the file (I14).
 */
export async function readPublishedPackage(
  files: PublishedFiles,
  name: PackageName,
  view?: View,
): Promise<readonly PublishedVersion[]> {
  const { versions, faults } = await readVersions(files, name, view);
  if (faults.length > 0) throw faults[0];
  return versions;
}

/** The version with this label, or else with this number; undefined: none. */
export function findVersion(versions: readonly PublishedVersion[], wanted: string): PublishedVersion | undefined {
  const normalized = normalizeVersion(wanted);
  return (
    versions.find(({ entry }) => entry.version === wanted) ??
    versions.find(({ entry }) => entry.version_normalized === normalized)
  );
}

/** As readPublishedPackage, but if one document is unusable, returns the versions of the other one. */
export async function readVersions(files: PublishedFiles, name: PackageName, view?: View): Promise<ReadVersions> {
  const filter = filterOf(view, name);
  if (filter === 'none' || (await files.shows?.(view, name)) === false) return nothing;
  const { index, ...documents } = await files.readPackage(name);
  const records = new Map<string, JsonObject>();
  const damaged = new Map<'stable' | 'dev', unknown>();
  for (const kind of kinds) {
    try {
      for (const record of readRecords(documents[kind], name, kind))
        records.set(
          keyOf(record['version'], isJsonObject(record['dist']) ? record['dist']['reference'] : undefined),
          record,
        );
    } catch (fault) {
      damaged.set(kind, fault);
    }
  }
  if (records.size === 0 && damaged.size === 0 && !('fault' in index)) return nothing;
  const isSeen = (release: ReleaseFacts): boolean => passes(filter, release);
  const seen = readEntries(index, name, filter, records.values()).filter((entry) => isSeen(releaseOf(entry)));
  return {
    versions: seen.flatMap((entry) => {
      const record = records.get(keyOf(entry.version, entry.reference));
      return record === undefined ? [] : [{ entry, record }];
    }),
    faults: [...damaged].flatMap(([kind, fault]) =>
      filter === 'all' || seen.some((entry) => isPublishedIn(kind, entry)) ? [fault] : [],
    ),
    isWhole: kinds.every((kind) => !isMissing(documents[kind]) || !seen.some((entry) => isPublishedIn(kind, entry))),
  };
}

function isMissing(document: DocumentRead): boolean {
  return !('fault' in document) && document.bytes === undefined;
}

function readRecords(document: DocumentRead, name: PackageName, kind: 'stable' | 'dev'): readonly JsonObject[] {
  if ('fault' in document) throw document.fault;
  return parseRows(document.bytes, `public/${providerPath(name, kind)}`, (text) => recordsOf(text, name));
}

/**
 * No entries for a damaged index if the filter hides all records, so that the damage is not revealed. Throws an Error
 * for every other caller.
 */
function readEntries(
  index: DocumentRead,
  name: PackageName,
  filter: ReleaseFilter,
  records: Iterable<JsonObject>,
): readonly IndexEntry[] {
  try {
    if ('fault' in index) throw index.fault;
    return parseRows(index.bytes, `index/${indexPath(name)}`, (text) => parsePackageIndex(text).versions);
  } catch (fault) {
    if (filter === 'all' || seesSome(filter, [...records].map(releaseIn))) throw fault;
    return [];
  }
}

function isPublishedIn(kind: 'stable' | 'dev', { state, version_normalized: version }: IndexEntry): boolean {
  return state === 'published' && isDevVersion(version) === (kind === 'dev');
}

function keyOf(version: unknown, reference: unknown): string {
  return `${String(version)} ${String(reference)}`;
}
