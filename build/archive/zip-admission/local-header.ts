// Reads the local header before an entry's data and the data descriptor behind the data. Some unpackers trust these
// records, others the central directory. Both must agree; otherwise two clients could unpack two different packages
// from one file.

import type { ForwardReader } from './forward-reader.ts';
import { checkExtraFields, parseExtraFields, zip64Field } from './extra-fields.ts';
import { encryptedFlags, type ZipMember } from './zip-member.ts';
import { unreadableEntry, unsafeEntry } from './zip-refusals.ts';

const signature = 0x04034b50;
const fixedBytes = 30;
const descriptorSignature = 0x08074b50;
const nameIsUtf8 = 0x0800;
const hasDescriptor = 0x0008;
const max32 = 0xffffffff;

export interface LocalHeader {
  /** the true sizes and checksum follow the data */
  readonly descriptor: boolean;
  /** checksum and sizes are in this header already */
  readonly complete: boolean;
}

interface Sums {
  readonly crc32: number;
  readonly compressedSize: number;
  readonly size: number;
}

/** Reads up to the first byte of the data (APPNOTE 4.3.7). Throws QuarantineError if header and directory differ. */
export function readLocalHeader(reader: ForwardReader, member: ZipMember): LocalHeader {
  const fixed = Buffer.from(reader.take(fixedBytes));
  if (fixed.readUInt32LE(0) !== signature)
    throw unreadableEntry(member.path, 'does not begin where the directory says');
  const flags = fixed.readUInt16LE(6);
  const name = Buffer.from(reader.take(fixed.readUInt16LE(26)));
  const extraFields = parseExtraFields(Buffer.from(reader.take(fixed.readUInt16LE(28))), member.path);
  if (!name.equals(member.nameBytes))
    throw unsafeEntry(
      member.path,
      `is called ${JSON.stringify(name.subarray(0, 200).toString('utf8'))} in its own header and otherwise in ` +
        'the directory',
    );
  checkExtraFields(extraFields, name, member.path);
  if (((flags ^ member.flags) & (encryptedFlags | nameIsUtf8)) !== 0 || fixed.readUInt16LE(8) !== member.method)
    throw mismatch(member);
  const sums = sumsOf(fixed, zip64Field(extraFields), member);
  const descriptor = (flags & hasDescriptor) !== 0;
  const complete = isSame(sums, member);
  // 0 is allowed if a descriptor follows
  const open = (found: number, claimed: number): boolean => found === claimed || found === 0;
  if (
    !complete &&
    !(
      descriptor &&
      open(sums.crc32, member.crc32) &&
      open(sums.compressedSize, member.compressedSize) &&
      open(sums.size, member.size)
    )
  )
    throw mismatch(member);
  return { descriptor, complete };
}

/** APPNOTE 4.5.3: of a local header, the ZIP64 field has both sizes. */
function sumsOf(fixed: Buffer, zip64: Buffer | undefined, member: ZipMember): Sums {
  const [compressedSize, size] = [fixed.readUInt32LE(18), fixed.readUInt32LE(22)];
  const crc32 = fixed.readUInt32LE(14);
  if (compressedSize !== max32 && size !== max32) return { crc32, compressedSize, size };
  if (zip64 === undefined || zip64.length < 16) throw mismatch(member);
  return {
    crc32,
    compressedSize: compressedSize === max32 ? Number(zip64.readBigUInt64LE(8)) : compressedSize,
    size: size === max32 ? Number(zip64.readBigUInt64LE(0)) : size,
  };
}

function isSame(sums: Sums, member: Sums): boolean {
  return sums.crc32 === member.crc32 && sums.compressedSize === member.compressedSize && sums.size === member.size;
}

function mismatch(member: ZipMember): Error {
  return unsafeEntry(member.path, 'has a header that differs from the directory');
}

/**
 * Reads the `gap` bytes between the data and the next entry: a data descriptor (APPNOTE 4.3.9; its signature is
 * optional, its sizes have 4 or 8 bytes) or none. Throws QuarantineError for anything else.
 */
export function readDescriptor(reader: ForwardReader, gap: number, header: LocalHeader, member: ZipMember): void {
  if (gap === 0 && (!header.descriptor || header.complete)) return;
  if (!header.descriptor || ![12, 16, 20, 24].includes(gap))
    throw unsafeEntry(member.path, 'is followed by bytes that belong to no entry');
  const bytes = Buffer.from(reader.take(gap));
  const body = gap % 8 === 0 ? bytes.subarray(4) : bytes;
  if (body !== bytes && bytes.readUInt32LE(0) !== descriptorSignature) throw mismatch(member);
  const wide = body.length === 20;
  const sums: Sums = {
    crc32: body.readUInt32LE(0),
    compressedSize: wide ? Number(body.readBigUInt64LE(4)) : body.readUInt32LE(4),
    size: wide ? Number(body.readBigUInt64LE(12)) : body.readUInt32LE(8),
  };
  if (!isSame(sums, member)) throw mismatch(member);
}
