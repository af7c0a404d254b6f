// Tells the state of uploaded artifacts in the published tree. A record says what happened to the artifact itself. Its
// version can also be withdrawn by hand, undone by a rollback, or come back; the record does not change then.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { indexPath } from '../../build/contract/paths.ts';
import type { PackageName } from '../../build/contract/name.ts';
import { parsePackageIndex, type IndexEntry } from '../../build/contract/serving-index.ts';
import type { ArtifactRecord } from './artifact.ts';

/** The same records; of those that are not offered any more, with that and since when. `dataDirectory`: absolute. */
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

/** Whether it is offered, by the serving index, whatever the record says. */
export async function isOffered(dataDirectory: string, record: ArtifactRecord): Promise<boolean> {
  return entryOf(await readEntries(dataDirectory, record.name), record)?.state === 'published';
}

function entryOf(
  entries: readonly IndexEntry[],
  { version_normalized: normalized, reference }: ArtifactRecord,
): IndexEntry | undefined {
  return entries.find((entry) => entry.version_normalized === normalized && entry.reference === reference);
}

async function readEntries(dataDirectory: string, name: string): Promise<readonly IndexEntry[]> {
  try {
    return parsePackageIndex(await readFile(join(dataDirectory, 'index', indexPath(name as PackageName)), 'utf8'))
      .versions;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
