// One entry of a foreign ZIP whose name, kind and claimed sizes are valid. Its data is still unread.

import { isUtf8 } from 'node:buffer';
import { QuarantineError } from '../../contract/quarantine.ts';
import { checkFilePath, climbs, isAbsolute, maxPathBytes, withoutDots } from '../safe-paths.ts';
import type { CentralEntry } from './central-entries.ts';
import { checkExtraFields } from './extra-fields.ts';
import type { ZipLimits } from './zip-limits.ts';
import { unreadableEntry, unsafeEntry } from './zip-refusals.ts';

export interface ZipMember extends CentralEntry {
  /** a folder's path has no slash at its end */
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'symlink';
}

/**
 * Bits of the general purpose flag (APPNOTE 4.4.4) that mean encryption, and the one that means a patch to another
 * file.
 */
export const encryptedFlags = 0x0001 | 0x0040 | 0x2000;
const patchFlag = 0x0020;

/** Throws QuarantineError ARCHIVE_UNSAFE or ARCHIVE_UNREADABLE, naming the entry. */
export function zipMember(entry: CentralEntry, limits: ZipLimits): ZipMember {
  const { harmless } = limits;
  const name = decodeName(entry.nameBytes, harmless);
  if (harmless && entry.nameBytes.length > maxPathBytes)
    throw unsafeEntry(name, `has a name of ${entry.nameBytes.length} bytes; it may have ${maxPathBytes}`);
  const path = harmless ? harmlessPath(name) : checkedPath(name);
  checkExtraFields(entry.extraFields, entry.nameBytes, name);
  if ((entry.flags & encryptedFlags) !== 0) throw unreadableEntry(name, 'is encrypted');
  if ((entry.flags & patchFlag) !== 0) throw unreadableEntry(name, 'is a patch to another file');
  if (entry.method !== 0 && entry.method !== 8)
    throw unreadableEntry(name, `is compressed by method ${entry.method}; Libretto reads 0 (stored) and 8 (deflate)`);
  const kind = kindOf(entry, name, harmless);
  checkSize(entry, name, kind, limits);
  return { ...entry, path, kind };
}

/**
 * Unpackers on Linux and macOS write the bytes unchanged, so names have to be UTF-8, with or without the flag. (By the
 * specification, names without the flag are code page 437, which no tool has meant for decades.)
 */
function decodeName(bytes: Buffer, harmless: boolean): string {
  if (harmless && !isUtf8(bytes)) return bytes.toString('latin1');
  if (!isUtf8(bytes)) throw unsafeEntry(bytes.toString('latin1'), 'has a name that is not UTF-8');
  return bytes.toString('utf8');
}

function checkedPath(name: string): string {
  const path = name.endsWith('/') ? name.slice(0, -1) : name;
  try {
    checkFilePath(path);
    return path;
  } catch (error) {
    throw error instanceof QuarantineError
      ? new QuarantineError('ARCHIVE_UNSAFE', error.message, { cause: error })
      : error;
  }
}

/** The path that unpackers make of a name that hurts none of them. `\\` may separate folders, as on Windows. */
function harmlessPath(name: string): string {
  if (isAbsolute(name)) throw unsafeEntry(name, 'is absolute');
  if (climbs(name)) throw unsafeEntry(name, 'has a ".." segment, which leads elsewhere');
  if (name.includes('\0')) throw unsafeEntry(name, 'has a NUL in its name, where some unpackers end it');
  return withoutDots(name);
}

const typeBits = 0o170000;
/** FILE_ATTRIBUTE_REPARSE_POINT of Windows, where the low bits are those of Windows */
const reparsePoint = 0x400;
const unixHost = 3;
const kinds: ReadonlyMap<number, ZipMember['kind']> = new Map([
  [0o100000, 'file'],
  [0o040000, 'folder'],
  [0o120000, 'symlink'],
]);

/** The kind by the Unix mode. Some unpackers obey the mode for archives of any system. */
function kindOf({ attributes, madeBy }: CentralEntry, name: string, harmless: boolean): ZipMember['kind'] {
  if ((attributes & reparsePoint) !== 0 && madeBy >> 8 !== unixHost)
    throw unsafeEntry(name, 'is a reparse point of Windows, which some unpackers make a link of');
  const type = (attributes >>> 16) & typeBits;
  const byName = name.endsWith('/') ? 'folder' : 'file';
  if (type === 0) return byName;
  const kind = kinds.get(type);
  if (kind === undefined) throw unsafeEntry(name, 'is a device, a pipe or a socket');
  if (harmless) return kind === 'symlink' ? kind : byName;
  if ((kind === 'folder') !== (byName === 'folder'))
    throw unsafeEntry(
      name,
      kind === 'folder'
        ? 'is a folder by its mode and a file by its name'
        : `is a ${kind} by its mode and a folder by its name`,
    );
  return kind;
}

function checkSize(
  { size, compressedSize }: CentralEntry,
  name: string,
  kind: ZipMember['kind'],
  limits: ZipLimits,
): void {
  if (kind === 'folder' && size > 0 && !limits.harmless) throw unsafeEntry(name, 'is a folder with content');
  if (kind === 'symlink' && size > limits.linkBytes)
    throw unsafeEntry(name, `is a symlink of ${size} bytes; its target may have ${limits.linkBytes}`);
  if (size > limits.ratioFromBytes && size > limits.ratio * compressedSize)
    throw unsafeEntry(name, `claims to unpack to more than ${limits.ratio} times its size, as a ZIP bomb does`);
}
