// Every change of a registry's tree happens here: under the lock of its data folder and, where the output is an object
// store, on a copy of what the store has now. If another builder publishes first, the work starts over on its result,
// so that no builder loses another one's work (I27).

import { setTimeout as sleep } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { artifactsFolder } from '../contract/artifact-files.ts';
import { BuildBusy, BuildRefused } from '../contract/refusals.ts';
import { listLocalFiles } from './local-files.ts';
import { waitForLock, type WaitOptions } from '../output/wait-for-lock.ts';
import { runBatch } from '../shared/concurrency/batch.ts';
import { emptyPath } from '../listing/working-copy-files.ts';
import type { ListedPath } from '../contract/store-listing.ts';
import { StorageError } from '../output/storage-error.ts';
import { storageFaultOf } from '../contract/storage-fault.ts';
import { ArchivesNeeded } from '../output/absent-archives.ts';
import type { ObjectKey, ObjectStore, OpenableStore } from './object-store.ts';
import { project } from './projection.ts';
import { push } from './push.ts';
import { betweenRemovals } from './store-head.ts';
import { StoreFailure, UnfinishedPublication } from './store-failure.ts';
import { headKey } from '../contract/store-listing.ts';
import { removeUnused, type RemovalOrder, type UnusedObjects } from './unused-objects.ts';
import { WorkingCopy, type StoreBase } from './working-copy.ts';

export interface TreeChange extends Pick<WaitOptions, 'stop' | 'progress'> {
  readonly now: () => Date;
  /** how long to wait for another process of this host that has the lock, milliseconds */
  readonly waitMs: number;
  /** undefined: the data folder is the output */
  readonly output?: OpenableStore | undefined;
  /** between 0 and 1 */
  readonly random?: () => number;
}

const mostAttempts = 10;
const pauseMs = 200;
const fetchesAtOnce = 16;

/**
 * `work` may run several times, each time on an unchanged tree. Throws BuildBusy, the errors of `work`, and those of
 * the store.
 */
export async function changeTree<Result>(
  dataDirectory: string,
  { random = Math.random, ...change }: TreeChange,
  work: () => Promise<Result>,
): Promise<Result> {
  return locked(dataDirectory, change, async (store) => {
    if (store === undefined) {
      // what follows is a registry of the folder's own
      if (existsSync(join(dataDirectory, emptyPath))) await rm(join(dataDirectory, emptyPath), { force: true });
      return work();
    }
    const copy = new WorkingCopy(dataDirectory, store);
    const sent = new Set<ObjectKey>();
    try {
      for (let attempt = 1; attempt <= mostAttempts; attempt += 1) {
        const done = await attemptOn(copy, work, change);
        if ('result' in done) return done.result;
        for (const key of done.sent) sent.add(key);
        await sleep(random() * pauseMs * 2 ** attempt);
      }
    } finally {
      // another builder may have purged a version meanwhile whose bytes these are
      if (sent.size > 0) await removeUnused(copy, { ...change, among: sent, uploadedBefore: Infinity, dryRun: false });
    }
    throw new BuildBusy(
      `Other builders have published to ${store.name} ${mostAttempts} times meanwhile. Try again in a minute.`,
    );
  });
}

/**
 * Makes the working copy equal to what the store has now. `change.stop` ends that, too. Throws BuildBusy, BuildRefused
 * and StoreFailure.
 */
export function refreshTree(
  dataDirectory: string,
  change: TreeChange & { readonly output: OpenableStore },
): Promise<void> {
  return locked(dataDirectory, change, async (store) => {
    if (store === undefined) return;
    change.stop?.addEventListener('abort', () => store.close());
    await new WorkingCopy(dataDirectory, store).update();
  });
}

/** Removes what no listing names from the store. Throws BuildBusy and StoreFailure. */
export async function removeUnusedObjects(
  dataDirectory: string,
  change: TreeChange & { readonly output: OpenableStore },
  order: Pick<RemovalOrder, 'uploadedBefore' | 'dryRun'>,
): Promise<UnusedObjects | undefined> {
  const work = async (store: ObjectStore | undefined): Promise<UnusedObjects | undefined> =>
    store && removeUnused(new WorkingCopy(dataDirectory, store), { ...change, ...order });
  if (!order.dryRun) return locked(dataDirectory, change, work);
  const store = await change.output.open();
  return work(store).finally(() => store.close());
}

/** Runs `work` while no other process changes the folder. Throws StorageError for a full disk. */
async function locked<Result>(
  dataDirectory: string,
  { now, waitMs, stop, progress, output }: TreeChange,
  work: (store: ObjectStore | undefined) => Promise<Result>,
): Promise<Result> {
  const store = await output?.open();
  const lost = new AbortController();
  try {
    const lock = await waitForLock(join(dataDirectory, 'build/lock'), now, waitMs, {
      stop: AbortSignal.any([lost.signal, ...(stop === undefined ? [] : [stop])]),
      progress: (event) => {
        progress?.(event);
        // the other process may wait for a store that hangs: after this one's time limit, that is the reason to name
        store?.head(headKey).catch((error: unknown) => lost.abort(error));
      },
    });
    return await work(store).finally(() => lock.release());
  } catch (error) {
    throw isFullDisk(error) ? new StorageError(dataDirectory, error) : error;
  } finally {
    store?.close();
  }
}

function isFullDisk(error: unknown): boolean {
  return error instanceof Error && 'code' in error && storageFaultOf(error) !== undefined;
}

/** `sent`: another builder has published first; these archives of the attempt are at the store. */
async function attemptOn<Result>(
  copy: WorkingCopy,
  work: () => Promise<Result>,
  change: Pick<TreeChange, 'now' | 'progress'>,
): Promise<{ readonly result: Result } | { readonly sent: readonly ObjectKey[] }> {
  const base = await betweenRemovals(copy, () => copy.update(), change);
  if (base.current === undefined) await refuseUnusable(copy.store, change.now());
  await copy.markChanging(base);
  // the folder of uploads is a source, also while a store has no upload
  await mkdir(copy.at(artifactsFolder), { recursive: true });
  const result = await withArchives(copy, base, work);
  const pushed = await push(copy, base, change.now);
  if (pushed.outcome === 'lost') return pushed;
  for (const { path } of listLocalFiles(copy.dataDirectory).archives) await rm(copy.at(path), { force: true });
  const isProjected = base.isProjected && pushed.outcome === 'unchanged';
  await copy.settle({ ...pushed.base, isProjected });
  if (isProjected) return { result };
  await project(copy, pushed.base, change).catch((error: unknown) => refuseUnfinished(error, pushed.base));
  await copy.settle({ ...pushed.base, isProjected: true });
  await copy.keepListing(pushed.base);
  return { result };
}

function refuseUnfinished(error: unknown, { current }: StoreBase): never {
  if (!(error instanceof StoreFailure)) throw error;
  throw new UnfinishedPublication(
    error.kind,
    `${error.message} Generation ${current?.head.generation ?? 0} is published all the same. Its copies for static ` +
      'hosts, and the removal of purged objects, are not complete. Run the command again, or `libretto build`.',
    { cause: error },
  );
}

/** Before the first publication: a store that ignores conditions would lose the work of one of two builders. */
async function refuseUnusable(store: ObjectStore, now: Date): Promise<void> {
  const { recordProbe } = await import('./probe.ts');
  const verdict = await recordProbe(store, randomUUID(), now);
  if (verdict.verdict === 'unusable') throw new BuildRefused(verdict.sentence);
}

/** Fetches the archives of a package as soon as the work needs the bytes of one, and starts over. */
async function withArchives<Result>(copy: WorkingCopy, base: StoreBase, work: () => Promise<Result>): Promise<Result> {
  const fetched = new Set<ListedPath>();
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ArchivesNeeded)) throw error;
      await copy.restore(base, fetched);
      const ofPackage = await base.listing.archivesBelow(error.path.split('/').slice(0, 4).join('/'));
      await runBatch(ofPackage, fetchesAtOnce, async (path) => {
        const file = await base.listing.file(path);
        if (file !== undefined) await copy.fetch(path, file);
        fetched.add(path);
      });
    }
  }
}
