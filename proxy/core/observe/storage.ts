// Checks the free space of the data folder's disk: for /health, load balancers, metrics and `libretto doctor`. The
// check never writes. A quota is invisible to the check; a write beyond a quota is answered with STORAGE_FULL.

import { access, constants, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { StorageFault } from '../../../build/contract/storage-fault.ts';
import { isAbsence } from '../../../build/shared/files/file-stamp.ts';

export type StorageState = 'ok' | StorageFault;

/**
 * Below this limit almost every write fails: a commit of the state and the smallest publication each take some of it.
 */
export const leastFreeBytes = 4 * 1024 ** 2;

/**
 * Below these limits people are warned: a build or an upload may soon not fit, and below the second hardly one does.
 */
export const scarceBytes = 1024 ** 3;
export const exhaustedBytes = 100 * 1024 ** 2;

/** Health checks are frequent. */
const validMs = 5000;

/** Parts of a data folder that may be on separate disks. */
const parts: readonly string[] = ['.', 'state', 'build', 'artifacts', 'mirror'];

/**
 * The worst of them; parts that are not there are passed over. Rejects with Node's error if a disk cannot be checked.
 */
export async function checkStorage(dataDirectory: string): Promise<StorageState> {
  const found = await Promise.all(parts.map((part) => checkDisk(join(dataDirectory, part))));
  return found.find((state) => state === 'read-only') ?? found.find((state) => state === 'full') ?? 'ok';
}

async function checkDisk(path: string): Promise<StorageState> {
  try {
    await access(path, constants.W_OK);
    const { bavail, bsize, files, ffree } = await statfs(path);
    // a file system without a limit of files reports 0 for both
    return bavail * bsize < leastFreeBytes || (files > 0 && ffree === 0) ? 'full' : 'ok';
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EROFS') return 'read-only';
    // the operation that needs a missing right reports it
    if (isAbsence(error) || (error instanceof Error && 'code' in error && error.code === 'EACCES')) return 'ok';
    throw error;
  }
}

/**
 * Checks at most once in five seconds. A disk that cannot be checked is `read-only`, because it cannot be written
 * either.
 */
export function createStorageWatch(dataDirectory: string, monotonicMs: () => number): () => Promise<StorageState> {
  let known: Promise<StorageState> | undefined;
  let checkedAtMs = Number.NEGATIVE_INFINITY;
  return () => {
    if (known === undefined || monotonicMs() - checkedAtMs > validMs) {
      checkedAtMs = monotonicMs();
      known = checkStorage(dataDirectory).catch(() => 'read-only');
    }
    return known;
  };
}

/** The space of one disk of a data folder. */
export interface DiskSpace {
  /** the folder on this disk: `data`, or a part of the data folder with a disk of its own */
  readonly folder: string;
  /** false: the disk is full or read-only, or cannot be checked */
  readonly acceptsWrites: boolean;
  /** undefined: the disk cannot be checked */
  readonly bytes: { readonly available: number; readonly size: number } | undefined;
}

/** The disks of a data folder. A part on the same disk as the folder has no entry. A missing folder has none either. */
export async function measureDisks(dataDirectory: string): Promise<readonly DiskSpace[]> {
  const [whole, ...others] = await Promise.all(
    parts.map(async (part) => ({ part, device: await deviceOf(join(dataDirectory, part)) })),
  );
  if (whole?.device === undefined) return [];
  const apart = others.filter(({ device }) => device !== undefined && device !== whole.device);
  return Promise.all([whole, ...apart].map(({ part }) => measureDisk(join(dataDirectory, part), part)));
}

async function measureDisk(path: string, part: string): Promise<DiskSpace> {
  const folder = part === '.' ? 'data' : part;
  const space = await statfs(path).catch(() => undefined);
  const acceptsWrites = (await checkDisk(path).catch(() => 'read-only')) === 'ok';
  if (space === undefined) return { folder, acceptsWrites, bytes: undefined };
  const { bavail, blocks, bsize } = space;
  return { folder, acceptsWrites, bytes: { available: bavail * bsize, size: blocks * bsize } };
}

/** undefined: the folder is missing, or cannot be checked. */
async function deviceOf(path: string): Promise<number | undefined> {
  return (await stat(path).catch(() => undefined))?.dev;
}
