// Locates the central directory of a ZIP, and accepts only a file that has exactly one reading. The file has no bytes
// behind its end record, and none between the directory and the end record. ZIP64 records are refused too: some
// unpackers follow them, others do not, and an archive within our limits needs none.

import { readSync } from 'node:fs';
import { unreadableArchive, unsafeArchive } from './zip-refusals.ts';
import type { ZipLimits } from './zip-limits.ts';

export interface CentralDirectory {
  readonly offset: number;
  readonly entries: number;
  readonly length: number;
  /** the file from the directory to its end */
  readonly tail: Buffer;
}

const endSignature = 0x06054b50;
const locatorSignature = 0x07064b50;
const endBytes = 22;
const locatorBytes = 20;
const maxCommentBytes = 0xffff;
/** The marker of a count that is too large for its field: the ZIP64 record has the count. */
const uncounted = 0xffff;
const largeEndSignature = 0x06064b50;
const largeEndBytes = 56;

/** APPNOTE 4.3.16. `size` is the file's. Throws QuarantineError ARCHIVE_UNREADABLE or ARCHIVE_UNSAFE. */
export function readCentralDirectory(descriptor: number, size: number, limits: ZipLimits): CentralDirectory {
  const last = readRange(descriptor, Math.max(0, size - endBytes - locatorBytes - maxCommentBytes), size);
  const end = findEnd(last);
  if (end + endBytes + last.readUInt16LE(end + 20) !== last.length) throw unsafeArchive('has bytes behind its end');
  const [disk, directoryDisk, entriesHere, entries] = [4, 6, 8, 10].map((offset) =>
    last.readUInt16LE(end + offset),
  ) as [number, number, number, number];
  const isZip64 = end >= locatorBytes && last.readUInt32LE(end - locatorBytes) === locatorSignature;
  // checked before the ZIP64 record, which such an archive needs: the message has to name the number of entries
  const counted = isZip64 && entries === uncounted ? largeCount(last, end - locatorBytes) : entries;
  if (counted > limits.entries) throw unsafeArchive(`holds ${counted} entries; the maximum is ${limits.entries}`);
  if (isZip64) {
    throw unsafeArchive(
      'has a ZIP64 end record, which an archive of this size does not need and not every unpacker looks at',
    );
  }
  if (disk !== 0 || directoryDisk !== 0 || entriesHere !== entries) throw unreadableArchive('is one part of several');
  const [length, offset] = [last.readUInt32LE(end + 12), last.readUInt32LE(end + 16)];
  if (length > limits.directoryBytes)
    throw unsafeArchive(`has a directory of ${length} bytes; it may have ${limits.directoryBytes}`);
  const endsAt = size - last.length + end;
  if (offset + length > endsAt)
    throw unreadableArchive('is truncated or damaged: its directory is not at the position in its end record');
  if (offset + length < endsAt)
    throw unsafeArchive('has bytes in front of it, or between its directory and its end, that belong to no entry');
  return { offset, entries, length, tail: readRange(descriptor, offset, size) };
}

/** The number of entries by the ZIP64 end record (APPNOTE 4.3.14), which stands before its locator. */
function largeCount(last: Buffer, locator: number): number {
  const start = locator - largeEndBytes;
  const isThere = start >= 0 && last.readUInt32LE(start) === largeEndSignature;
  return isThere ? Number(last.readBigUInt64LE(start + 32)) : 0;
}

function findEnd(last: Buffer): number {
  for (let at = last.length - endBytes; at >= 0; at -= 1) {
    if (last.readUInt32LE(at) === endSignature) return at;
  }
  throw unreadableArchive('is not a ZIP file, or is truncated: it has no end record');
}

function readRange(descriptor: number, start: number, end: number): Buffer {
  const bytes = Buffer.allocUnsafe(end - start);
  let filled = 0;
  while (filled < bytes.length) {
    const count = readSync(descriptor, bytes, filled, bytes.length - filled, start + filled);
    if (count === 0) throw unreadableArchive('became shorter while it was being read');
    filled += count;
  }
  return bytes;
}
