// Reads a stored ZIP by its central directory (APPNOTE 4.3.12 to 4.3.16): the list of its files, and the bytes of one.
// Keeps the directory in memory, and nothing else: a list of 50 000 files needs some megabytes. An error's message says
// what is wrong with "it", the archive; an error of the disk has its `syscall`.

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

/**
 * The files and symlinks by their paths, in the order of the archive. Two of one path must be equal. `size` and `crc32`
 * are what the directory claims; `read` opens the archive, and reads this file only. `path` is absolute. Throws Error.
 */
export function readZipDirectory(path: string) {
  const directory = inFile(path, readDirectory);
  const files = new Map<string, { readonly size: number; readonly crc32: number; readonly read: () => Buffer }>();
  for (let at = 0; at < directory.length;) {
    if (at + centralBytes > directory.length || directory.readUInt32LE(at) !== 0x02014b50) throw new Error(damaged);
    const [name, extra, comment] = [28, 30, 32].map((field) => directory.readUInt16LE(at + field)) as Lengths;
    const written = directory.toString('utf8', at + centralBytes, at + centralBytes + name);
    const file = /(?:^|\/)\.?\//.test(written) ? withoutDots(written) : written;
    const entry = at;
    const read = (): Buffer => inFile(path, (descriptor) => readMember(descriptor, directory, entry));
    const { size } = numbersAt(directory, at);
    const former = files.get(file);
    if (former?.read().equals(read()) === false) throw new Error(`it has two contents of ${JSON.stringify(file)}`);
    if (former === undefined && !/[/\\]$/.test(written))
      files.set(file, { size, crc32: directory.readUInt32LE(at + 16), read });
    at += centralBytes + name + extra + comment;
  }
  return files;
}

type Lengths = [name: number, extra: number, comment: number];

function inFile<Result>(path: string, use: (descriptor: number, size: number) => Result): Result {
  const descriptor = openSync(path, 'r');
  try {
    return use(descriptor, fstatSync(descriptor).size);
  } finally {
    closeSync(descriptor);
  }
}

function readDirectory(descriptor: number, size: number): Buffer {
  const start = Math.max(0, size - endBytes - locatorBytes - max16);
  const last = readBytes(descriptor, start, size - start);
  let at = last.length - endBytes;
  while (
    at >= 0 &&
    (last.readUInt32LE(at) !== 0x06054b50 || at + endBytes + last.readUInt16LE(at + 20) !== last.length)
  )
    at -= 1;
  if (at < 0) throw new Error('it has no end record');
  const [count, length, offset] = [last.readUInt16LE(at + 10), last.readUInt32LE(at + 12), last.readUInt32LE(at + 16)];
  if (count !== max16 && length !== max32 && offset !== max32) return readBytes(descriptor, offset, length);
  if (at < locatorBytes || last.readUInt32LE(at - locatorBytes) !== 0x07064b50)
    throw new Error('it has no ZIP64 end record');
  const large = readBytes(descriptor, Number(last.readBigUInt64LE(at - locatorBytes + 8)), 56);
  return readBytes(descriptor, Number(large.readBigUInt64LE(48)), Number(large.readBigUInt64LE(40)));
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

function readMember(descriptor: number, directory: Buffer, at: number): Buffer {
  const { size, compressedSize, offset } = numbersAt(directory, at);
  const [flags, method] = [directory.readUInt16LE(at + 8), directory.readUInt16LE(at + 10)];
  if ((flags & 1) === 1 || (method !== 0 && method !== 8))
    throw new Error('a file in it is encrypted or packed unusually');
  const header = readBytes(descriptor, offset, localBytes);
  if (header.readUInt32LE(0) !== 0x04034b50) throw new Error('a file in it is not where its directory says');
  const start = offset + localBytes + header.readUInt16LE(26) + header.readUInt16LE(28);
  const packed = readBytes(descriptor, start, compressedSize);
  const bytes = method === 0 ? packed : inflateRawSync(packed, { maxOutputLength: Math.max(1, size) });
  if (bytes.length !== size || crc32(bytes) !== directory.readUInt32LE(at + 16))
    throw new Error('a file in it does not have the bytes that its directory says');
  return bytes;
}

function readBytes(descriptor: number, start: number, length: number): Buffer {
  if (start + length > fstatSync(descriptor).size) throw new Error('it is truncated');
  const bytes = Buffer.alloc(length);
  if (readSync(descriptor, bytes, 0, length, start) < length) throw new Error('it is truncated');
  return bytes;
}
