// Determines the status of uploaded artifacts in the published tree. A record describes the artifact itself. Its
// version can also be withdrawn by hand, rolled back, or restored; the record does not change then.

import { join } from 'node:path';
import { indexPath } from '../../build/contract/paths.ts';
import type { PackageName } from '../../build/contract/name.ts';
import { parsePackageIndex, type IndexEntry } from '../../build/contract/serving-index.ts';
import { readWhole } from '../../build/shared/files/read-whole.ts';
import { createListedNames } from '../core/tree/listed-names.ts';
import { missingIndex } from '../core/tree/missing-index.ts';
import { parseRows } from '../core/tree/published-files.ts';
import type { ArtifactRecord } from './artifact.ts';

/**
 * Returns the same records; withdrawn ones get their present status and the date of the withdrawal. `dataDirectory`:
 * absolute.
 */
export async function asServed(
  dataDirectory: string,
  records: readonly ArtifactRecord[],
): Promise<readonly ArtifactRecord[]> {
  const names = new Set(records.flatMap(({ status, name }) => (status === 'published' ? [name] : [])));
  const entries = new Map(
    await Promise.all([...names].map(async (name) => [name, await readEntries(dataDirectory, name)] as const)),
  );
  return records.map((record) => {
    const entry = record.status === 'published' ? entryOf(entries.get(record.name) ?? [], record) : undefined;
    return entry === undefined || entry.state === 'published'
      ? record
      : { ...record, status: entry.state, retired_at: entry.since };
  });
}

/** True if the serving index offers it, independent of the record. */
export async function isOffered(dataDirectory: string, record: ArtifactRecord): Promise<boolean> {
  return entryOf(await readEntries(dataDirectory, record.name), record)?.state === 'published';
}

function entryOf(
  entries: readonly IndexEntry[],
  { version_normalized: normalized, reference }: ArtifactRecord,
): IndexEntry | undefined {
  return entries.find((entry) => entry.version_normalized === normalized && entry.reference === reference);
}

/** Rejects with UnusableFile, which names the file if the index of a published package cannot be used. */
async function readEntries(dataDirectory: string, named: string): Promise<readonly IndexEntry[]> {
  const name = named as PackageName;
  const path = `index/${indexPath(name)}` as const;
  const file = await readWhole(join(dataDirectory, path));
  if (file === undefined) {
    const fault = missingIndex(dataDirectory, name, createListedNames(dataDirectory));
    if (fault !== undefined) throw fault;
  }
  return parseRows(file?.bytes, path, (text) => parsePackageIndex(text).versions);
}
