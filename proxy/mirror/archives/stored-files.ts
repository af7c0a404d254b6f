// The files of the mirror that another registry needs to serve the same packages without their upstreams: accepted
// archives with their records, the documents of the packages, and what upstreams last listed about them.

import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { PackageName } from '../../../build/contract/name.ts';
import { partialSuffix } from '../../../build/shared/files/atomic-file.ts';
import { AcceptedArchiveStore, entriesIn } from './accepted-archive-store.ts';
import { archivePath } from './accepted-package.ts';
import { archiveKey, recordKeys, type ArchiveRecord } from './archive-record.ts';
import { filesBelow, mirroredNames } from './mirror-inventory.ts';

/** `path`: below the folder of the mirror. */
export interface StoredFile {
  readonly path: string;
  /** absolute */
  readonly from: string;
  /** epoch seconds: when a document was last checked */
  readonly modified?: number;
}

export interface WantedFiles {
  /** undefined: everything that is stored */
  readonly wants: ((record: ArchiveRecord) => boolean) | undefined;
  /** packages whose documents are needed although they have no archive, such as metapackages */
  readonly names?: ReadonlySet<string>;
  /** true for an archive that the receiver does not have */
  readonly isNew: (record: ArchiveRecord) => boolean;
}

/** Rejects with UnreadableRecord. `folder`: of the mirror. */
export async function storedFiles(
  folder: string,
  { wants, names = new Set(), isNew }: WantedFiles,
): Promise<readonly StoredFile[]> {
  const store = new AcceptedArchiveStore(folder, 0);
  const paths = new Map<string, string>();
  const take = (path: string, from = path): unknown => paths.set(path, join(folder, from));
  const documented = new Set<string>(names);
  for await (const name of mirroredNames(folder)) {
    const records = (await store.records(name)).filter((record) => wants?.(record) ?? true);
    if (records.length > 0) documented.add(name);
    const present = new Set(await entriesIn(join(folder, 'dist', name)));
    for (const record of records) {
      const own = `${archiveKey(record)}.json`;
      const stored = recordKeys(record).map((key) => `${key}.json`);
      take(join('dist', name, own), join('dist', name, stored.find((file) => present.has(file)) ?? own));
      if (isNew(record)) take(archivePath(name, record.shasum));
    }
  }
  for await (const path of filesBelow(folder, 'lists'))
    if (path.endsWith('.json') && documented.has(path.slice('lists/'.length, -'.json'.length))) take(path);
  for await (const path of filesBelow(folder, 'p2'))
    if (!path.endsWith(partialSuffix) && (wants === undefined ? true : isOfAny(path, documented))) take(path);
  return Promise.all([...paths].map(([path, from]) => withTime(path, from)));
}

async function withTime(path: string, from: string): Promise<StoredFile> {
  if (path.startsWith('dist/')) return { path, from };
  return { path, from, modified: Math.floor((await stat(from)).mtimeMs / 1000) };
}

/** `p2/<registry>/p2/<name>.json`, and what an upstream has beside the documents of its packages. */
function isOfAny(path: string, names: ReadonlySet<string>): boolean {
  const [, , kind, ...rest] = path.split('/');
  if (names.size === 0) return false;
  return kind !== 'p2' || names.has(rest.join('/').replace(/(?:~dev)?\.json$/, '') as PackageName);
}
