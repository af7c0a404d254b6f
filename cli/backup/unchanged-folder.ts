// Copies from a data folder while the folder is unchanged. It holds the lock of builds or, on a disk that takes no lock
// file, compares the files afterwards. Such a disk takes no build either, and its registry must be saved from it all
// the more.

import { stat } from 'node:fs/promises';
import { join } from 'node:path';

import { waitForLock, type WaitOptions } from '../../build/output/wait-for-lock.ts';
import { storageFaultOf } from '../../build/contract/storage-fault.ts';
import { buildLock, readLockStatus } from '../../build/output/lock.ts';
import { BuildBusy } from '../../build/contract/refusals.ts';

export interface CopyOptions {
  readonly now: () => Date;
  /** how long to wait for a running build */
  readonly waitMs: number;
  readonly progress?: WaitOptions['progress'];
  /** relative paths of the files to copy */
  readonly list: () => Promise<readonly string[]>;
}

/**
 * Writes no file on a full or read-only disk. Throws BuildBusy if a build is running, or the folder changed during the
 * copy.
 */
export async function copyUnchanged<Copied>(
  data: string,
  { now, waitMs, progress, list }: CopyOptions,
  copy: () => Promise<Copied>,
): Promise<Copied> {
  const path = join(data, 'build', 'lock');
  const lock = await waitForLock(path, now, waitMs, { progress }).catch((error: unknown) =>
    storageFaultOf(error) === undefined ? Promise.reject(error) : undefined,
  );
  if (lock !== undefined) return copy().finally(() => lock.release());
  await refuseBuild(path, now());
  const before = await stampsOf(data, await list());
  const copied = await copy();
  await refuseBuild(path, now());
  if (before !== (await stampsOf(data, await list())))
    throw new BuildBusy(`${data} has changed while it was copied. Try again.`);
  return copied;
}

async function refuseBuild(path: string, now: Date): Promise<void> {
  const seen = await readLockStatus(path, now, buildLock.staleAfterMs);
  if (seen !== undefined && !seen.stale) throw buildLock.busy(path, undefined, seen.local);
}

/** Equal for equal files: this program replaces its files and never overwrites their bytes. */
async function stampsOf(data: string, paths: readonly string[]): Promise<string> {
  const rows: string[] = [];
  for (const path of paths) {
    const facts = await stat(join(data, path), { bigint: true }).catch(() => undefined);
    rows.push(`${path} ${facts?.ino} ${facts?.size} ${facts?.mtimeNs} ${facts?.ctimeNs}`);
  }
  return rows.join('\n');
}
