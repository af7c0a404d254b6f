// Writes the head of a store by compare-and-swap. While a builder removes unused objects, the head names it, and nobody
// publishes: a publication that sends an equal object again would lose it (I27). The name in the head makes running
// publications start over, and the next ones wait.

import { setTimeout as sleep } from 'node:timers/promises';
import { formatHead, headKey, type StoreHead } from '../contract/store-listing.ts';
import type { WaitOptions } from '../output/wait-for-lock.ts';
import { digestOf } from '../shared/text/digest-of.ts';
import type { ObjectKey } from './object-store.ts';
import { jsonHeaders, leaseObserver, nameOfCopy } from './projection-lease.ts';
import type { StoreBase, WorkingCopy } from './working-copy.ts';

type Current = NonNullable<StoreBase['current']>;

const pollMs = 500;
/** the requests of a store that run side by side */
const removalsAtOnce = 16;
const renewalMs = 30_000;
/** longer than two requests with their repetitions and a renewal: no removal of a lost lease is on its way */
const removalLeaseMs = 10 * 60_000;

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
  const written = await copy.store.put(headKey, { bytes, sha256: digestOf(bytes) }, jsonHeaders, condition);
  return written.outcome === 'written' ? { head, etag: written.etag } : undefined;
}

/**
 * Removes objects while the head names this builder. False: another builder has published first, or has ended this
 * removal as that of a killed one. Throws StoreFailure.
 */
export async function removeAlone(
  copy: WorkingCopy,
  current: Current,
  keys: readonly ObjectKey[],
  now: () => Date,
): Promise<boolean> {
  const by = await nameOfCopy(copy);
  const { serial, listing } = current.head;
  const write = (before: Current, removing?: string): Promise<Current | undefined> =>
    writeHead(copy, before, { serial, listing, ...(removing && { removing }) }, now);
  let held = await write(current, by);
  for (let from = 0, writtenMs = now().getTime(); from < keys.length; from += removalsAtOnce) {
    if (held !== undefined && Math.abs(now().getTime() - writtenMs) >= renewalMs) {
      held = await write(held, by);
      writtenMs = now().getTime();
    }
    if (held === undefined) return false;
    try {
      await copy.store.remove(keys.slice(from, from + removalsAtOnce));
    } catch (error) {
      await write(held);
      throw error;
    }
  }
  return held !== undefined && (await write(held)) !== undefined;
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
