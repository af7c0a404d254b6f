// Writes ZIPs byte by byte, so that a test can falsify any of their numbers. Everything else is as an ordinary tool
// writes it.

import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipNumbers {
  readonly name: Buffer;
  readonly extra: Buffer;
  readonly flags: number;
  readonly method: number;
  readonly crc32: number;
  readonly compressedSize: number;
  readonly size: number;
}

export interface CentralNumbers extends ZipNumbers {
  readonly madeBy: number;
  readonly attributes: number;
  readonly offset: number;
}

export interface EntrySpec {
  readonly name: string | Buffer;
  readonly data?: string | Buffer;
  /** stored instead of deflated */
  readonly stored?: boolean;
  /** Unix mode; default: 0100644, and 040755 for a name with a slash at its end */
  readonly mode?: number;
  /** the bytes in the archive, instead of the deflated `data` */
  readonly packed?: Buffer;
  readonly both?: Partial<ZipNumbers>;
  readonly local?: Partial<ZipNumbers>;
  readonly central?: Partial<CentralNumbers>;
  /** follows the data */
  readonly descriptor?: Buffer;
  /** has no bytes of its own: only the directory lists it */
  readonly listedOnly?: boolean;
  /** has bytes, but the directory does not list it */
  readonly unlisted?: boolean;
}

export interface ZipSpec {
  readonly before?: Buffer;
  readonly between?: Buffer;
  readonly beforeEnd?: Buffer;
  /** a ZIP64 end record, with true numbers except for these; `at`: where its locator finds it */
  readonly zip64?: {
    readonly entries?: number;
    readonly length?: number;
    readonly offset?: number;
    readonly at?: number;
  };
  readonly after?: Buffer;
  readonly comment?: Buffer;
  readonly end?: {
    readonly disk?: number;
    readonly here?: number;
    readonly entries?: number;
    readonly length?: number;
    readonly offset?: number;
  };
  /** offsets count from the end of `before`, as in a self-extracting archive with unadjusted offsets */
  readonly unadjusted?: boolean;
}

export function zipOf(entries: readonly EntrySpec[], { before = Buffer.alloc(0), ...spec }: ZipSpec = {}): Buffer {
  const parts: Buffer[] = [before];
  const directory: Buffer[] = [];
  let offset = before.length;
  const add = (part: Buffer): void => {
    parts.push(part);
    offset += part.length;
  };
  for (const entry of entries) {
    const packed = packedOf(entry);
    const numbers = { ...numbersOf(entry, packed), ...entry.both };
    if (entry.unlisted !== true)
      directory.push(
        centralHeader({
          ...numbers,
          madeBy: (3 << 8) | 30,
          attributes: modeOf(entry) * 0x10000,
          offset: offset - (spec.unadjusted === true ? before.length : 0),
          ...entry.central,
        }),
      );
    if (entry.listedOnly === true) continue;
    add(localHeader({ ...numbers, ...entry.local }));
    add(packed);
    add(entry.descriptor ?? Buffer.alloc(0));
  }
  add(spec.between ?? Buffer.alloc(0));
  const start = offset - (spec.unadjusted === true ? before.length : 0);
  return Buffer.concat([...parts, ...endOf(directory, { start, at: offset }, spec)]);
}

/** The directory and all after it. */
function endOf(
  directory: readonly Buffer[],
  { start, at }: { readonly start: number; readonly at: number },
  spec: Omit<ZipSpec, 'before'>,
): Buffer[] {
  const listed = Buffer.concat(directory);
  const beforeEnd = spec.beforeEnd ?? Buffer.alloc(0);
  const counted = { entries: directory.length, length: listed.length, offset: start };
  return [
    listed,
    beforeEnd,
    ...(spec.zip64 === undefined
      ? []
      : [largeEnd({ ...counted, at: at + listed.length + beforeEnd.length, ...spec.zip64 })]),
    endRecord({ disk: 0, here: directory.length, ...counted, ...spec.end }, spec.comment ?? Buffer.alloc(0)),
    spec.after ?? Buffer.alloc(0),
  ];
}

/** One field of an extra block. */
export function extraField(id: number, data: Buffer): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt16LE(id, 0);
  head.writeUInt16LE(data.length, 2);
  return Buffer.concat([head, data]);
}

/** Little-endian 64-bit numbers. */
export function wide(...numbers: readonly number[]): Buffer {
  const bytes = Buffer.alloc(8 * numbers.length);
  for (const [index, number] of numbers.entries()) bytes.writeBigUInt64LE(BigInt(number), index * 8);
  return bytes;
}

/** Little-endian 32-bit numbers. */
export function words(...numbers: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * numbers.length);
  for (const [index, number] of numbers.entries()) bytes.writeUInt32LE(number, index * 4);
  return bytes;
}

/** The numbers that an ordinary tool writes for this entry. */
export function numbersOf(entry: EntrySpec, packed = packedOf(entry)): ZipNumbers {
  const data = dataOf(entry);
  return {
    name: Buffer.from(entry.name),
    extra: Buffer.alloc(0),
    flags: 0x0800,
    method: entry.stored === true || data.length === 0 ? 0 : 8,
    crc32: crc32(data),
    compressedSize: packed.length,
    size: data.length,
  };
}

function dataOf({ data = '' }: EntrySpec): Buffer {
  return typeof data === 'string' ? Buffer.from(data) : data;
}

function packedOf(entry: EntrySpec): Buffer {
  const data = dataOf(entry);
  return entry.packed ?? (entry.stored === true || data.length === 0 ? data : deflateRawSync(data));
}

function modeOf({ name, mode }: EntrySpec): number {
  return mode ?? (name.toString().endsWith('/') ? 0o040755 : 0o100644);
}

function localHeader(numbers: ZipNumbers): Buffer {
  return Buffer.concat([words(0x04034b50), shorts(20), common(numbers), numbers.name, numbers.extra]);
}

function centralHeader(numbers: CentralNumbers): Buffer {
  const { madeBy, attributes, offset, name, extra } = numbers;
  return Buffer.concat([
    words(0x02014b50),
    shorts(madeBy, 20),
    common(numbers),
    shorts(0, 0, 0),
    words(attributes, offset),
    name,
    extra,
  ]);
}

function common({ flags, method, crc32: sum, compressedSize, size, name, extra }: ZipNumbers): Buffer {
  return Buffer.concat([
    shorts(flags, method, 0, 0x21),
    words(sum, compressedSize, size),
    shorts(name.length, extra.length),
  ]);
}

function largeEnd({ entries, length, offset, at }: Required<NonNullable<ZipSpec['zip64']>>): Buffer {
  const record = [words(0x06064b50), wide(44), shorts(45, 45), words(0, 0), wide(entries, entries, length, offset)];
  return Buffer.concat([...record, words(0x07064b50, 0), wide(at), words(1)]);
}

function endRecord(end: Required<NonNullable<ZipSpec['end']>>, comment: Buffer): Buffer {
  return Buffer.concat([
    words(0x06054b50),
    shorts(end.disk, end.disk, end.here, end.entries),
    words(end.length, end.offset),
    shorts(comment.length),
    comment,
  ]);
}

function shorts(...numbers: readonly number[]): Buffer {
  const bytes = Buffer.alloc(2 * numbers.length);
  for (const [index, number] of numbers.entries()) bytes.writeUInt16LE(number, index * 2);
  return bytes;
}
