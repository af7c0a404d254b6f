// Removes what the mirror keeps of purged versions: archives and their records, and the documents of the package, which are asked for anew. What is gone
// already counts as done.

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { providerPath } from '../../build/contract/paths.ts';
import type { PurgedVersion } from '../../build/contract/purged.ts';
import { isDevVersion } from '../../build/contract/version.ts';
import { archivePath } from './accepted-package.ts';
import { archiveKey, type ArchiveRecord } from './archive-record.ts';
import { ArchiveShelf, entriesIn } from './archive-shelf.ts';

/** `folder`: of the mirror. */
export async function removePurged(folder: string, rows: readonly PurgedVersion[]): Promise<void> {
  const shelf = new ArchiveShelf(folder, 0);
  for (const name of new Set(rows.map((row) => row.name))) {
    const mine = rows.filter((row) => row.name === name);
    const { records } = await shelf.inspect(name);
    const gone = records.filter((record) => mine.some((row) => isOf(row, record)));
    if (gone.length === 0 && mine.every(({ source }) => source !== null)) continue;
    const staying = new Set(records.filter((record) => !gone.includes(record)).map(({ shasum }) => shasum));
    for (const { normalized, dev, reference, shasum } of gone) {
      if (!staying.has(shasum)) await rm(join(folder, archivePath(name, shasum)), { force: true });
      await rm(join(folder, 'dist', name, `${archiveKey(normalized, dev, reference)}.json`), { force: true });
    }
    for (const registry of await entriesIn(join(folder, 'p2'))) {
      for (const stability of ['stable', 'dev'] as const) await rm(join(folder, 'p2', registry, providerPath(name, stability)), { force: true });
    }
  }
}

/** Of a release the label alone counts, as it has one content; of a dev version the reference; of either the bytes. */
function isOf(row: PurgedVersion, { normalized, reference, shasum }: ArchiveRecord): boolean {
  const isLabel = row.version_normalized === normalized && (!isDevVersion(normalized) || row.reference === reference);
  return isLabel || row.sha1 === shasum || (row.reference !== '' && row.reference === reference);
}
