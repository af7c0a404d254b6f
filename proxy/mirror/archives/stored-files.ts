// The files of the mirror that another registry needs to serve the same packages without their upstreams: accepted
// archives with their records, the documents of the packages, and what upstreams last listed about them.

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { partialSuffix } from '../../../build/shared/files/atomic-file.ts';
import { AcceptedArchiveStore, entriesIn } from './accepted-archive-store.ts';
import { archivePath } from './accepted-package.ts';
import { archiveKey, recordKeys, type ArchiveRecord } from './archive-record.ts';
import { filesBelow, mirroredNames } from './mirror-inventory.ts';

/** The key of a packages.json that was made for what one token sees. */
export const cutMark = 'libretto-view';

/** `path`: below the folder of the mirror. `from`: absolute. `modified`: when a document was last checked. */
export interface StoredFile {
  readonly path: string;
  readonly from: string;
  /** epoch seconds */
  readonly modified?: number;
}

export interface WantedFiles {
  /** undefined: everything that is stored */
  readonly wants: ((record: ArchiveRecord) => boolean | Promise<boolean>) | undefined;
  /** packages whose documents are wanted; undefined: all */
  readonly names: ReadonlySet<string> | undefined;
  /** true for an archive that the receiver does not have */
  readonly isNew: (record: ArchiveRecord) => boolean;
}

/** Rejects with UnreadableRecord. `folder`: of the mirror. */
export async function storedFiles(
  folder: string,
  { wants, names, isNew }: WantedFiles,
): Promise<readonly StoredFile[]> {
  const store = new AcceptedArchiveStore(folder, 0);
  const files = new Map<string, StoredFile>();
  for await (const name of mirroredNames(folder)) {
    const present = await entriesIn(join(folder, 'dist', name));
    for (const record of await store.records(name)) {
      if ((await wants?.(record)) === false || !present.includes(`${record.shasum}.zip`)) continue;
      const own = archiveKey(record);
      const stored = recordKeys(record).find((key) => present.includes(`${key}.json`)) ?? own;
      const path = join('dist', name, `${own}.json`);
      files.set(path, { path, from: join(folder, 'dist', name, `${stored}.json`) });
      const archive = archivePath(name, record.shasum);
      if (isNew(record)) files.set(archive, { path: archive, from: join(folder, archive) });
    }
  }
  for (const kind of ['lists', 'p2'])
    for await (const path of filesBelow(folder, kind)) {
      const from = join(folder, path);
      if (path.endsWith(partialSuffix) || !isWanted(path, names)) continue;
      files.set(path, { path, from, modified: Math.floor(statSync(from).mtimeMs / 1000) });
    }
  return [...files.values()];
}

/** The documents that an upstream has beside those of its packages belong to all of them. */
function isWanted(path: string, names: ReadonlySet<string> | undefined): boolean {
  const name = /^(?:lists|p2\/[^/]+\/p2)\/(.+?)(?:~dev)?\.json$/.exec(path)?.[1];
  return names === undefined || (name === undefined ? names.size > 0 : names.has(name));
}
