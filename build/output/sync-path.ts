// Makes a file, or the names in a folder, safe from a loss of power.

import { close, fsync, open } from 'node:fs';
import { promisify } from 'node:util';
import { withPath } from './storage-error.ts';

const [openFile, syncFile, closeFile] = [promisify(open), promisify(fsync), promisify(close)];

/** On a bare descriptor: a FileHandle costs more than the three calls. Throws StorageError. */
export async function syncPath(path: string): Promise<void> {
  const file = await withPath(path, openFile(path, 'r'));
  try {
    await withPath(path, syncFile(file));
  } finally {
    await closeFile(file);
  }
}
