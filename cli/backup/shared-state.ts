// A state that is in a Redis, in a backup: there it is a state of a data folder, so that one kind of backup restores to either.

import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';

import { openLmdbStore } from '../../proxy/state/lmdb-store.ts';
import { StateError } from '../../proxy/state/state-error.ts';
import { newStateIdentity } from '../../proxy/state/state-identity.ts';
import type { RedisStore } from '../../proxy/state/redis-store.ts';
import type { StateStore } from '../../proxy/state/state-store.ts';
import { lookOnly, type StatePlace } from '../state-place.ts';
import { UsageError } from '../usage-error.ts';
import { removeLocks } from './staged-state.ts';

/** All rows, as they are at one moment, and the identity, into the new folder `target`. */
export async function keepSharedState(state: StateStore, target: string): Promise<void> {
  const kept = await openLmdbStore(target, { make: true, fresh: state.identity ?? newStateIdentity(randomBytes) });
  try {
    await copyRows(state, kept);
  } finally {
    await kept.close();
  }
  await removeLocks(target);
}

/** The rows and the identity of the state in `directory`, which is removed then. The identity comes last: servers that know it find all rows. */
export async function shareState(directory: string, place: StatePlace<RedisStore>): Promise<void> {
  const kept = await openLmdbStore(directory);
  const state = await place.open();
  try {
    await copyRows(kept, state);
    if (kept.identity !== undefined) await state.rename(kept.identity);
  } finally {
    await Promise.all([kept.close(), state.close()]);
  }
  await rm(directory, { recursive: true });
}

/** Before anything is restored: what is there would be mixed with what comes. Makes nothing. */
export async function refuseFilledState(place: StatePlace): Promise<void> {
  const state = await place.open(lookOnly()).catch((error: unknown) => (error instanceof StateError && error.code === 'STATE_MISSING' ? undefined : Promise.reject(error)));
  if (state === undefined) return;
  const rows = await state.range('', { limit: 1 }).finally(() => state.close());
  if (rows.length > 0) throw new UsageError('The Redis that the setting state names holds a state already. Name an empty database, or empty this one.');
}

async function copyRows(from: StateStore, to: StateStore): Promise<void> {
  const rows = await from.range('');
  await to.commit({ conditions: [], puts: rows.map(({ key, value }) => ({ key, value })), deletes: [] });
}
