// Converts between a state in a Redis and a state in a data folder. A backup always has the second form, so that it
// restores to either.

import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';

import { openLmdbStore } from '../../proxy/state/lmdb-store.ts';
import { StateError } from '../../proxy/core/state/state-error.ts';
import { newStateIdentity } from '../../proxy/core/state/state-identity.ts';
import type { RedisStore } from '../../proxy/state/redis-store.ts';
import type { StateStore } from '../../proxy/core/state/state-store.ts';
import { openReadOnly, type StatePlace } from '../state/state-place.ts';
import { assertRecords } from '../state/state-records.ts';
import { UsageError } from '../io/usage-error.ts';
import { removeLocks } from './staged-state.ts';

/**
 * Writes all rows, as of one moment, and the identity into the new folder `target`. Rejects with StateError for a
 * damaged state: without its rows the copy would seem intact and be empty.
 */
export async function copySharedState(state: StateStore, target: string): Promise<void> {
  await assertRecords(state, 'No backup was made. ');
  const copy = await openLmdbStore(target, { make: true, fresh: state.identity ?? newStateIdentity(randomBytes) });
  try {
    await copyRows(state, copy);
  } finally {
    await copy.close();
  }
  await removeLocks(target);
}

/**
 * The rows and the identity of the state in `directory`, which is removed then. Writes the identity last: servers that
 * know it find all rows. Returns the place of a damaged former state. Throws UsageError if the former state is intact.
 */
export async function shareState(
  directory: string,
  place: StatePlace<RedisStore>,
  now: Date,
): Promise<string | undefined> {
  const aside = (await findsDamagedState(place)) ? await place.setAside(now) : undefined;
  const backup = await openLmdbStore(directory);
  const state = await place.open();
  try {
    await copyRows(backup, state);
    if (backup.identity !== undefined) await state.rename(backup.identity);
  } finally {
    await Promise.all([backup.close(), state.close()]);
  }
  await rm(directory, { recursive: true });
  return aside;
}

/**
 * True if the place of the restored state has a damaged state. Throws UsageError if that state is intact, because its
 * data would be lost. Creates no state.
 */
export async function findsDamagedState(place: StatePlace): Promise<boolean> {
  try {
    const state = await place.open(openReadOnly());
    const isEmpty = await holdsNothing(state).finally(() => state.close());
    if (isEmpty) return false;
  } catch (error) {
    if (error instanceof StateError && error.code === 'STATE_MISSING') return false;
    if (error instanceof StateError && error.code === 'STATE_CORRUPT') return true;
    throw error;
  }
  throw new UsageError(
    'The Redis database that the setting `state` names already contains a state. Name an empty database, or empty this one.',
  );
}

/** Rejects with StateError if the state is damaged. */
async function holdsNothing(state: StateStore): Promise<boolean> {
  const rows = await state.range('', { limit: 1 });
  if (rows.length > 0) await assertRecords(state);
  return rows.length === 0;
}

async function copyRows(from: StateStore, to: StateStore): Promise<void> {
  const rows = await from.range('');
  await to.commit({ conditions: [], puts: rows.map(({ key, value }) => ({ key, value })), deletes: [] });
}
