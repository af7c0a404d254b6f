// Lists the stored archives of the mirror, checks them against their records, and names those that are no longer
// needed.

import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parsePackageName, type PackageName } from '../../../build/contract/name.ts';
import type { ArchiveRecord } from './archive-record.ts';
import { entriesIn, type AcceptedArchiveStore } from './accepted-archive-store.ts';
import { partialSuffix } from '../../../build/shared/files/atomic-file.ts';
import { Arrivals } from './arrivals.ts';
import { LastLists } from './last-lists.ts';
import { UnreadableRecord } from './read-record.ts';
import { refusedFolder } from './refused-archives.ts';

/** Every package of which something was accepted, by name. */
export async function* mirroredNames(folder: string): AsyncGenerator<PackageName, void, void> {
  for (const vendor of await entriesIn(join(folder, 'dist'))) {
    for (const project of await entriesIn(join(folder, 'dist', vendor))) {
      const name = parsePackageName(`${vendor}/${project}`);
      if (name !== undefined) yield name;
    }
  }
}

export interface MirrorFault {
  readonly record: ArchiveRecord;
  /** undefined: it is missing */
  readonly found: string | undefined;
}

export interface MirrorFaults {
  readonly archives: readonly MirrorFault[];
  /** records that cannot be read, and damaged lists */
  readonly records: readonly UnreadableRecord[];
}

/** Reads every archive. `onArchive` receives each checked archive. */
export async function verifyMirror(
  folder: string,
  archiveStore: AcceptedArchiveStore,
  onArchive: (record: ArchiveRecord) => void,
): Promise<MirrorFaults> {
  const archives: MirrorFault[] = [];
  const damaged: UnreadableRecord[] = [];
  const kept = [new LastLists(folder, () => undefined), new Arrivals(folder, () => undefined)];
  for await (const name of mirroredNames(folder)) {
    const { records, unreadable } = await archiveStore.inspect(name);
    damaged.push(...unreadable, ...(await unreadableOf(kept, name)));
    for (const record of records) {
      const found = await archiveStore.digest(record);
      onArchive(record);
      if (found !== record.shasum) archives.push({ record, found });
    }
  }
  return { archives, records: damaged };
}

async function unreadableOf(
  kept: readonly Pick<LastLists | Arrivals, 'read'>[],
  name: PackageName,
): Promise<readonly UnreadableRecord[]> {
  const read = await Promise.allSettled(kept.map((one) => one.read(name)));
  return read.flatMap((one) => {
    if (one.status === 'fulfilled') return [];
    if (one.reason instanceof UnreadableRecord) return [one.reason];
    throw one.reason;
  });
}

export interface Pruned {
  /** below the folder of the mirror */
  readonly path: string;
  readonly bytes: number;
  /**
   * `partial`: the file of a killed process. `unnamed`: an archive without a record. `document`: it was not requested
   * for a long time
   */
  readonly kind: 'partial' | 'unnamed' | 'document';
}

export interface PruneOptions {
  readonly folder: string;
  readonly archiveStore: AcceptedArchiveStore;
  /** documents without a request in this time are removed */
  readonly keepDocumentsMs: number;
  readonly dryRun: boolean;
  readonly nowMs: number;
}

/** Younger files may belong to a running download of another process. */
const inProgressMs = 3_600_000;

/** Removes unneeded files. An accepted archive is needed forever, because lock files name it. */
export async function pruneMirror({
  folder,
  archiveStore,
  keepDocumentsMs,
  dryRun,
  nowMs,
}: PruneOptions): Promise<readonly Pruned[]> {
  const pruned: Pruned[] = [];
  const remove = async (path: string, kind: Pruned['kind'], olderThanMs: number): Promise<void> => {
    const found = await stat(join(folder, path)).catch(() => undefined);
    if (found === undefined || !found.isFile() || nowMs - found.mtimeMs < olderThanMs) return;
    if (!dryRun) await rm(join(folder, path), { force: true });
    pruned.push({ path, bytes: found.size, kind });
  };
  for (const file of await entriesIn(join(folder, '.staging')))
    await remove(join('.staging', file), 'partial', inProgressMs);
  for await (const name of mirroredNames(folder)) {
    const { records, unreadable } = await archiveStore.inspect(name);
    const named = new Set(records.map(({ shasum }) => `${shasum}.zip`));
    for (const file of await entriesIn(join(folder, 'dist', name))) {
      if (file.endsWith(partialSuffix)) await remove(join('dist', name, file), 'partial', inProgressMs);
      // a record that cannot be read may name any of them
      else if (file.endsWith('.zip') && unreadable.length === 0 && !named.has(file))
        await remove(join('dist', name, file), 'unnamed', inProgressMs);
    }
  }
  for (const kept of ['lists', 'arrivals'])
    for await (const path of filesBelow(folder, kept))
      if (path.endsWith(partialSuffix)) await remove(path, 'partial', inProgressMs);
  for (const kept of ['p2', refusedFolder])
    for await (const path of filesBelow(folder, kept))
      await remove(
        path,
        path.endsWith(partialSuffix) ? 'partial' : 'document',
        path.endsWith(partialSuffix) ? inProgressMs : keepDocumentsMs,
      );
  return pruned;
}

export async function* filesBelow(folder: string, path: string): AsyncGenerator<string, void, void> {
  const found = await stat(join(folder, path)).catch(() => undefined);
  if (found?.isDirectory() !== true) {
    if (found !== undefined) yield path;
    return;
  }
  for (const entry of await entriesIn(join(folder, path))) yield* filesBelow(folder, join(path, entry));
}
