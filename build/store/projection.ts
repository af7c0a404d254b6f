// Copies the current documents to their own paths, public/ and index/, for static hosts and for readers that know no
// listing. The order is that of a publication on a disk. One builder projects at a time (projection-lease.ts); the next
// one also repairs the paths that a killed one may have written. After a purge, unused objects are removed as well.

import { setTimeout as sleep } from 'node:timers/promises';
import { publicationPath, rootDocumentPath } from '../contract/paths.ts';
import { purgedPath } from '../contract/purged.ts';
import { kindOf, objectKeyOf, type ListedFile, type ListedPath } from '../contract/store-listing.ts';
import { runBatch } from '../shared/concurrency/batch.ts';
import {
  leaseMs,
  leaseObserver,
  nameOfCopy,
  readProjection,
  unlessGone,
  writeProjection,
  type Held,
  type Projection,
} from './projection-lease.ts';
import { StoreFailure } from './store-failure.ts';
import type { WaitOptions } from '../output/wait-for-lock.ts';
import { StoredListing } from '../listing/stored-listing.ts';
import { removeUnused } from './unused-objects.ts';
import type { StoreBase, WorkingCopy } from './working-copy.ts';

const pollMs = 500;
const copiesAtOnce = 16;
/** between two renewals */
const copiesAtRenewal = 100;

/** Resolves when the paths have the contents of `published`, or of a later publication. */
export async function project(
  copy: WorkingCopy,
  published: StoreBase,
  { now, progress }: { readonly now: () => Date } & Pick<WaitOptions, 'progress'>,
): Promise<void> {
  const target = published.current?.head.listing;
  if (target === undefined) return;
  const by = await nameOfCopy(copy);
  const isFree = leaseObserver(by, now);
  for (let isTold = false; ;) {
    const before = await readProjection(copy);
    if (before?.listing === target && before.begun.length === 0) return;
    const begun = [...new Set([...(before?.begun ?? []), target])];
    const next = { listing: before?.listing ?? null, begun, until: now().getTime() + leaseMs, by };
    const mayTake = isFree(before);
    if (!mayTake && !isTold) {
      isTold = true;
      const label = `for the builder that copies documents at ${copy.store.name}: at most ${leaseMs / 1000} s if it was killed`;
      progress?.({ phase: 'wait', done: 0, total: 0, label });
    }
    const held = mayTake ? await writeProjection(copy, before, next) : undefined;
    if (held === undefined) await sleep(pollMs);
    // who loses the lease may have written an older content since: it projects once more
    else if (await projectFrom(copy, held, await copy.current(), now)) return;
  }
}

/** False: another builder has taken the lease. */
async function projectFrom(
  copy: WorkingCopy,
  first: Held,
  { current, listing }: StoreBase,
  now: () => Date,
): Promise<boolean> {
  const files = await changedSince(copy, first, listing);
  let held: Held | undefined = first;
  for (const belongs of phases) {
    const ofPhase = [...files].filter(([path, file]) => belongs(path, file));
    for (let at = 0; at < ofPhase.length; at += copiesAtRenewal) {
      const isRemoving = ofPhase[at]?.[1] === undefined;
      if (isRemoving || held.until - now().getTime() < leaseMs / 2)
        held = await writeProjection(copy, held, { ...held, until: now().getTime() + leaseMs });
      if (held === undefined) return false;
      await placeAll(copy, ofPhase.slice(at, at + copiesAtRenewal));
    }
  }
  // the bytes of purged versions, which former publications name
  if (files.has(`index/${purgedPath}`)) await removeUnused(copy, { uploadedBefore: Infinity, dryRun: false, now });
  const done = { listing: current?.head.listing ?? null, begun: [], until: 0, by: held.by };
  return (await writeProjection(copy, held, done)) !== undefined;
}

/**
 * The current files of all paths that may have other contents; undefined: the path goes. Without the former listings,
 * those are all paths.
 */
function changedSince(
  copy: WorkingCopy,
  { listing: projected, begun }: Pick<Projection, 'listing' | 'begun'>,
  listing: StoredListing,
): Promise<ReadonlyMap<ListedPath, ListedFile | undefined>> {
  const work = async (): Promise<ReadonlyMap<ListedPath, ListedFile | undefined>> => {
    const files = new Map<ListedPath, ListedFile | undefined>();
    const before = await StoredListing.open(projected ?? undefined, copy.readObject);
    const others = await Promise.all(begun.map((digest) => StoredListing.open(digest, copy.readObject)));
    for (const after of [...others, listing])
      for (const kind of ['documents', 'archives'] as const)
        for (const path of (await before.differences(after, kind)).keys())
          if (isProjected(path)) files.set(path, await listing.file(path));
    return files;
  };
  if (projected === null && begun.length === 0) return work();
  return unlessGone(work, () => changedSince(copy, { listing: null, begun: [] }, listing));
}

const rootPath = `public/${rootDocumentPath}`;
const announcementPath = `index/${publicationPath}`;

/** Archives under their own names are there before. Readers of a path never meet a document without its archive. */
const phases: readonly ((path: ListedPath, file: ListedFile | undefined) => boolean)[] = [
  (path, file) => file !== undefined && path.startsWith('index/') && path !== announcementPath,
  (path, file) => file !== undefined && path.startsWith('public/') && kindOf(path) === 'documents' && path !== rootPath,
  (path, file) => file !== undefined && path === rootPath,
  (path, file) => file !== undefined && kindOf(path) === 'archives',
  (_path, file) => file === undefined,
  (path, file) => file !== undefined && path === announcementPath,
];

export function isProjected(path: ListedPath): boolean {
  return path.startsWith('public/') || path.startsWith('index/');
}

async function placeAll(
  copy: WorkingCopy,
  files: readonly (readonly [ListedPath, ListedFile | undefined])[],
): Promise<void> {
  const gone = files.flatMap(([path, file]) => (file === undefined ? [path] : []));
  if (gone.length > 0) await copy.store.remove(gone);
  await runBatch(files, copiesAtOnce, async ([path, file]) => {
    if (file === undefined || objectKeyOf(path, file) === path) return;
    if (!(await copy.store.copy(objectKeyOf(path, file), path)))
      throw new StoreFailure('damaged', `${copy.store.name} has no ${objectKeyOf(path, file)}, which its head needs.`);
  });
}
