// The metadata of a file that the file system returns without a read. Two equal stamps mean an unchanged file, with one
// exception. A file that changed shortly before its first stamp may change again within the same clock tick ("racily
// clean" in git's terms).

import type { BigIntStats } from 'node:fs';

/**
 * Size, mtime and ctime in nanoseconds, mode and inode. Every write and rename changes ctime, and no user can set it
 * back.
 */
export function stampOf(stats: BigIntStats): string {
  return `${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}:${stats.mode}:${stats.ino}`;
}

/** True if both have the same stamp. */
export function isSameStamp(one: BigIntStats, other: BigIntStats): boolean {
  return (
    one.size === other.size &&
    one.mtimeNs === other.mtimeNs &&
    one.ctimeNs === other.ctimeNs &&
    one.mode === other.mode &&
    one.ino === other.ino
  );
}

/** When the file last changed in content, name or mode, epoch milliseconds; in the future after a wrong clock. */
export function touchedAt(stats: BigIntStats): number {
  return Number((stats.mtimeNs > stats.ctimeNs ? stats.mtimeNs : stats.ctimeNs) / 1_000_000n);
}

/** The coarsest clock of a file system still in use (FAT keeps even seconds). */
const clockGrainMs = 2000;

/**
 * True if a stamp of a scan that started at `scanStart` proves an unchanged file at the next scan. Both are epoch
 * milliseconds.
 */
export function isSettled(touched: number, scanStart: number): boolean {
  return touched < scanStart - clockGrainMs;
}
