// Makes a data folder out of a backup. The backup is read whole before anything is written; what is written gets its place when it is all there.

import { mkdir, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';

import { makeFolder } from '../../build/output/make-folder.ts';
import { isMissing } from '../../build/output/storage-error.ts';
import { UsageError } from '../usage-error.ts';
import { readRecord, type BackupRecord } from './backup-record.ts';
import { copyFiles, hashFile, onDisk, syncFolder } from './copy-files.ts';

/** In the data folder, so that what is in it gets its place by a rename, also where the data folder is a mount. */
const stagingName = '.restoring';
/** Where a restore is cut off, the state is what is missing: a server then lets nobody in. */
const lastArea = 'state';

/** Compares every file with its checksum. Throws UsageError that names the first that differ. */
export async function checkBackup(directory: string): Promise<BackupRecord> {
  const record = readRecord(directory);
  const faults: string[] = [];
  for (const { path, size, sha256 } of record.files) {
    const fault = await faultOf(join(directory, path), size, sha256);
    if (fault !== undefined) faults.push(`  ${path} ${fault}`);
    if (faults.length === 10) break;
  }
  if (faults.length > 0) throw new UsageError([`The backup ${directory} is damaged, and nothing was restored:`, ...faults, 'Take another backup.'].join('\n'));
  return record;
}

async function faultOf(path: string, size: number, sha256: string): Promise<string | undefined> {
  try {
    const facts = await stat(path);
    if (facts.size !== size) return `has ${facts.size} bytes instead of ${size}`;
    return (await hashFile(path)) === sha256 ? undefined : 'has another content than its checksum says';
  } catch (error) {
    return isMissing(error) ? 'is missing' : `cannot be read: ${(error as Error).message}`;
  }
}

/** Throws UsageError where the backup is damaged or newer, or the data folder holds something, and StorageError. */
export async function restoreBackup(directory: string, data: string): Promise<BackupRecord> {
  await refuseData(data, directory);
  const record = await checkBackup(directory);
  await makeFolder(data);
  const staging = join(data, stagingName);
  await onDisk(staging, place(record, directory, data, staging));
  return record;
}

async function place({ files }: BackupRecord, directory: string, data: string, staging: string): Promise<void> {
  await rm(staging, { recursive: true, force: true });
  await mkdir(staging, { mode: 0o700 });
  const modified = new Map(files.map((file) => [file.path, file.modified]));
  const copied = await copyFiles(directory, staging, files.map(({ path }) => path), (path) => modified.get(path));
  const expected = new Map(files.map(({ path, sha256 }) => [path, sha256]));
  const changed = copied.find(({ path, sha256 }) => expected.get(path) !== sha256);
  if (changed !== undefined) throw new UsageError(`${join(directory, changed.path)} changed while it was read, and nothing was restored.`);
  const areas = (await readdir(staging)).toSorted((one, other) => Number(one === lastArea) - Number(other === lastArea));
  for (const area of areas) {
    await rename(join(staging, area), join(data, area));
    await syncFolder(data);
  }
  await rm(staging, { recursive: true, force: true });
}

async function refuseData(data: string, directory: string): Promise<void> {
  const names = await readdir(data).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw new UsageError(`The data folder ${data} cannot be used: ${(error as Error).message}.`, { cause: error });
  });
  // of a restore that was cut off
  const held = names.filter((name) => name !== stagingName && name !== 'lost+found');
  if (held.length > 0) throw new UsageError(`The data folder ${data} holds something already (${held.slice(0, 3).join(', ')}${held.length > 3 ? ', …' : ''}). A backup is restored into an empty folder, or one that does not exist yet: name another with --data.`);
  const real = await realpath(directory).catch(() => directory);
  const way = relative(real, data);
  if (way === '' || (way !== '..' && !way.startsWith(`..${sep}`))) throw new UsageError(`The data folder ${data} lies in the backup. Name another with --data.`);
}
