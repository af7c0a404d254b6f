// Writes the head of a store by compare-and-swap. While a builder removes unused objects, the head names it, and nobody
// publishes: a publication that sends an equal object again would lose it (I27). The name in the head makes running
// publications start over, and the next ones wait.

import { setTimeout as sleep } from 'node:timers/promises';
import { formatHead, headKey, type StoreHead } from '../contract/store-listing.ts';
import type { WaitOptions } from '../output/wait-for-lock.ts';
import { digestOf } from '../shared/text/digest-of.ts';
import type { ObjectKey } from './object-store.ts';
import { leaseObserver, nameOfCopy } from './projection-lease.ts';
import type { StoreBase, WorkingCopy } from './working-copy.ts';

type Current = NonNullable<StoreBase['current']>;

const pollMs = 500;
/** longer than one request with its repetitions, so that no removal of a lost lease is on its way */
const removalLeaseMs = 5 * 60_000;
const headers = { contentType: 'application/json', cacheControl: 'private, no-cache' };

/** undefined: another builder was first. */
export async function writeHead(
  copy: WorkingCopy,
  before: Current | undefined,
  next: Pick<StoreHead, 'serial' | 'listing' | 'removing'>,
  now: () => Date,
): Promise<Current | undefined> {
  const generation = (before?.head.generation ?? 0) + 1;
  const { serial, listing, removing } = next;
  const head: StoreHead = {
    generation,
    serial,
    written_at: now().toISOString(),
    listing,
    ...(removing && { removing }),
  };
  const bytes = Buffer.from(formatHead(head));
  const condition = before === undefined ? 'absent' : { etag: before.etag };
  const written = await copy.store.put(headKey, { bytes, sha256: digestOf(bytes) }, headers, condition);
  return written.outcome === 'written' ? { head, etag: written.etag } : undefined;
}

/** Each batch is one request. False: another builder has published first, or has taken this removal for a killed one. */
export async function removeAlone(
  copy: WorkingCopy,
  current: Current,
  batches: readonly (readonly ObjectKey[])[],
  now: () => Date,
): Promise<boolean> {
  const by = await nameOfCopy(copy);
  const { serial, listing } = current.head;
  const write = (before: Current, removing?: string): Promise<Current | undefined> =>
    writeHead(copy, before, { serial, listing, ...(removing && { removing }) }, now);
  let held = await write(current, by);
  for (const [number, keys] of batches.entries()) {
    if (held === undefined) return false;
    try {
      await copy.store.remove(keys);
    } catch (error) {
      await write(held);
      throw error;
    }
    held = await write(held, number + 1 < batches.length ? by : undefined);
  }
  return held !== undefined;
}

/** The result of `read` at a moment at which nobody removes objects. */
export async function betweenRemovals<Base extends StoreBase>(
  copy: WorkingCopy,
  read: () => Promise<Base>,
  { now, progress }: { readonly now: () => Date } & Pick<WaitOptions, 'progress'>,
): Promise<Base> {
  let isFree: ReturnType<typeof leaseObserver> | undefined;
  for (;;) {
    const base = await read();
    const { current } = base;
    if (current?.head.removing === undefined) return base;
    if (isFree === undefined) {
      isFree = leaseObserver(await nameOfCopy(copy), now, removalLeaseMs);
      const label = `for the builder that removes objects at ${copy.store.name}: at most ${removalLeaseMs / 60_000} minutes if it was killed`;
      progress?.({ phase: 'wait', done: 0, total: 0, label });
    }
    const { removing: by, ...head } = current.head;
    if (isFree({ by, etag: current.etag })) await writeHead(copy, current, head, now);
    else await sleep(pollMs);
  }
}
