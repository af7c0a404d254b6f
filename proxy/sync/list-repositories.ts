// Lists and finds registered repositories, for callers that only read: a build of all sources must not load the modules
// that change repositories.

import type { StateStore } from '../core/state/state-store.ts';
import { listRows, findRow, type Stored } from '../state/rows.ts';
import {
  parseRepositoryRecord,
  repositoryKeyPrefix,
  type RepositoryId,
  type RepositoryRecord,
  parseRepositoryId,
  parseRepositoryPointer,
  repositoryKey,
} from './repository.ts';
import type { ForgePlace } from './forge-place.ts';
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

/** Oldest first. */
export async function listRepositories(store: Pick<StateStore, 'range'>): Promise<readonly RepositoryRecord[]> {
  return (await listRows(store, repositoryKeyPrefix, parseRepositoryRecord)).map(({ record }) => record);
}

/**
 * The order of other Composer repositories, from 1 on, for requests of a name; those of libretto.json come before all
 * of them. `records`: oldest first.
 */
export function askingOrder(records: readonly RepositoryRecord[]): ReadonlyMap<RepositoryId, number> {
  return new Map(records.filter(({ type }) => type === 'composer').map(({ id }, index) => [id, index + 1]));
}
