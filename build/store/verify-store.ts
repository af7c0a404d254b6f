// Compares the objects of a store with the listing of its head: each must be there with its size and, unless `fast` is
// true, with its bytes, which are read. So must the copies at their own paths, unless a builder is at work on them.

import { objectKeyOf, type ListedFile } from '../contract/store-listing.ts';
import { runBatch } from '../shared/concurrency/batch.ts';
import type { ObjectKey, ObjectStore } from './object-store.ts';
import { isProjected } from './projection.ts';
import { readProjection } from './projection-lease.ts';
import { StoreFailure } from './store-failure.ts';
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

interface CheckOptions {
  readonly fast: boolean;
  /** called for each object, with the number of those that are checked */
  readonly onChecked?: (key: ObjectKey, done: number, total: number) => void;
}

type Wanted = ListedFile & { readonly isCopy: boolean };

const requestsAtOnce = 16;
const missing = 'The object is missing.';
const restore = 'Restore it from a version of the bucket, or from a backup.';
const copyAnew =
  'It is a copy for static hosts: delete index/_projection.json in the store and build/store/base.json in a data ' +
  'folder, and run `libretto build` there.';

/**
 * `only`: the objects that were wrong before another publication came. Throws StoreFailure if the store, its head or
 * its listing cannot be read.
 */
export async function verifyStore(
  dataDirectory: string,
  store: ObjectStore,
  options: CheckOptions,
  only?: ReadonlySet<ObjectKey>,
): Promise<StoreReport> {
  const copy = new WorkingCopy(dataDirectory, store);
  const { generation, wanted } = await wantedObjects(copy);
  const objects = [...wanted].filter(([key]) => only?.has(key) ?? true);
  const faults = await findFaults(store, objects, options);
  const report = { generation, objects: objects.length, faults };
  if (faults.length === 0 || (await copy.current()).current?.head.generation === generation) return report;
  const again = await verifyStore(dataDirectory, store, options, new Set(faults.map(({ key }) => key)));
  return { ...again, objects: objects.length };
}

async function wantedObjects(copy: WorkingCopy) {
  const projection = await readProjection(copy);
  const { current, listing } = await copy.current();
  const hasCopies = projection?.listing === current?.head.listing && projection?.begun.length === 0;
  const wanted = new Map<ObjectKey, Wanted>();
  for (const kind of ['documents', 'archives'] as const)
    for (const [path, file] of await listing.all(kind)) {
      if (hasCopies && isProjected(path)) wanted.set(path, { ...file, isCopy: true });
      wanted.set(objectKeyOf(path, file), { ...file, isCopy: false });
    }
  return { generation: current?.head.generation ?? 0, wanted };
}

async function findFaults(
  store: ObjectStore,
  objects: readonly (readonly [ObjectKey, Wanted])[],
  { fast, onChecked }: CheckOptions,
): Promise<readonly StoreFault[]> {
  const sizes = await listedSizes(store);
  let done = 0;
  const checked = await runBatch(objects, requestsAtOnce, async ([key, { isCopy, ...expected }]) => {
    const size = sizes.get(key);
    const isRead = !fast && size === expected.size;
    const fault = isRead ? await readFault(store, key, expected) : sizeFault(size, expected);
    onChecked?.(key, (done += 1), objects.length);
    return fault === undefined ? [] : [{ key, message: `${fault} ${isCopy ? copyAnew : restore}` }];
  });
  return checked.flat();
}

function sizeFault(size: number | undefined, { size: published }: Pick<Wanted, 'size'>): string | undefined {
  if (size === undefined) return missing;
  return size === published ? undefined : `The object has ${size} bytes, published were ${published}.`;
}

async function readFault(store: ObjectStore, key: ObjectKey, expected: ListedFile): Promise<string | undefined> {
  try {
    return (await store.download(key, undefined, expected)) ? undefined : missing;
  } catch (error) {
    if (error instanceof StoreFailure && error.kind === 'damaged') return 'The object has other bytes than published.';
    throw error;
  }
}

async function listedSizes(store: ObjectStore): Promise<ReadonlyMap<ObjectKey, number>> {
  const sizes = new Map<ObjectKey, number>();
  for (const prefix of ['index/', 'public/'])
    for await (const { key, size } of store.list(prefix)) sizes.set(key, size);
  return sizes;
}
