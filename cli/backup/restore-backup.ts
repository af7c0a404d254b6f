// Restores a data folder from a backup, or only its lost state. The restore reads all needed files of the backup
// completely before the first write. Restored files get their final names once all are complete.

import { existsSync } from 'node:fs';
import { mkdir, readdir, realpath, rename, rm, stat, statfs } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { makeFolder, removeEmptyFolders } from '../../build/output/make-folder.ts';
import { isMissing } from '../../build/output/storage-error.ts';
import { forgetState, rememberedStateName } from '../state/remembered-state.ts';
import { setAsideState } from '../state/set-aside-state.ts';
import { UsageError } from '../io/usage-error.ts';
import { readBackupRecord, type BackupFile, type BackupRecord } from './backup-record.ts';
import { copyFiles, hashFile, onDisk } from './copy-files.ts';
import { syncFolder } from '../../build/shared/files/sync-folder.ts';
import { nameStagedState } from './staged-state.ts';

/**
 * The staging folder is inside the data folder, so that its contents move by a rename even if the data folder is a
 * mount.
 */
const stagingName = '.restoring';
/** After an interrupted restore the state is missing and its name is present: a server then refuses to start. */
const lastArea = 'state';

/**
 * Compares every file, or those of the state, with its checksum. Throws UsageError that names the first that differ.
 */
export async function checkBackup(directory: string, stateOnly = false): Promise<BackupRecord> {
  const record = readBackupRecord(directory);
  const faults: string[] = [];
  for (const { path, size, sha256 } of filesOf(record, stateOnly)) {
    const fault = await faultOf(join(directory, path), size, sha256);
    if (fault !== undefined) faults.push(`  ${path} ${fault}`);
    if (faults.length === 10) break;
  }
  if (faults.length > 0)
    throw new UsageError(
      [`The backup ${directory} is damaged, and nothing was restored:`, ...faults, 'Take another backup.'].join('\n'),
    );
  return record;
}

function filesOf({ files }: BackupRecord, stateOnly: boolean): readonly BackupFile[] {
  return stateOnly ? files.filter(({ path }) => path.startsWith('state/')) : files;
}

async function faultOf(path: string, size: number, sha256: string): Promise<string | undefined> {
  try {
    const facts = await stat(path);
    if (!facts.isFile()) return 'is not a regular file';
    if (facts.size !== size) return `has ${facts.size} bytes instead of ${size}`;
    return (await hashFile(path)) === sha256 ? undefined : 'does not match its checksum';
  } catch (error) {
    return isMissing(error) ? 'is missing' : `cannot be read: ${(error as Error).message}`;
  }
}

/** The steps of a restore in addition to copying the files of the backup. */
export interface RestoreSteps {
  /** called with a complete backup, before the first write; a rejection cancels the restore */
  readonly confirm: () => Promise<void>;
  /** called once all but the state is in its place */
  readonly beforeState: () => Promise<void>;
}

/**
 * Throws UsageError if the backup is damaged or newer, or the data folder holds something, StateError, and
 * StorageError.
 */
export async function restoreBackup(
  directory: string,
  data: string,
  { confirm, beforeState }: RestoreSteps,
): Promise<BackupRecord> {
  await refuseData(data, directory);
  const record = await checkBackup(directory);
  await confirm();
  await staged(record.files, directory, data, async (staging) => {
    if (!existsSync(join(staging, rememberedStateName))) await forgetState(data);
    const areas = (await readdir(staging)).toSorted(
      (one, other) => Number(one === lastArea) - Number(other === lastArea),
    );
    for (const area of areas) {
      if (area === lastArea) await beforeState();
      await rename(join(staging, area), join(data, area));
      await syncFolder(data);
    }
    if (!areas.includes(lastArea)) await beforeState();
  });
  return record;
}

/**
 * Restores only the state of the backup, for a data folder that has everything else. `place` moves the state out of the
 * folder that it receives. Throws as restoreBackup.
 */
export async function restoreState(
  directory: string,
  data: string,
  place: (state: string) => Promise<void>,
): Promise<BackupRecord> {
  const record = await checkBackup(directory, true);
  const files = filesOf(record, true);
  if (!files.some(({ path }) => path === 'state/data.mdb'))
    throw new UsageError(
      `The backup ${directory} contains no state: there was none when it was made. Use another backup.`,
    );
  await staged(files, directory, data, async (staging) => {
    await rename(join(staging, rememberedStateName), join(data, rememberedStateName));
    await syncFolder(data);
    await place(join(staging, 'state'));
  });
  return record;
}

/** Moves the state of folder `from` into `directory`. Sets the former state aside, and returns its new path. */
export async function replaceLocalState(from: string, directory: string, now: Date): Promise<string | undefined> {
  await makeFolder(directory, 0o700);
  const aside = await setAsideState(directory, now);
  await rename(join(from, 'data.mdb'), join(directory, 'data.mdb'));
  await syncFolder(directory);
  return aside;
}

/**
 * Copies `files` into a staging folder in `data`, with the mark of their state. `place` then moves them to their final
 * paths.
 */
async function staged(
  files: readonly BackupFile[],
  directory: string,
  data: string,
  place: (staging: string) => Promise<void>,
): Promise<void> {
  const made = await makeFolder(data);
  const staging = join(data, stagingName);
  const work = async (): Promise<void> => {
    await rm(staging, { recursive: true, force: true });
    await refuseLackOfRoom(files, directory, data);
    await mkdir(staging, { mode: 0o700 });
    const modified = new Map(files.map((file) => [file.path, file.modified]));
    const copied = await copyFiles(
      directory,
      staging,
      files.map(({ path }) => path),
      (path) => modified.get(path),
    );
    const expected = new Map(files.map(({ path, sha256 }) => [path, sha256]));
    const changed = copied.find(({ path, sha256 }) => expected.get(path) !== sha256);
    if (changed !== undefined)
      throw new UsageError(`${join(directory, changed.path)} changed while it was read, and nothing was restored.`);
    await nameStagedState(staging);
    await place(staging);
  };
  await onDisk(
    staging,
    work().finally(() => rm(staging, { recursive: true, force: true })),
  ).finally(() => removeEmptyFolders(made));
}

async function refuseData(data: string, directory: string): Promise<void> {
  const names = await readdir(data).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw new UsageError(`The data folder ${data} cannot be used: ${(error as Error).message}.`, { cause: error });
  });
  // ignores the remains of an interrupted restore, and the mark of the state that this restore replaces
  const existing = names.filter(
    (name) => name !== stagingName && name !== 'lost+found' && name !== rememberedStateName,
  );
  const cutOff = names.some((name) => name === stagingName)
    ? ` ${stagingName} is left from an interrupted restore. If it restored the whole backup into this folder, ` +
      `empty the folder and restore again.`
    : '';
  if (existing.length > 0)
    throw new UsageError(
      `The data folder ${data} is not empty (${existing.slice(0, 3).join(', ')}${existing.length > 3 ? ', …' : ''}). ` +
        'Name an empty or new folder with --data. Or use --state-only: it restores only the state and keeps all ' +
        `other files.${cutOff}`,
    );
  const real = await realpath(directory).catch(() => directory);
  const way = relative(real, data);
  if (way === '' || (way !== '..' && !way.startsWith(`..${sep}`)))
    throw new UsageError(`The data folder ${data} is inside the backup. Name another folder with --data.`);
}

// Checks the free disk space before a restore. LMDB maps its files into memory, so a full disk would end the process
// without a message.

/** For folders, the lock of the state, and the audit event of the restore. */
const spareBytes = 1024 * 1024;
const mebibyte = 1024 * 1024;

/**
 * `data` exists. Throws UsageError, caused by ENOSPC if its disk has too little room. A disk that reports no size is
 * not judged.
 */
async function refuseLackOfRoom(files: readonly BackupFile[], directory: string, data: string): Promise<void> {
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
