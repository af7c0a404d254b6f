// Reads a ZIP that is ours or was admitted, by its central directory (APPNOTE 4.3.12 to 4.3.16): the list of its files,
// and the bytes of one. Of a file on disk it keeps the directory in memory, and nothing else: a list of 50 000 files
// needs some megabytes. An error's message says what is wrong with "it", the archive; an error of the disk has its
// `syscall`.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { crc32, inflateRawSync } from 'node:zlib';
import { withoutDots } from './safe-paths.ts';

const endBytes = 22;
const locatorBytes = 20;
const centralBytes = 46;
const localBytes = 30;
const max16 = 0xffff;
const max32 = 0xffffffff;
const damaged = 'its directory is damaged';

export interface ZipFile {
  /** as the directory claims */
  readonly size: number;
  readonly crc32: number;
  /** Reads this file only. Throws Error, also for a file that claims more than `maxBytes`; default: any size. */
  readonly read: (maxBytes?: number) => Buffer;
}

/**
 * The files and symlinks by their paths, in the order of the archive. Two of one path must be equal; a folder may be
 * listed more than once. `archive`: its bytes, or an absolute path, which each `read` opens. Throws Error.
 */
export function readZipDirectory(archive: string | Buffer): ReadonlyMap<string, ZipFile> {
  const directory = inArchive(archive, readDirectory);
  const files = new Map<string, ZipFile>();
  for (let at = 0; at < directory.length;) {
    if (at + centralBytes > directory.length || directory.readUInt32LE(at) !== 0x02014b50) throw new Error(damaged);
    const [name, extra, comment] = [28, 30, 32].map((field) => directory.readUInt16LE(at + field)) as Lengths;
    const written = directory.toString('utf8', at + centralBytes, at + centralBytes + name);
    const file = /(?:^|\/)\.?\//.test(written) ? withoutDots(written) : written;
    const entry = at;
    const { size } = numbersAt(directory, at);
    const read = (maxBytes = Infinity): Buffer => {
      if (size > maxBytes) throw new Error(`${file} claims ${size} bytes, and ${maxBytes} may be read`);
      return inArchive(archive, (bytes) => readMember(bytes, directory, entry));
    };
    const former = files.get(file);
    if (former?.read().equals(read()) === false) throw new Error(`it has two contents of ${JSON.stringify(file)}`);
    if (former === undefined && !/[/\\]$/.test(written))
      files.set(file, { size, crc32: directory.readUInt32LE(at + 16), read });
    at += centralBytes + name + extra + comment;
  }
  return files;
}

type Lengths = [name: number, extra: number, comment: number];

/** The bytes of the archive from `start` on. Throws Error if it has fewer. */
type ReadBytes = (start: number, length: number) => Buffer;

function inArchive<Result>(archive: string | Buffer, use: (bytes: ReadBytes, size: number) => Result): Result {
  if (typeof archive !== 'string')
    return use((start, length) => whole(archive.subarray(start, start + length), length), archive.length);
  const descriptor = openSync(archive, 'r');
  try {
    const { size } = fstatSync(descriptor);
    const bytes: ReadBytes = (start, length) => {
      const found = Buffer.alloc(start + length > size ? 0 : length);
      return whole(found.subarray(0, readSync(descriptor, found, 0, found.length, start)), length);
    };
    return use(bytes, size);
  } finally {
    closeSync(descriptor);
  }
}

function whole(bytes: Buffer, length: number): Buffer {
  if (bytes.length < length) throw new Error('it is truncated');
  return bytes;
}

function readDirectory(bytes: ReadBytes, size: number): Buffer {
  const start = Math.max(0, size - endBytes - locatorBytes - max16);
  const last = bytes(start, size - start);
  let at = last.length - endBytes;
  while (
    at >= 0 &&
    (last.readUInt32LE(at) !== 0x06054b50 || at + endBytes + last.readUInt16LE(at + 20) !== last.length)
  )
    at -= 1;
  if (at < 0) throw new Error('it has no end record');
  const [count, length, offset] = [last.readUInt16LE(at + 10), last.readUInt32LE(at + 12), last.readUInt32LE(at + 16)];
  if (count !== max16 && length !== max32 && offset !== max32) return bytes(offset, length);
  if (at < locatorBytes || last.readUInt32LE(at - locatorBytes) !== 0x07064b50)
    throw new Error('it has no ZIP64 end record');
  const large = bytes(Number(last.readBigUInt64LE(at - locatorBytes + 8)), 56);
  return bytes(Number(large.readBigUInt64LE(48)), Number(large.readBigUInt64LE(40)));
}

/** Each number that does not fit into its field stands in the ZIP64 field, in this order (APPNOTE 4.5.3). */
function numbersAt(directory: Buffer, at: number) {
  const extraStart = at + centralBytes + directory.readUInt16LE(at + 28);
  const extraEnd = extraStart + directory.readUInt16LE(at + 30);
  let field = extraStart;
  while (field + 4 <= extraEnd && directory.readUInt16LE(field) !== 1) field += 4 + directory.readUInt16LE(field + 2);
  let next = field + 4;
  const [size, compressedSize, offset] = [24, 20, 42].map((place) => {
    const number = directory.readUInt32LE(at + place);
    if (number !== max32) return number;
    next += 8;
    if (next > extraEnd) throw new Error(damaged);
    return Number(directory.readBigUInt64LE(next - 8));
  }) as [number, number, number];
  return { size, compressedSize, offset };
}

function readMember(bytes: ReadBytes, directory: Buffer, at: number): Buffer {
  const { size, compressedSize, offset } = numbersAt(directory, at);
  const [flags, method] = [directory.readUInt16LE(at + 8), directory.readUInt16LE(at + 10)];
  if ((flags & 1) === 1 || (method !== 0 && method !== 8))
    throw new Error('a file in it is encrypted or packed unusually');
  const header = bytes(offset, localBytes);
  if (header.readUInt32LE(0) !== 0x04034b50) throw new Error('a file in it is not where its directory says');
  const start = offset + localBytes + header.readUInt16LE(26) + header.readUInt16LE(28);
  const packed = bytes(start, compressedSize);
  const content = method === 0 ? packed : inflateRawSync(packed, { maxOutputLength: Math.max(1, size) });
  if (content.length !== size || crc32(content) !== directory.readUInt32LE(at + 16))
    throw new Error('a file in it does not have the bytes that its directory says');
  return content;
}
