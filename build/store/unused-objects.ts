// Documents and archives, also those of killed builders, that neither the current listing nor the projection names. They
// are removed while nobody publishes (store-head.ts).

import { archiveKey, documentKey, objectKeyOf, type ObjectDigest } from '../contract/store-listing.ts';
import { StoredListing } from '../listing/stored-listing.ts';
import type { WaitOptions } from '../output/wait-for-lock.ts';
import type { ObjectKey } from './object-store.ts';
import { readProjection } from './projection-lease.ts';
import { betweenRemovals, removeAlone } from './store-head.ts';
import type { StoreBase, WorkingCopy } from './working-copy.ts';

/** A publication that runs longer sends its objects again. */
export const leastAgeMs = 86_400_000;
const prefixes = [
  documentKey('' as ObjectDigest),
  archiveKey('' as ObjectDigest).replace(/\.zip$/, ''),
  'public/dist/',
];

export interface UnusedObjects {
  readonly objects: number;
  readonly bytes: number;
}

export interface RemovalOrder extends Pick<WaitOptions, 'progress'> {
  /** the objects were uploaded earlier; epoch milliseconds on the store's clock */
  readonly uploadedBefore: number;
  /** only these; undefined: all that the store has */
  readonly among?: ReadonlySet<ObjectKey>;
  readonly dryRun: boolean;
  readonly now: () => Date;
}

/** Throws StoreFailure. */
export async function removeUnused(copy: WorkingCopy, order: RemovalOrder): Promise<UnusedObjects> {
  const { among, uploadedBefore, dryRun, now } = order;
  for (;;) {
    const base = dryRun ? await copy.current() : await betweenRemovals(copy, () => copy.current(), order);
    const used = await usedKeys(copy, base);
    const keys = [...(among ?? [])].filter((key) => !used.has(key));
    let bytes = 0;
    for (const prefix of among === undefined ? prefixes : [])
      for await (const { key, size, modified } of copy.store.list(prefix)) {
        if (used.has(key) || modified >= uploadedBefore) continue;
        keys.push(key);
        bytes += size;
      }
    const isDone = dryRun || base.current === undefined || keys.length === 0;
    if (isDone || (await removeAlone(copy, base.current, keys, now))) return { objects: keys.length, bytes };
  }
}

async function usedKeys(copy: WorkingCopy, { current, listing }: StoreBase): Promise<ReadonlySet<ObjectKey>> {
  const projection = await readProjection(copy);
  const digests = [current?.head.listing, projection?.listing, ...(projection?.begun ?? [])];
  const keys = new Set<ObjectKey>();
  for (const digest of digests) {
    if (digest === undefined || digest === null) continue;
    const { root } = await StoredListing.open(digest, copy.readObject);
    const parts = [...root.documents.parts, ...root.archives.parts].filter((part) => part !== null);
    for (const one of [digest, ...parts]) keys.add(documentKey(one));
  }
  for (const kind of ['documents', 'archives'] as const)
    for (const [path, file] of await listing.all(kind)) keys.add(objectKeyOf(path, file)).add(path);
  return keys;
}
