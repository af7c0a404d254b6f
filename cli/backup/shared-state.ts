// A state that is in a Redis, in a backup: there it is a state of a data folder, so that one kind of backup restores to either.

import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import { openLmdbStore } from '../../proxy/state/lmdb-store.ts';
import type { StateStore } from '../../proxy/state/state-store.ts';
import { UsageError } from '../usage-error.ts';

/** All rows, as they are at one moment, into the new folder `target`. */
export async function keepSharedState(state: StateStore, target: string): Promise<void> {
  const kept = await openLmdbStore(target);
  try {
    await copyRows(state, kept);
  } finally {
    await kept.close();
  }
  await Promise.all(['lock.mdb', 'turn'].map((name) => rm(join(target, name), { force: true })));
}

/** The rows of the state in `directory`, which is removed then. */
export async function shareState(directory: string, state: StateStore): Promise<void> {
  const kept = await openLmdbStore(directory);
  try {
    await copyRows(kept, state);
  } finally {
    await kept.close();
  }
  await rm(directory, { recursive: true });
}

/** Before anything is restored: what is there would be mixed with what comes. */
export async function refuseFilledState(state: StateStore): Promise<void> {
  if ((await state.range('', { limit: 1 })).length > 0) throw new UsageError('The Redis that the setting state names holds a state already. Name an empty database, or empty this one.');
}

async function copyRows(from: StateStore, to: StateStore): Promise<void> {
  const rows = await from.range('');
  await to.commit({ conditions: [], puts: rows.map(({ key, value }) => ({ key, value })), deletes: [] });
}
