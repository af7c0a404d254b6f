// Removes the mirror's files of purged versions: archives and their records. It also removes the documents of the
// package, which are requested again. A missing file counts as removed.

import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { providerPath } from '../../../build/contract/paths.ts';
import type { PurgedVersion } from '../../../build/contract/purged.ts';
import { isDevVersion } from '../../../build/contract/version.ts';
import { isAbsence } from '../../../build/shared/files/file-stamp.ts';
import { syncFolder } from '../../../build/shared/files/sync-folder.ts';
import { archivePath } from './accepted-package.ts';
import { archiveKey, recordKeys, type ArchiveRecord } from './archive-record.ts';
import { AcceptedArchiveStore, entriesIn } from './accepted-archive-store.ts';

/** The mirror's copies that these tombstones purge. `folder`: of the mirror. */
export async function purgedCopies(folder: string, rows: readonly PurgedVersion[]): Promise<readonly ArchiveRecord[]> {
  const archiveStore = new AcceptedArchiveStore(folder, 0);
  const copies: ArchiveRecord[] = [];
  for (const name of new Set(rows.map((row) => row.name))) {
    const mine = rows.filter((row) => row.name === name);
    const { records } = await archiveStore.inspect(name);
    copies.push(...records.filter((record) => mine.some((row) => isOf(row, record))));
  }
  return copies;
}

/** `folder`: the mirror's folder. The removal survives a loss of power. */
export async function removePurged(folder: string, rows: readonly PurgedVersion[]): Promise<void> {
  const archiveStore = new AcceptedArchiveStore(folder, 0);
  for (const name of new Set(rows.map((row) => row.name))) {
    const mine = rows.filter((row) => row.name === name);
    const { records } = await archiveStore.inspect(name);
    const gone = records.filter((record) => mine.some((row) => isOf(row, record)));
    if (gone.length === 0 && mine.every(({ source }) => source !== null)) continue;
    const touched = new Set<string>();
    const remove = async (path: string): Promise<void> => {
      await rm(path, { force: true });
      touched.add(dirname(path));
    };
    const others = records.filter((record) => !gone.includes(record));
    const staying = new Set(others.flatMap((record) => [record.shasum, archiveKey(record)]));
    for (const record of gone) {
      if (!staying.has(record.shasum)) await remove(join(folder, archivePath(name, record.shasum)));
      for (const key of recordKeys(record))
        if (!staying.has(key)) await remove(join(folder, 'dist', name, `${key}.json`));
    }
    for (const registry of await entriesIn(join(folder, 'p2'))) {
      await remove(join(folder, 'p2', registry, providerPath(name, 'stable')));
      await remove(join(folder, 'p2', registry, providerPath(name, 'dev')));
    }
    for (const path of touched) await syncFolder(path).catch(unlessAbsent);
  }
}

function unlessAbsent(error: unknown): void {
  if (!isAbsence(error)) throw error;
}

/**
 * A release matches by its label, because it has one content; a dev version by its reference; both also by their bytes.
 */
function isOf(row: PurgedVersion, { normalized, reference, shasum }: ArchiveRecord): boolean {
  const isLabel = row.version_normalized === normalized && (!isDevVersion(normalized) || row.reference === reference);
  return isLabel || row.sha1 === shasum || (row.reference !== '' && row.reference === reference);
}
