// The state of a backup before it gets its place: it is read whole, and its data folder will know it by name.

import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import { openLmdbStore } from '../../proxy/state/lmdb-store.ts';
import { rememberState } from '../state/remembered-state.ts';
import { readStateWhole } from '../state/verify-state.ts';

/** Does nothing if the backup has no state. Rejects with StateError. */
export async function nameStagedState(staging: string): Promise<void> {
  const directory = join(staging, 'state');
  if (!existsSync(join(directory, 'data.mdb'))) return;
  await readStateWhole(directory, 'Nothing was restored. Take another backup.');
  const state = await openLmdbStore(directory);
  await state.close();
  if (state.identity !== undefined) await rememberState(staging, { identity: state.identity, redis: undefined });
  await removeLocks(directory);
}

/** Removes the lock files that a process leaves with an opened state. */
export async function removeLocks(directory: string): Promise<void> {
  await Promise.all(['lock.mdb', 'turn'].map((name) => rm(join(directory, name), { force: true })));
}
