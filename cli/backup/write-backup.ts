// Makes a backup: all files that a registry needs to serve and to build. The build lock is held, so that packages,
// index and builder memory belong together. The state is one snapshot while others write, equal to a loss of power at
// that moment. On a disk without locks the copy is compared with its folder instead (unchanged-folder.ts). A complete
// backup gets its final name.

import { mkdir, readdir, realpath, rename, rm, utimes, writeFile, chmod, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { ours } from '../../build/sources/data-folder.ts';
import { BuildRefused } from '../../build/contract/refusals.ts';
import { createDiskOutput } from '../../build/output/disk-output.ts';
import { listPurged } from '../../build/package/purged.ts';
import { listWithheld } from '../../build/version-lists/withheld.ts';
import { makeFolder } from '../../build/output/make-folder.ts';
import { isMissing } from '../../build/output/storage-error.ts';
import { copyLmdbState } from '../../proxy/state/lmdb-store.ts';
import type { StateStore } from '../../proxy/core/state/state-store.ts';
import { readLastPublication, readPublishedTree } from '../tree/published-tree.ts';
import { rememberedStateName } from '../state/remembered-state.ts';
import { assertRecordsOfBackup } from '../state/state-records.ts';
import { describeReadFault } from '../io/read-fault.ts';
import { UsageError } from '../io/usage-error.ts';
import { readStateWhole } from '../state/verify-state.ts';
import { backupFormat, formatBackupRecord, recordName, type BackupRecord } from './backup-record.ts';
import { copySharedState } from './shared-state.ts';
import { copyUnchanged, type CopyOptions } from './unchanged-folder.ts';
import { removeLocks } from './staged-state.ts';
import { copyFiles, hashFile, listFiles, onDisk } from './copy-files.ts';
import { syncFolder } from '../../build/shared/files/sync-folder.ts';
import type { PackageName } from '../../build/contract/name.ts';
import { indexPath } from '../../build/contract/paths.ts';
import { stampFile } from '../../build/shared/files/file-stamp.ts';
import { treeDamage } from '../tree/damaged-tree.ts';

/** The time that uploads and syncs, too, wait for a build. */
const standardWaitMs = 60_000;

export interface BackupOptions {
  readonly data: string;
  /** absolute */
  readonly target: string;
  readonly version: string;
  readonly now: () => Date;
  readonly randomBytes: (count: number) => Uint8Array;
  /**
   * Receives the partial folder, which exists until the backup gets its name. A process that ends earlier removes the
   * folder.
   */
  readonly begun: (partial: string) => void;
  /** true: also copies fetched archives of other registries; the records of accepted archives are always copied */
  readonly mirroredArchives?: boolean;
  /** a state that is not in the data folder; one that is has been read whole before */
  readonly sharedState?: StateStore | undefined;
  readonly progress?: CopyOptions['progress'];
  /** how long to wait for a running build */
  readonly waitMs?: number;
}

/**
 * Throws UsageError for unusable folders, BuildBusy, StateError, StorageError. After any error `target` does not exist.
 */
export async function writeBackup(options: BackupOptions): Promise<BackupRecord> {
  const { data: given, target, randomBytes, begun } = options;
  const data = await realpath(given).catch(() => undefined);
  if (data === undefined || (await readdir(data)).every((name) => !ours.has(name)))
    throw new UsageError(`${given} is not a data folder: there is nothing to back up. Name a data folder with --data.`);
  await refuseTarget(target, data);
  const partial = join(dirname(target), `.${basename(target)}.partial-${Buffer.from(randomBytes(6)).toString('hex')}`);
  try {
    begun(partial);
    await makeFolder(dirname(partial));
    await onDisk(partial, mkdir(partial, { mode: 0o700 }));
    const record = await onDisk(target, fill(partial, data, options));
    await onDisk(target, rename(partial, target));
    await syncFolder(dirname(target));
    return record;
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
}

async function refuseTarget(target: string, data: string): Promise<void> {
  const real = join(await realpathSoFar(dirname(target)), basename(target));
  const way = relative(data, real);
  if (way === '' || (way !== '..' && !way.startsWith(`..${sep}`)))
    throw new UsageError(
      `${target} is inside the data folder ${data}. Name a folder outside it, preferably on another disk.`,
    );
  const names = await readdir(target).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw new UsageError(`${target} cannot be used: ${describeReadFault(error)}. Name a new or empty folder.`, {
      cause: error,
    });
  });
  if (names.length > 0) throw new UsageError(`${target} is not empty. Name a new or empty folder.`);
}

/** The real path of the existing part of a path. */
async function realpathSoFar(path: string): Promise<string> {
  const real = await realpath(path).catch(() => undefined);
  if (real !== undefined) return real;
  return dirname(path) === path ? path : join(await realpathSoFar(dirname(path)), basename(path));
}

async function fill(
  partial: string,
  data: string,
  { version, now, mirroredArchives = false, sharedState, progress, waitMs = standardWaitMs }: BackupOptions,
): Promise<BackupRecord> {
  const list = (): Promise<string[]> => listFiles(data, (path) => isLeftOut(path, mirroredArchives));
  return copyUnchanged(data, { now, waitMs, progress, list }, async () => {
    const createdAt = now().toISOString();
    await assertWholeLists(data);
    // before the keys: then the copied keys open everything in the copied state
    const state = await copyState(data, partial, sharedState);
    assertWholeTree(data); // after the state, because a damaged state is worse
    const files = await copyFiles(data, partial, await list());
    const text = formatBackupRecord({
      format: backupFormat,
      libretto: version,
      created_at: createdAt,
      serial: readLastPublication(partial)?.serial ?? 0,
      files: [...files, ...state],
    });
    await writeFile(join(partial, recordName), text, { flag: 'wx', flush: true });
    await syncFolder(partial);
    return JSON.parse(text) as BackupRecord;
  });
}

/**
 * A backup without the list of purged or of withdrawn versions cannot be restored. Throws UsageError that names the
 * list and its repair.
 */
async function assertWholeLists(data: string): Promise<void> {
  const output = createDiskOutput(data);
  try {
    await listPurged(output);
    await listWithheld(output);
  } catch (error) {
    if (!(error instanceof BuildRefused)) throw error;
    throw new UsageError(`No backup was made. ${error.message}`, { cause: error });
  }
}

async function copyState(
  data: string,
  partial: string,
  sharedState: StateStore | undefined,
): Promise<BackupRecord['files']> {
  if (
    sharedState === undefined &&
    !(await stat(join(data, 'state', 'data.mdb')).then(
      () => true,
      () => false,
    ))
  )
    return [];
  const path = 'state/data.mdb';
  await mkdir(join(partial, 'state'), { mode: 0o700 });
  const target = resolve(partial, 'state');
  await (sharedState === undefined ? copyLmdbState(join(data, 'state'), target) : copySharedState(sharedState, target));
  await readStateWhole(target, 'The copy of the state is unusable, and no backup was made. Try again.');
  await assertRecordsOfBackup(target);
  await removeLocks(target);
  await chmod(join(partial, path), 0o600);
  const { size, mtimeMs } = await stat(join(partial, path));
  const modified = Math.floor(mtimeMs / 1000);
  await utimes(join(partial, path), modified, modified);
  return [{ path, size, sha256: await hashFile(join(partial, path)), modified }];
}

/** Folders that can be fetched or made again, or that serve only a running process, including private keys of ssh. */
const passing: ReadonlySet<string> = new Set(['git', 'downloads', 'adopt', 'receive', 'staging', 'ssh']);

/** The log is the operator's; the state is copied by itself. */
function isLeftOut(path: string, mirroredArchives: boolean): boolean {
  const [area = '', second, third] = path.split('/');
  if (area === 'mirror') return isLeftOutOfMirror(path, mirroredArchives);
  if (!ours.has(area) || area === 'state' || area === rememberedStateName || area === 'log' || area === 'lost+found')
    return true;
  if (area === 'build') return second !== undefined && (passing.has(second) || /^lock(?:\.|$)/.test(second));
  // uploads on their way, keys that are being written, lists of feeds that nobody has accepted
  return (
    (area === 'feeds' && second !== undefined && /\.(?:partial|refused\.ndjson)$/.test(second)) ||
    (area === 'artifacts' && second === '.staging') ||
    (area === 'keys' && third === undefined && second?.startsWith('.') === true)
  );
}

/**
 * The records of accepted archives stay (I18): without them another archive could be accepted for the same release. An
 * archive can be fetched again, and has to be the same. Documents are fetched again, and a running server replaces
 * them, so a copy might not match its checksum.
 */
function isLeftOutOfMirror(path: string, archives: boolean): boolean {
  const [, second, , project, file] = path.split('/');
  if (second === undefined || second === 'origin.txt') return false;
  // a restored registry keeps what an upstream once listed as malware (I26)
  if (second === 'lists' || second === 'arrivals') return project !== undefined && !project.endsWith('.json');
  return second !== 'dist' || (file !== undefined && !file.endsWith('.json') && !(archives && file.endsWith('.zip')));
}

// Refuses to back up a tree that lost a file which no build writes again. Such a backup cannot be restored, and may
// replace the last one that can.

/**
 * Throws UsageError that names the lost file: the announcement, packages.json, or the index of a published package. It
 * costs one stat for each package; `libretto verify` checks the rest.
 */
function assertWholeTree(data: string): void {
  const damage = treeDamage(data);
  if (damage !== undefined) throw new UsageError(`No backup was made. ${damage}`);
  const lost = (readPublishedTree(data)?.names ?? []).filter(
    (name) => stampFile(join(data, 'index', indexPath(name as PackageName))) === undefined,
  );
  const [first] = lost;
  if (first === undefined) return;
  const others = lost.length === 1 ? '' : ` The same holds for ${lost.length - 1} more.`;
  throw new UsageError(
    `No backup was made. ${join(data, 'index', indexPath(first as PackageName))} is missing, or is no file, although ` +
      `packages.json lists ${first}.${others} Run \`libretto verify\`: it names the damage and the repair.`,
  );
}
