// Checks the free disk space before a restore. LMDB maps its files into memory, so a full disk would end the process
// without a message.

import { stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';

import { UsageError } from '../io/usage-error.ts';
import type { BackupFile } from './backup-record.ts';

/** For folders, the lock of the state, and the audit event of the restore. */
const spareBytes = 1024 * 1024;
const mebibyte = 1024 * 1024;

/**
 * `data` exists. Throws UsageError, caused by ENOSPC if its disk has too little room. A disk that reports no size is
 * not judged.
 */
export async function refuseLackOfRoom(files: readonly BackupFile[], directory: string, data: string): Promise<void> {
  const { blocks, bavail, bsize } = await statfs(data);
  if (blocks === 0) return;
  const needed = (await bytesOnDisk(files, directory, bsize)) + spareBytes;
  const free = bavail * bsize;
  if (free >= needed) return;
  const [lacking, wanted, left] = [needed - free, needed, free].map(
    (bytes) => `${(Math.ceil((bytes / mebibyte) * 100) / 100).toFixed(2)} MiB`,
  );
  throw new UsageError(
    `The disk of ${data} has too little room. The backup needs ${wanted}, and ${left} are free. Nothing was ` +
      `restored. Free ${lacking} there, and restore again. A whole backup fits on another disk, too: name its folder with --data.`,
    // counts as a full disk (storage-fault.ts)
    { cause: Object.assign(new Error('the disk has too little room'), { code: 'ENOSPC' }) },
  );
}

/** Names of one file count once: they stay names of one file. */
async function bytesOnDisk(files: readonly BackupFile[], directory: string, blockBytes: number): Promise<number> {
  const seen = new Set<string>();
  let bytes = 0;
  for (const { path, size } of files) {
    const { dev, ino } = await stat(join(directory, path), { bigint: true });
    const file = `${dev} ${ino}`;
    if (!seen.has(file)) bytes += Math.ceil(size / blockBytes) * blockBytes;
    seen.add(file);
  }
  return bytes;
}
