// Finds what a working copy changed since it was made: the files to upload, and the removed paths.

import { kindOf, objectKeyOf, type ListedFile, type ListedPath } from '../contract/store-listing.ts';
import { runBatch } from '../shared/concurrency/batch.ts';
import { digestsOf, listLocalFiles, type LocalFile } from './local-files.ts';
import { changedArchives } from '../listing/working-copy-files.ts';
import { isUnchanged, type StoreBase, type WorkingCopy } from './working-copy.ts';

export interface LocalChanges {
  /** new contents on this disk */
  readonly files: ReadonlyMap<ListedPath, ListedFile>;
  /** archives with the bytes of others that the store has */
  readonly aliases: ReadonlyMap<ListedPath, ListedFile>;
  readonly removed: readonly ListedPath[];
}

const readsAtOnce = 4;

export async function findChanges(copy: WorkingCopy, { listing }: StoreBase): Promise<LocalChanges> {
  const local = listLocalFiles(copy.dataDirectory);
  const known = await listing.all('documents');
  const files = new Map<ListedPath, ListedFile>();
  const examine = async (file: LocalFile, listed: ListedFile | undefined): Promise<void> => {
    const found = await describe(copy, file);
    if (found.sha256 !== listed?.sha256 || (isDated(file.path) && found.modified !== listed.modified))
      files.set(file.path, found);
  };
  const documents = local.documents.filter((file) => !isUnchanged(file, known.get(file.path)));
  await runBatch(documents, readsAtOnce, (file) => examine(file, known.get(file.path)));
  await runBatch(local.archives, readsAtOnce, async (file) => examine(file, await listing.file(file.path)));
  const here = new Set([...local.documents, ...local.archives].map(({ path }) => path));
  const changed = [...changedArchives(copy.dataDirectory)].filter(([path]) => !here.has(path));
  const aliases = new Map<ListedPath, ListedFile>();
  for (const [path, from] of changed) {
    const file = from === null ? undefined : await listing.file(from);
    if (from !== null && file !== undefined) aliases.set(path, { ...file, key: objectKeyOf(from, file) });
  }
  const gone = changed.flatMap(([path]) => (aliases.has(path) ? [] : [path]));
  return { files, aliases, removed: [...[...known.keys()].filter((path) => !here.has(path)), ...gone] };
}

/** Static hosts send the time of a document. */
function isDated(path: ListedPath): boolean {
  return path.startsWith('public/') && kindOf(path) === 'documents';
}

async function describe(copy: WorkingCopy, { path, size, modified }: LocalFile): Promise<ListedFile> {
  const { sha256, sha1 } = await digestsOf(copy.at(path));
  return { sha256, size, modified: Math.floor(modified), ...(kindOf(path) === 'archives' ? { sha1 } : {}) };
}
