// Computes the bytes of a ZIP around its contents: offsets, headers, directory and end records. Equal inputs give
// equal bytes. Pure. Folders have no entries: unzip, ZipArchive and Composer create the folders of a file themselves,
// and a package contains no empty folders.

// The time an entry carries, in the two forms a ZIP has for it.

/** Ready to be written: the extra field's seconds since 1970, and the DOS field's two 16-bit numbers. */
interface ZipTime {
  readonly unixTime: number;
  readonly dosDate: number;
  readonly dosTime: number;
}

const dayMs = 86_400_000;
const firstDos = Date.UTC(1980, 0, 1);
const lastDos = Date.UTC(2107, 11, 31, 23, 59, 58);

/**
 * The time for both fields: epoch seconds in UTC for the extra field, and the DOS field, which has no zone and
 * two-second steps. The DOS time is a day earlier. PHP's opcache does not cache a file from the future, and a reader
 * east of Greenwich may interpret the field as local time.
 */
function zipTimeOf(time: number): ZipTime {
  const dos = new Date(Math.min(lastDos, Math.max(firstDos, time * 1000 - dayMs)));
  return {
    unixTime: Math.min(0x7fffffff, Math.max(0, Math.trunc(time))),
    dosDate: ((dos.getUTCFullYear() - 1980) << 9) | ((dos.getUTCMonth() + 1) << 5) | dos.getUTCDate(),
    dosTime: (dos.getUTCHours() << 11) | (dos.getUTCMinutes() << 5) | (dos.getUTCSeconds() >> 1),
  };
}

// The records of a ZIP (PKWARE APPNOTE 6.3), each written into a buffer that has room for it. No data descriptors: all
// sizes are known beforehand. ZIP64 fields are written only for a number that does not fit.

export interface ZipEntry {
  /** below the top folder; entries come sorted */
  readonly path: string;
  readonly mode: 'file' | 'executable' | 'symlink';
  readonly crc32: number;
  /** bytes of the content */
  readonly size: number;
  /** size of its data in the archive, bytes */
  readonly compressedSize: number;
  /** 0 stored, 8 deflated */
  readonly method: 0 | 8;
}

/** Unix modes as in `git archive`, independent of the umask. */
const unixMode = { file: 0o100644, executable: 0o100755, symlink: 0o120777 } as const;

const madeByUnix = (3 << 8) | 30;
const versionForDeflate = 20;
const versionForZip64 = 45;
const nameIsUtf8 = 0x0800;
const max16 = 0xffff;
const max32 = 0xffffffff;
const localBytes = 30;
const centralBytes = 46;
const timeExtraBytes = 9;
const endBytes = 22;
const end64Bytes = 56 + 20;

/** A path in the archive with its length in UTF-8. */
interface ZipName {
  readonly text: string;
  readonly bytes: number;
}

interface HeaderParts {
  readonly entry: ZipEntry;
  readonly name: ZipName;
  readonly time: ZipTime;
}

function localHeaderLength(entry: ZipEntry, name: ZipName): number {
  return localBytes + name.bytes + timeExtraBytes + (hasLargeSize(entry) ? 20 : 0);
}

/** APPNOTE 4.3.7. Returns the end offset, as all of these functions do. */
function writeLocalHeader(out: Buffer, start: number, parts: HeaderParts): number {
  const { entry, name, time } = parts;
  const large = hasLargeSize(entry);
  out.writeUInt32LE(0x04034b50, start);
  writeCommon(out, start + 4, parts, large);
  out.writeUInt16LE(timeExtraBytes + (large ? 20 : 0), start + 28);
  let cursor = start + localBytes + out.write(name.text, start + localBytes);
  cursor = writeTimeExtra(out, cursor, time);
  return large ? writeZip64Extra(out, cursor, [entry.size, entry.compressedSize]) : cursor;
}

/** `offset` is the position of the entry's local header. */
function centralHeaderLength(entry: ZipEntry, name: ZipName, offset: number): number {
  const numbers = zip64Numbers(entry, offset).length;
  return centralBytes + name.bytes + timeExtraBytes + (numbers === 0 ? 0 : 4 + numbers * 8);
}

/** APPNOTE 4.3.12 */
function writeCentralHeader(out: Buffer, start: number, parts: HeaderParts & { readonly offset: number }): number {
  const { entry, name, time, offset } = parts;
  const numbers = zip64Numbers(entry, offset);
  out.writeUInt32LE(0x02014b50, start);
  out.writeUInt16LE(madeByUnix, start + 4);
  writeCommon(out, start + 6, parts, numbers.length > 0);
  out.writeUInt16LE(centralHeaderLength(entry, name, offset) - centralBytes - name.bytes, start + 30);
  out.writeUInt32LE(unixMode[entry.mode] * 0x10000, start + 38);
  out.writeUInt32LE(Math.min(offset, max32), start + 42);
  let cursor = start + centralBytes + out.write(name.text, start + centralBytes);
  cursor = writeTimeExtra(out, cursor, time);
  return numbers.length === 0 ? cursor : writeZip64Extra(out, cursor, numbers);
}

/** From `version needed` to `file name length`: the 24 bytes both headers share. */
function writeCommon(out: Buffer, start: number, { entry, name, time }: HeaderParts, zip64: boolean): void {
  const large = hasLargeSize(entry);
  out.writeUInt16LE(zip64 ? versionForZip64 : versionForDeflate, start);
  out.writeUInt16LE(name.bytes === name.text.length ? 0 : nameIsUtf8, start + 2);
  out.writeUInt16LE(entry.method, start + 4);
  out.writeUInt16LE(time.dosTime, start + 6);
  out.writeUInt16LE(time.dosDate, start + 8);
  out.writeUInt32LE(entry.crc32, start + 10);
  out.writeUInt32LE(large ? max32 : entry.compressedSize, start + 14);
  out.writeUInt32LE(large ? max32 : entry.size, start + 18);
  out.writeUInt16LE(name.bytes, start + 22);
}

/** Info-ZIP's extended timestamp (extrafld.txt, 0x5455): the modification time in UTC, alike in both headers. */
function writeTimeExtra(out: Buffer, start: number, time: ZipTime): number {
  out.writeUInt16LE(0x5455, start);
  out.writeUInt16LE(timeExtraBytes - 4, start + 2);
  out.writeUInt8(1, start + 4);
  out.writeInt32LE(time.unixTime, start + 5);
  return start + timeExtraBytes;
}

/** APPNOTE 4.5.3 */
function writeZip64Extra(out: Buffer, start: number, numbers: readonly number[]): number {
  out.writeUInt16LE(0x0001, start);
  out.writeUInt16LE(numbers.length * 8, start + 2);
  for (const [index, number] of numbers.entries()) out.writeBigUInt64LE(BigInt(number), start + 4 + index * 8);
  return start + 4 + numbers.length * 8;
}

/**
 * The numbers of a central header that do not fit into 32 bits, in the order of the ZIP64 field. Both sizes go
 * together, as in the local header.
 */
function zip64Numbers(entry: ZipEntry, offset: number): readonly number[] {
  if (offset < max32 && !hasLargeSize(entry)) return none;
  return [...(hasLargeSize(entry) ? [entry.size, entry.compressedSize] : []), ...(offset >= max32 ? [offset] : [])];
}

const none: readonly number[] = [];

function hasLargeSize(entry: ZipEntry): boolean {
  return entry.size >= max32 || entry.compressedSize >= max32;
}

interface ZipEnd {
  readonly count: number;
  readonly directoryLength: number;
  readonly directoryOffset: number;
}

function endLength(end: ZipEnd): number {
  return endBytes + (needsEnd64(end) ? end64Bytes : 0);
}

/** The end record, behind the ZIP64 one and its locator if they are needed (APPNOTE 4.3.14 to 4.3.16). */
function writeEnd(out: Buffer, start: number, end: ZipEnd): void {
  const large = needsEnd64(end);
  const last = large ? writeEnd64(out, start, end) : start;
  out.writeUInt32LE(0x06054b50, last);
  out.writeUInt16LE(large ? max16 : end.count, last + 8);
  out.writeUInt16LE(large ? max16 : end.count, last + 10);
  out.writeUInt32LE(large ? max32 : end.directoryLength, last + 12);
  out.writeUInt32LE(large ? max32 : end.directoryOffset, last + 16);
}

function writeEnd64(out: Buffer, start: number, { count, directoryLength, directoryOffset }: ZipEnd): number {
  out.writeUInt32LE(0x06064b50, start);
  out.writeBigUInt64LE(44n, start + 4);
  out.writeUInt16LE(madeByUnix, start + 12);
  out.writeUInt16LE(versionForZip64, start + 14);
  for (const [index, number] of [count, count, directoryLength, directoryOffset].entries())
    out.writeBigUInt64LE(BigInt(number), start + 24 + index * 8);
  out.writeUInt32LE(0x07064b50, start + 56);
  out.writeBigUInt64LE(BigInt(start + directoryOffset), start + 64);
  out.writeUInt32LE(1, start + 72);
  return start + end64Bytes;
}

function needsEnd64({ count, directoryLength, directoryOffset }: ZipEnd): boolean {
  return count >= max16 || directoryLength >= max32 || directoryOffset >= max32;
}

export interface ZipLayout {
  /** all local headers in sequence; the header of entry n precedes its content */
  readonly localHeaders: Uint8Array;
  /** the end of entry n's local header in `localHeaders` */
  readonly headerEnds: readonly number[];
  /** central directory and end records: the bytes behind the last content */
  readonly tail: Uint8Array;
  /** bytes of the whole archive */
  readonly size: number;
}

interface Placed {
  readonly entry: ZipEntry;
  readonly name: ZipName;
  /** offset of its local header in the archive */
  readonly offset: number;
}

/**
 * Lays `entries` out in the order given. `time` is epoch seconds, and every entry carries it; `topFolder` is one path
 * segment, or `''` for entries at the top.
 */
export function layoutZip(
  entries: readonly ZipEntry[],
  options: { readonly topFolder: string; readonly time: number },
): ZipLayout {
  const time = zipTimeOf(options.time);
  const placed: Placed[] = [];
  const headerEnds: number[] = [];
  let headersLength = 0;
  let directoryOffset = 0;
  let directoryLength = 0;
  for (const entry of entries) {
    const text = options.topFolder === '' ? entry.path : `${options.topFolder}/${entry.path}`;
    const name = { text, bytes: Buffer.byteLength(text) };
    const headerLength = localHeaderLength(entry, name);
    placed.push({ entry, name, offset: directoryOffset });
    headersLength += headerLength;
    headerEnds.push(headersLength);
    directoryLength += centralHeaderLength(entry, name, directoryOffset);
    directoryOffset += headerLength + entry.compressedSize;
  }
  const localHeaders = Buffer.alloc(headersLength);
  const end = { count: entries.length, directoryLength, directoryOffset };
  const tail = Buffer.alloc(directoryLength + endLength(end));
  let local = 0;
  let central = 0;
  for (const { entry, name, offset } of placed) {
    local = writeLocalHeader(localHeaders, local, { entry, name, time });
    central = writeCentralHeader(tail, central, { entry, name, time, offset });
  }
  writeEnd(tail, central, end);
  return { localHeaders, headerEnds, tail, size: directoryOffset + tail.length };
}
