// Reads regular files that others may be changing, and never waits on a FIFO or a device. Whoever gets bytes from here gets one state of the
// file: its stamp is the same before and after, or a QuarantineError UNREADABLE_FILE names the file.

import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync, type BigIntStats } from 'node:fs';
import { QuarantineError } from '../quarantine.ts';
import { describeFault } from './file-fault.ts';
import { stampOf } from './file-stamp.ts';
import { costOfFile, type Pause } from './pause.ts';

const chunkBytes = 1024 * 1024;

/** Lower-case hex SHA-256 of the file, which must still have this stamp. */
export async function hashFile(path: string, stamp: string, pause: Pause): Promise<string> {
  const hash = createHash('sha256');
  await readStable(path, stamp, pause, (chunk) => hash.update(chunk));
  return hash.digest('hex');
}

/** All bytes of the file. With a stamp it must still have that one; files of more than `maxBytes` are refused before they are read. */
export async function readWhole(path: string, options: { readonly stamp?: string; readonly maxBytes: number }, pause: Pause): Promise<Buffer> {
  let whole = Buffer.alloc(0);
  let filled = 0;
  await readStable(path, options.stamp, pause, (chunk) => void (filled += chunk.copy(whole, filled)), (stats) => {
    if (stats.size > options.maxBytes) throw unreadable(path, `is larger than ${options.maxBytes} bytes`);
    whole = Buffer.allocUnsafe(Number(stats.size));
  });
  return whole;
}

/** That the file became another one between two looks at it. */
export function changedWhileRead(path: string): QuarantineError {
  return unreadable(path, 'changed while it was being read. Build again when nothing writes to it');
}

async function readStable(path: string, stamp: string | undefined, pause: Pause, take: (chunk: Buffer) => void, begin?: (stats: BigIntStats) => void): Promise<void> {
  const descriptor = openRegular(path);
  try {
    const before = fstatSync(descriptor, { bigint: true });
    if (!before.isFile()) throw unreadable(path, 'is not a regular file');
    if (stamp !== undefined && stampOf(before) !== stamp) throw changedWhileRead(path);
    begin?.(before);
    await readTo(descriptor, Number(before.size), path, pause, take);
    if (stampOf(fstatSync(descriptor, { bigint: true })) !== stampOf(before)) throw changedWhileRead(path);
  } catch (error) {
    throw error instanceof QuarantineError ? error : unreadable(path, `cannot be read: ${describeFault(error)}`, error);
  } finally {
    closeSync(descriptor);
  }
}

async function readTo(descriptor: number, size: number, path: string, pause: Pause, take: (chunk: Buffer) => void): Promise<void> {
  const chunk = Buffer.allocUnsafe(Math.min(chunkBytes, size));
  let read = 0;
  while (read < size) {
    const count = readSync(descriptor, chunk, 0, Math.min(chunk.length, size - read), read);
    if (count === 0) throw changedWhileRead(path);
    take(chunk.subarray(0, count));
    read += count;
    await pause(count);
  }
  await pause(costOfFile);
}

/** A symlink in its last place is not followed; a FIFO without a writer opens at once and is then refused. */
function openRegular(path: string): number {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    throw unreadable(path, `cannot be read: ${describeFault(error)}`, error);
  }
}

function unreadable(path: string, what: string, cause?: unknown): QuarantineError {
  return new QuarantineError('UNREADABLE_FILE', `${path} ${what}.`, cause === undefined ? {} : { cause });
}
