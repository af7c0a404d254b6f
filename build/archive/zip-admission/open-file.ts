// Opens a file that others may be replacing, and proves afterwards that it was one and the same while it was read.
// Never waits on a FIFO.

import { createHash } from 'node:crypto';
import { closeSync, fstatSync, readSync } from 'node:fs';
import { describeFault } from '../../files/file-fault.ts';
import { stampOf, touchedAt } from '../../files/file-stamp.ts';
import { createPause } from '../../files/pause.ts';
import { changedWhileRead, openRegular, unreadable } from '../../files/read-file.ts';
import { unreadableArchive } from './zip-refusals.ts';

export interface OpenedFile {
  readonly size: number;
  /** equal as long as the file is (file-stamp.ts) */
  readonly stamp: string;
  /** epoch milliseconds */
  readonly touched: number;
}

/**
 * Throws QuarantineError UNREADABLE_FILE for a path that is no regular file, cannot be read, or changes while `use`
 * reads it.
 */
export async function withOpenFile<Result>(
  path: string,
  use: (descriptor: number, look: OpenedFile) => Promise<Result>,
): Promise<Result> {
  const descriptor = openRegular(path);
  try {
    const look = fileState(descriptor, path);
    const checkUnchanged = (): void => {
      if (fileState(descriptor, path).stamp !== look.stamp) throw changedWhileRead(path);
    };
    // if the file is being replaced, that fact explains more than any fault inside it
    const result = await use(descriptor, look).finally(checkUnchanged);
    return result;
  } catch (error) {
    throw error instanceof Error && 'syscall' in error
      ? unreadable(path, `cannot be read: ${describeFault(error)}`, error)
      : error;
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Reads all `size` bytes from the beginning, chunk by chunk. A chunk is valid until the next one. Throws
 * QuarantineError ARCHIVE_UNREADABLE.
 */
export async function readThrough(descriptor: number, size: number, take: (piece: Buffer) => void): Promise<void> {
  const pause = createPause();
  const window = Buffer.allocUnsafe(Math.max(1, Math.min(size, 1024 * 1024)));
  for (let position = 0; position < size;) {
    const count = readSync(descriptor, window, 0, Math.min(window.length, size - position), position);
    if (count === 0) throw unreadableArchive('became shorter while it was being read');
    take(window.subarray(0, count));
    position += count;
    await pause(count);
  }
}

/** Of the file's bytes, hex. Throws QuarantineError as `withOpenFile` and `readThrough`. */
export async function sha1Of(path: string): Promise<string> {
  const hash = createHash('sha1');
  await withOpenFile(path, (descriptor, { size }) => readThrough(descriptor, size, (piece) => void hash.update(piece)));
  return hash.digest('hex');
}

function fileState(descriptor: number, path: string): OpenedFile {
  const stats = fstatSync(descriptor, { bigint: true });
  if (!stats.isFile()) throw unreadable(path, 'is not a regular file');
  return { size: Number(stats.size), stamp: stampOf(stats), touched: touchedAt(stats) };
}
