// Opens a new archive from its end, as any unpacker does. The contents must match the record of the archive.

import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { inflateRawSync } from 'node:zlib';
import { isJsonObject, type JsonObject } from '../contract/json.ts';
import { StorageError } from '../output/storage-error.ts';
import { QuarantineError } from '../contract/quarantine.ts';

export interface ExpectedArchive {
  /** the top folder of all files */
  readonly topFolder: string;
  /** the composer.json from which the record is made */
  readonly composerJson: JsonObject;
  /** true: the composer.json may have another name */
  readonly mayNameAnother: boolean;
  /** false: its rules leave composer.json out, and then none may be there */
  readonly hasComposerJson: boolean;
  /** the attributes for which git changed its composer.json */
  readonly changedBy?: string | undefined;
}

interface CompressedMember {
  readonly method: number;
  readonly compressedSize: number;
  readonly offset: number;
}

/**
 * Throws QuarantineError ARCHIVE_MISMATCH for an archive that does not open, or that has files outside its top folder.
 * The same error reports a composer.json with another package or version. Throws StorageError if the archive cannot be
 * read. Reads its directory and its composer.json, of any size.
 */
export function checkArchive(
  path: string,
  { topFolder, composerJson, mayNameAnother, hasComposerJson, changedBy }: ExpectedArchive,
): void {
  const inside = readStored(path, (descriptor, size) => {
    const member = findMember(readDirectory(descriptor, size), topFolder, 'composer.json');
    return member === undefined ? undefined : readMember(descriptor, member);
  });
  if (!hasComposerJson && inside === undefined) return;
  if (!hasComposerJson) throw mismatch('it has a composer.json, which its rules leave out');
  if (inside === undefined) throw mismatch('it has no composer.json');
  const json = parse(inside, changedBy);
  for (const field of ['name', 'version'] as const) {
    if ((field === 'version' || !mayNameAnother) && json[field] !== composerJson[field])
      throw mismatch(
        `its composer.json has the ${field} ${JSON.stringify(json[field])}, its record was made of ` +
          `${JSON.stringify(composerJson[field])}`,
        { changedBy },
      );
  }
}

function readStored<Result>(path: string, use: (descriptor: number, size: number) => Result): Result {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, 'r');
    return use(descriptor, statSync(path).size);
  } catch (error) {
    throw error instanceof Error && 'syscall' in error ? new StorageError(path, error) : error;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function parse(bytes: Buffer, changedBy: string | undefined): JsonObject {
  try {
    const json: unknown = JSON.parse(bytes.toString('utf8'));
    if (isJsonObject(json)) return json;
  } catch (cause) {
    throw mismatch('its composer.json is not JSON', { cause, changedBy });
  }
  throw mismatch('its composer.json is not an object');
}

const endBytes = 22;
const locatorBytes = 20;
const centralBytes = 46;
const localBytes = 30;
const max16 = 0xffff;
const max32 = 0xffffffff;

/**
 * The central directory (APPNOTE 4.3.12 to 4.3.16). Archives of this program have no comment behind their end record.
 */
function readDirectory(descriptor: number, size: number): Buffer {
  const end = readRange(descriptor, size - endBytes - locatorBytes, endBytes + locatorBytes);
  if (end.readUInt32LE(locatorBytes) !== 0x06054b50) throw mismatch('it has no end record');
  const [count, length, offset] = [
    end.readUInt16LE(locatorBytes + 10),
    end.readUInt32LE(locatorBytes + 12),
    end.readUInt32LE(locatorBytes + 16),
  ];
  if (count !== max16 && length !== max32 && offset !== max32) return readRange(descriptor, offset, length);
  if (end.readUInt32LE(0) !== 0x07064b50) throw mismatch('it has no ZIP64 end record');
  const large = readRange(descriptor, Number(end.readBigUInt64LE(8)), 56);
  return readRange(descriptor, Number(large.readBigUInt64LE(48)), Number(large.readBigUInt64LE(40)));
}

/** The member at this path below the top folder; all others must be in that folder too. */
function findMember(directory: Buffer, topFolder: string, path: string): CompressedMember | undefined {
  const folder = Buffer.from(`${topFolder}/`);
  const wanted = Buffer.from(`${topFolder}/${path}`);
  let found: CompressedMember | undefined;
  for (let at = 0; at < directory.length;) {
    if (at + centralBytes > directory.length || directory.readUInt32LE(at) !== 0x02014b50)
      throw mismatch('its directory is damaged');
    const [nameLength, extraLength] = [directory.readUInt16LE(at + 28), directory.readUInt16LE(at + 30)];
    const name = directory.subarray(at + centralBytes, at + centralBytes + nameLength);
    if (name.length <= folder.length || name.compare(folder, 0, folder.length, 0, folder.length) !== 0)
      throw mismatch(`${JSON.stringify(name.toString('utf8'))} lies beside its top folder ${topFolder}`);
    if (name.equals(wanted)) found = memberAt(directory, at, nameLength, extraLength);
    at += centralBytes + nameLength + extraLength + directory.readUInt16LE(at + 32);
  }
  return found;
}

function memberAt(directory: Buffer, at: number, nameLength: number, extraLength: number): CompressedMember {
  const offset = directory.readUInt32LE(at + 42);
  const extra = directory.subarray(at + centralBytes + nameLength, at + centralBytes + nameLength + extraLength);
  return {
    method: directory.readUInt16LE(at + 10),
    compressedSize: directory.readUInt32LE(at + 20),
    offset: offset === max32 ? largeOffset(extra) : offset,
  };
}

/** For a composer.json only the offset can need 64 bits, so it is the only number in the field (APPNOTE 4.5.3). */
function largeOffset(extra: Buffer): number {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) === 0x0001 && at + 12 <= extra.length) return Number(extra.readBigUInt64LE(at + 4));
  }
  throw mismatch('its composer.json lies nowhere');
}

function readMember(descriptor: number, { method, compressedSize, offset }: CompressedMember): Buffer {
  const header = readRange(descriptor, offset, localBytes);
  if (header.readUInt32LE(0) !== 0x04034b50) throw mismatch('its composer.json is not where its directory says');
  const bytes = readRange(
    descriptor,
    offset + localBytes + header.readUInt16LE(26) + header.readUInt16LE(28),
    compressedSize,
  );
  try {
    return method === 0 ? bytes : inflateRawSync(bytes);
  } catch (cause) {
    throw mismatch('its composer.json cannot be inflated', { cause });
  }
}

function readRange(descriptor: number, start: number, length: number): Buffer {
  const bytes = Buffer.alloc(Math.max(0, length));
  for (let filled = 0; filled < bytes.length;) {
    const count = start < 0 ? 0 : readSync(descriptor, bytes, filled, bytes.length - filled, start + filled);
    if (count === 0) throw mismatch('it is truncated');
    filled += count;
  }
  return bytes;
}

function mismatch(
  what: string,
  { cause, changedBy }: { readonly cause?: unknown; readonly changedBy?: string | undefined } = {},
): QuarantineError {
  const remedy =
    changedBy === undefined
      ? 'Build again; if that does not help, the disk may be failing.'
      : `.gitattributes gives composer.json the attribute ${changedBy}, which changes its bytes. Exempt composer.json.`;
  const message = `The new archive cannot be published: ${what}. ${remedy}`;
  return new QuarantineError('ARCHIVE_MISMATCH', message, cause === undefined ? {} : { cause });
}
