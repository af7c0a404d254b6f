// Finds a registered repository: by the id that a person wrote, or by its identity at a forge.

import type { StateStore } from '../core/state/state-store.ts';
import { findRow, type Stored } from '../state/rows.ts';
import type { ForgePlace } from './forge-place.ts';
import {
  parseRepositoryId,
  parseRepositoryPointer,
  parseRepositoryRecord,
  repositoryKey,
  type RepositoryRecord,
} from './repository.ts';
import { forgeKey } from './repository-places.ts';

/** The record with its revision in the state. Throws NOT_FOUND. */
export async function findRepository(store: Pick<StateStore, 'get'>, text: string): Promise<Stored<RepositoryRecord>> {
  const id = parseRepositoryId(text);
  return findRow(store, { text, key: id && repositoryKey(id), noun: 'repository' }, parseRepositoryRecord);
}

/** undefined: none is registered. The name at the forge does not matter. */
export async function findAtForge(
  store: Pick<StateStore, 'get'>,
  place: ForgePlace,
): Promise<RepositoryRecord | undefined> {
  const entry = await store.get(forgeKey(place));
  return entry === undefined ? undefined : (await findRepository(store, parseRepositoryPointer(entry.value))).record;
}
