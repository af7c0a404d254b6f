// Compares the files of two archives by path, size and CRC. Pure.

import { compareText } from '../../build/shared/text/compare-text.ts';

/** One file or symlink of an archive. */
export interface ArchivedFile {
  /** below the root of the package */
  readonly path: string;
  /** bytes, unpacked */
  readonly size: number;
  readonly crc32: number;
}

export interface ComparedFile {
  readonly path: string;
  /** `same`: equal size and CRC */
  readonly state: 'added' | 'removed' | 'changed' | 'same';
  /** bytes; null: the version has no such file */
  readonly before: number | null;
  readonly after: number | null;
}

export interface ComparedFiles {
  /** sorted by path */
  readonly all: readonly ComparedFile[];
  /** bytes of all files, unpacked */
  readonly bytes_before: number;
  readonly bytes_after: number;
}

export function compareFiles(before: readonly ArchivedFile[], after: readonly ArchivedFile[]): ComparedFiles {
  const [old, now] = [byPath(before), byPath(after)];
  const paths = [...new Set([...old.keys(), ...now.keys()])].toSorted(compareText);
  return {
    all: paths.map((path) => compared(path, old.get(path), now.get(path))),
    bytes_before: bytesOf(before),
    bytes_after: bytesOf(after),
  };
}

function compared(path: string, old: ArchivedFile | undefined, now: ArchivedFile | undefined): ComparedFile {
  return { path, state: stateOf(old, now), before: old?.size ?? null, after: now?.size ?? null };
}

function stateOf(old: ArchivedFile | undefined, now: ArchivedFile | undefined): ComparedFile['state'] {
  if (old === undefined) return 'added';
  if (now === undefined) return 'removed';
  return old.size === now.size && old.crc32 === now.crc32 ? 'same' : 'changed';
}

function byPath(files: readonly ArchivedFile[]): ReadonlyMap<string, ArchivedFile> {
  return new Map(files.map((file) => [file.path, file]));
}

function bytesOf(files: readonly ArchivedFile[]): number {
  return files.reduce((sum, { size }) => sum + size, 0);
}
