// Makes a folder and those above it, one level at a time. Node's own recursive mkdir loops forever if a file system
// answers ENOENT to a mkdir below an existing folder, as /proc does.

import { mkdir, rmdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode, isMissing, StorageError, withPath } from './storage-error.ts';

/** Resolves with the folders it made, the outermost first. Throws StorageError. */
export async function makeFolder(path: string, mode?: number): Promise<readonly string[]> {
  if (await isFolder(path)) return [];
  const parent = dirname(path);
  const above = parent === path ? [] : await makeFolder(parent, mode);
  try {
    await mkdir(path, { mode });
    return [...above, path];
  } catch (error) {
    // another process was faster, or a file or a dangling link has the name
    if (errorCode(error) === 'EEXIST' && (await isFolder(path))) return above;
    if (errorCode(error) === 'EEXIST')
      throw new StorageError(
        path,
        new Error('a file or a broken symbolic link is in the place of a folder', {
          cause: error,
        }),
      );
    if (isMissing(error))
      throw new StorageError(path, new Error('no folder can be made here. Name a place on a disk', { cause: error }));
    throw new StorageError(path, error);
  }
}

async function isFolder(path: string): Promise<boolean> {
  const facts = await withPath(
    path,
    stat(path).catch((error: unknown) => (isMissing(error) ? undefined : Promise.reject(error))),
  );
  return facts?.isDirectory() ?? false;
}

/** Removes those of `folders` that are empty. `folders`: as makeFolder gives them. */
export async function removeEmptyFolders(folders: readonly string[]): Promise<void> {
  for (const folder of folders.toReversed()) {
    try {
      await rmdir(folder);
    } catch {
      return; // the folder has entries, and so do the folders above it
    }
  }
}
