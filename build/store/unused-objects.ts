// Documents and archives, also those of killed builders, that neither the current listing nor the projection names. A
// publication sends all its documents anew, so that those of a running one are young.

import { archiveKey, documentKey, headKey, objectKeyOf, type ObjectDigest } from '../contract/store-listing.ts';
import { StoredListing } from '../listing/stored-listing.ts';
import type { ObjectKey, ObjectStore } from './object-store.ts';
import { readProjection } from './projection-lease.ts';
import type { WorkingCopy } from './working-copy.ts';

/** Objects of a running publication are younger. */
export const leastAgeMs = 86_400_000;
const removedAtOnce = 1000;
const prefixes = [
  documentKey('' as ObjectDigest),
  archiveKey('' as ObjectDigest).replace(/\.zip$/, ''),
  'public/dist/',
];

export interface UnusedObjects {
  readonly objects: number;
  readonly bytes: number;
}

/** Removes those that were uploaded earlier (epoch milliseconds), unless `dryRun` is true. Throws StoreFailure. */
export async function removeUnused(
  copy: WorkingCopy,
  { uploadedBefore, dryRun }: { readonly uploadedBefore: number; readonly dryRun: boolean },
): Promise<UnusedObjects> {
  const { store } = copy;
  const used = await usedKeys(copy);
  const total = { objects: 0, bytes: 0 };
  let keys: ObjectKey[] = [];
  const flush = async (): Promise<void> => {
    if (!dryRun) await store.remove(keys);
    keys = [];
  };
  for (const prefix of prefixes)
    for await (const { key, size, modified } of store.list(prefix)) {
      if (used.has(key) || modified >= uploadedBefore) continue;
      total.objects += 1;
      total.bytes += size;
      if (keys.push(key) === removedAtOnce) await flush();
    }
  await flush();
  return total;
}

/**
 * The time of the head, on the store's clock. Unused objects that are older belong to no publication that can follow:
 * one that began before this head starts over.
 */
export async function headModified(store: ObjectStore): Promise<number> {
  for await (const { key, modified } of store.list(headKey)) if (key === headKey) return modified;
  return 0;
}

async function usedKeys(copy: WorkingCopy): Promise<ReadonlySet<ObjectKey>> {
  const { current, listing } = await copy.current();
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
