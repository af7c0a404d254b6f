// Finds a registered repository: by the id that a person wrote, or by its identity at a forge.

import { RegistryError } from '../../build/contract/errors.ts';
import type { StateStore } from '../core/state/state-store.ts';
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
export async function findRepository(
  store: Pick<StateStore, 'get'>,
  text: string,
): Promise<{ record: RepositoryRecord; revision: number }> {
  const id = parseRepositoryId(text);
  const entry = id === undefined ? undefined : await store.get(repositoryKey(id));
  if (entry === undefined)
    throw new RegistryError('NOT_FOUND', {
      message: `There is no repository with the id ${JSON.stringify(text.slice(0, 80))}.`,
    });
  return { record: parseRepositoryRecord(entry.value), revision: entry.revision };
}

/** undefined: none is registered. The name at the forge does not matter. */
export async function findAtForge(
  store: Pick<StateStore, 'get'>,
  place: ForgePlace,
): Promise<RepositoryRecord | undefined> {
  const entry = await store.get(forgeKey(place));
  return entry === undefined ? undefined : (await findRepository(store, parseRepositoryPointer(entry.value))).record;
}
