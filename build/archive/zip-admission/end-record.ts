// Locates the central directory of a ZIP, and accepts only a file that has exactly one reading. The file has no bytes
// behind its end record, and none between the directory and the end record but ZIP64 records, as tools write them that
// cannot know the size beforehand. Some unpackers follow those, others do not: so both must say the same.

import { readSync } from 'node:fs';
import { unreadableArchive, unsafeArchive } from './zip-refusals.ts';
import type { ZipLimits } from './zip-limits.ts';

export interface CentralDirectory {
  readonly offset: number;
  readonly entries: number;
  readonly length: number;
  /** the file from the directory to its end */
  readonly tail: Buffer;
  /** of the end record in `tail`; a ZIP64 record may stand before it */
  readonly end: number;
}

const endSignature = 0x06054b50;
const locatorSignature = 0x07064b50;
const endBytes = 22;
const locatorBytes = 20;
const maxCommentBytes = 0xffff;
/** Each number that does not fit into its field stands in the ZIP64 record: the field has this marker. */
const [max16, max32] = [0xffff, 0xffffffff];
const largeEndSignature = 0x06064b50;
const largeEndBytes = 56;

/** APPNOTE 4.3.16. `size` is the file's. Throws QuarantineError ARCHIVE_UNREADABLE or ARCHIVE_UNSAFE. */
export function readCentralDirectory(descriptor: number, size: number, limits: ZipLimits): CentralDirectory {
  const last = readRange(
    descriptor,
    Math.max(0, size - endBytes - locatorBytes - largeEndBytes - maxCommentBytes),
    size,
  );
  const end = findEnd(last);
  if (end + endBytes + last.readUInt16LE(end + 20) !== last.length) throw unsafeArchive('has bytes behind its end');
  const [disk, directoryDisk, entriesHere, entriesField] = [4, 6, 8, 10].map((field) =>
    last.readUInt16LE(end + field),
  ) as [number, number, number, number];
  const fields = [entriesField, last.readUInt32LE(end + 12), last.readUInt32LE(end + 16)] as const;
  const isZip64 = end >= locatorBytes && last.readUInt32LE(end - locatorBytes) === locatorSignature;
  const large = isZip64 ? readLargeEnd(last, end - locatorBytes, size - last.length) : undefined;
  const [entries, length, offset] = large ?? fields;
  if (entries > limits.entries) throw unsafeArchive(`holds ${entries} entries; the maximum is ${limits.entries}`);
  if (large?.some((number, at) => fields[at] !== number && fields[at] !== (at === 0 ? max16 : max32)) === true)
    throw unsafeArchive('has a ZIP64 end record that differs from its end record');
  if (disk !== 0 || directoryDisk !== 0 || entriesHere !== entriesField)
    throw unreadableArchive('is one part of several');
  if (length > limits.directoryBytes)
    throw unsafeArchive(`has a directory of ${length} bytes; it may have ${limits.directoryBytes}`);
  const endsAt = size - last.length + end - (large === undefined ? 0 : locatorBytes + largeEndBytes);
  if (offset + length > endsAt)
    throw unreadableArchive('is truncated or damaged: its directory is not at the position in its end record');
  if (offset + length < endsAt)
    throw unsafeArchive('has bytes in front of it, or between its directory and its end, that belong to no entry');
  const tail = readRange(descriptor, offset, size);
  return { offset, entries, length, tail, end: tail.length - (last.length - end) };
}

type EndNumbers = readonly [entries: number, length: number, offset: number];

/**
 * The numbers of the ZIP64 end record (APPNOTE 4.3.14), which has to stand right before its locator, without data of
 * its own. `start`: the offset of `last` in the file.
 */
function readLargeEnd(last: Buffer, locator: number, start: number): EndNumbers {
  const at = locator - largeEndBytes;
  const wide = (field: number): number => Number(last.readBigUInt64LE(at + field));
  const isThere =
    at >= 0 &&
    last.readUInt32LE(at) === largeEndSignature &&
    wide(4) === largeEndBytes - 12 &&
    Number(last.readBigUInt64LE(locator + 8)) === start + at;
  if (!isThere) throw unsafeArchive('has a ZIP64 end record that is not where unpackers look for it');
  const disks = [last.readUInt32LE(at + 16), last.readUInt32LE(at + 20), last.readUInt32LE(locator + 4)];
  if (disks.some((disk) => disk !== 0) || last.readUInt32LE(locator + 16) > 1 || wide(24) !== wide(32))
    throw unreadableArchive('is one part of several');
  return [wide(32), wide(40), wide(48)];
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
