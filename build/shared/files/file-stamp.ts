// Detects a changed file without reading it. The builder replaces files by rename, so new content has a new inode, and
// one document never gets the same mtime twice.

import { statSync, type BigIntStats } from 'node:fs';
import { isFileFault } from './unusable-file.ts';

export interface FileStamp {
  readonly mtimeNs: bigint;
  readonly size: bigint;
  readonly inode: bigint;
}

export function fileStampOf(stats: BigIntStats): FileStamp {
  return { mtimeNs: stats.mtimeNs, size: stats.size, inode: stats.ino };
}

export function sameStamp(a: FileStamp | undefined, b: FileStamp | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.mtimeNs === b.mtimeNs && a.inode === b.inode && a.size === b.size;
}

/** The stamp of a file that the system refuses to stat. No real file has this stamp. */
const refused: FileStamp = { mtimeNs: -1n, size: -1n, inode: -1n };

/**
 * Undefined if there is no such file. If the system refuses the stat, reading the file throws the reason. A look takes
 * a few microseconds, less than a round trip through the thread pool.
 */
export function stampFile(path: string): FileStamp | undefined {
  try {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
    return stats?.isFile() === true ? fileStampOf(stats) : undefined;
  } catch (error) {
    if (isAbsence(error)) return undefined;
    if (isFileFault(error)) return refused;
    throw error;
  }
}

/** Equal for equal stamps. */
export function stampText(path: string): string | undefined {
  const stamp = stampFile(path);
  return stamp === undefined ? undefined : `${stamp.mtimeNs} ${stamp.inode} ${stamp.size}`;
}

/** True also for a path that cannot exist: a part of it is a file, or it exceeds the system's limit. */
export function isAbsence(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG' || code === 'EISDIR';
}
