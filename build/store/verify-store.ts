// Compares the objects of a store with the listing of its head: each must be there with its size and, unless `fast` is
// true, with the SHA-256 that the store recorded when the object was sent. So must the copies at their own paths, unless
// a builder is at work on them. Reads no object, but for the listing.

import { objectKeyOf } from '../contract/store-listing.ts';
import { runBatch } from '../shared/concurrency/batch.ts';
import type { ObjectKey, ObjectStore } from './object-store.ts';
import { isProjected } from './projection.ts';
import { readProjection } from './projection-lease.ts';
import { WorkingCopy } from './working-copy.ts';

export interface StoreFault {
  readonly key: ObjectKey;
  readonly message: string;
}

export interface StoreReport {
  readonly generation: number;
  readonly objects: number;
  readonly faults: readonly StoreFault[];
}

const requestsAtOnce = 16;

/** Throws StoreFailure if the head or its listing cannot be read. */
export async function verifyStore(
  dataDirectory: string,
  store: ObjectStore,
  { fast }: { readonly fast: boolean },
): Promise<StoreReport> {
  const copy = new WorkingCopy(dataDirectory, store);
  const projection = await readProjection(copy);
  const { current, listing } = await copy.current();
  const hasCopies = projection?.listing === current?.head.listing && projection?.begun.length === 0;
  const wanted = new Map<ObjectKey, { readonly size: number; readonly sha256: string }>();
  for (const kind of ['documents', 'archives'] as const)
    for (const [path, file] of await listing.all(kind)) {
      wanted.set(objectKeyOf(path, file), file);
      if (hasCopies && isProjected(path)) wanted.set(path, file);
    }
  const sizes = await listedSizes(store);
  const checked = await runBatch([...wanted], requestsAtOnce, async ([key, { size, sha256 }]) => {
    const found = sizes.get(key);
    if (found === undefined) return { key, message: 'The object is missing.' };
    if (found !== size) return { key, message: `The object has ${found} bytes, published were ${size}.` };
    const recorded = fast ? sha256 : (await store.head(key))?.sha256;
    return recorded === sha256
      ? undefined
      : { key, message: `The object's SHA-256 is ${recorded ?? 'not recorded'}, published was ${sha256}.` };
  });
  const faults = checked.filter((fault) => fault !== undefined);
  return { generation: current?.head.generation ?? 0, objects: wanted.size, faults };
}

async function listedSizes(store: ObjectStore): Promise<ReadonlyMap<ObjectKey, number>> {
  const sizes = new Map<ObjectKey, number>();
  for (const prefix of ['index/', 'public/'])
    for await (const { key, size } of store.list(prefix)) sizes.set(key, size);
  return sizes;
}
