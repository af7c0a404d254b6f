// Compares the files of two archives by path, size and CRC. Pure.

import { compareText } from '../../build/shared/text/compare-text.ts';
import type { InnerFiles } from './look-inside.ts';

export interface ComparedFile {
  readonly path: string;
  /** `same`: equal size and CRC */
  readonly state: 'added' | 'removed' | 'changed' | 'same';
  /** bytes; null: the version has no such file */
  readonly before: number | null;
  readonly after: number | null;
}

export interface ComparedFiles {
  readonly kind: 'files';
  /** sorted by path; a page stays small enough for a phone */
  readonly rows: readonly ComparedFile[];
  /** number of files that differ, and of all */
  readonly differing: number;
  readonly total: number;
  /** bytes of all files, unpacked */
  readonly bytes_before: number;
  readonly bytes_after: number;
}

const mostRows = 500;

/** `showsAll`: equal files are listed, too. */
export function compareFiles(before: InnerFiles, after: InnerFiles, showsAll: boolean): ComparedFiles {
  const paths = [...new Set([...before.keys(), ...after.keys()])];
  const all = paths.map((path) => compared(path, before, after));
  const differing = all.filter(({ state }) => state !== 'same');
  return {
    kind: 'files',
    rows: (showsAll ? all : differing).toSorted((a, b) => compareText(a.path, b.path)).slice(0, mostRows),
    differing: differing.length,
    total: all.length,
    bytes_before: all.reduce((sum, file) => sum + (file.before ?? 0), 0),
    bytes_after: all.reduce((sum, file) => sum + (file.after ?? 0), 0),
  };
}

function compared(path: string, before: InnerFiles, after: InnerFiles): ComparedFile {
  const [old, now] = [before.get(path), after.get(path)];
  const isSame = old?.size === now?.size && old?.crc32 === now?.crc32;
  const state = old === undefined ? 'added' : now === undefined ? 'removed' : isSame ? 'same' : 'changed';
  return { path, state, before: old?.size ?? null, after: now?.size ?? null };
}
