// Reads regular files that other processes may change, and never waits on a FIFO or a device. The result is one state
// of the file. The stamps before and after the read are equal; otherwise a QuarantineError UNREADABLE_FILE names the
// file.

import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { QuarantineError } from '../contract/quarantine.ts';
import { describeFault } from './file-fault.ts';
import { isSameStamp, stampOf } from './file-stamp.ts';
import { costOfFile, type Pause } from './pause.ts';

const chunkBytes = 1024 * 1024;

/** Lower-case hex SHA-256 of the file, which must still have this stamp. */
export async function hashStableFile(path: string, stamp: string, pause: Pause): Promise<string> {
  const hash = createHash('sha256');
  await readStable(path, stamp, async (descriptor, size) => {
    const chunk = Buffer.allocUnsafe(Math.min(chunkBytes, size));
    for (let read = 0; read < size;) {
      const count = readSome({ descriptor, path }, chunk, {
        at: 0,
        count: Math.min(chunk.length, size - read),
        from: read,
      });
      hash.update(chunk.subarray(0, count));
      read += count;
      await pause(count);
    }
  });
  await pause(costOfFile);
  return hash.digest('hex');
}

/**
 * All bytes of the file. If a stamp is given, the file must still have it. Files of more than `maxBytes` are refused
 * before the read. The bytes are in `into` if it has room.
 */
export async function readUnchanged(
  path: string,
  options: { readonly stamp?: string; readonly maxBytes: number; readonly into?: Buffer },
  pause: Pause,
): Promise<Buffer> {
  let whole: Buffer | undefined;
  await readStable(path, options.stamp, async (descriptor, size) => {
    if (size > options.maxBytes) throw unreadable(path, `is larger than ${options.maxBytes} bytes`);
    whole =
      options.into !== undefined && size <= options.into.length
        ? options.into.subarray(0, size)
        : Buffer.allocUnsafe(size);
    for (let read = 0; read < size;) {
      const count = readSome({ descriptor, path }, whole, {
        at: read,
        count: Math.min(chunkBytes, size - read),
        from: read,
      });
      read += count;
      await pause(count);
    }
  });
  await pause(costOfFile);
  if (whole === undefined) throw new Error('unreachable: a file that was not read is an error');
  return whole;
}

/** The error for a file that changed between two stamps. */
export function changedWhileRead(path: string): QuarantineError {
  return unreadable(path, 'changed while it was being read. Build again when nothing writes to it');
}

async function readStable(
  path: string,
  stamp: string | undefined,
  read: (descriptor: number, size: number) => Promise<void>,
): Promise<void> {
  const descriptor = openRegular(path);
  try {
    const before = fstatSync(descriptor, { bigint: true });
    if (!before.isFile()) throw unreadable(path, 'is not a regular file');
    if (stamp !== undefined && stampOf(before) !== stamp) throw changedWhileRead(path);
    await read(descriptor, Number(before.size));
    if (!isSameStamp(fstatSync(descriptor, { bigint: true }), before)) throw changedWhileRead(path);
  } catch (error) {
    throw error instanceof QuarantineError ? error : unreadable(path, `cannot be read: ${describeFault(error)}`, error);
  } finally {
    closeSync(descriptor);
  }
}

/** Reads at least one byte, `count` at most, from offset `from` of the file to offset `at` of `out`. */
function readSome(
  { descriptor, path }: { readonly descriptor: number; readonly path: string },
  out: Buffer,
  { at, count, from }: { readonly at: number; readonly count: number; readonly from: number },
): number {
  const read = readSync(descriptor, out, at, count, from);
  if (read === 0) throw changedWhileRead(path);
  return read;
}

/**
 * Opens a file for reading. A symlink as the last segment is not followed. A FIFO without a writer opens without
 * waiting; the caller refuses it. Throws QuarantineError UNREADABLE_FILE.
 */
export function openRegular(path: string): number {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    throw unreadable(path, `cannot be read: ${describeFault(error)}`, error);
  }
}

/** `what`: the fault, without a full stop. */
export function unreadable(path: string, what: string, cause?: unknown): QuarantineError {
  return new QuarantineError('UNREADABLE_FILE', `${path} ${what}.`, cause === undefined ? {} : { cause });
}
