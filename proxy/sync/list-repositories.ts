// All registered repositories, for those who only read them: a build of everything must not load what keeps them.

import type { StateStore } from '../state/state-store.ts';
import { parseRepositoryRecord, repositoryKeyPrefix, type RepositoryId, type RepositoryRecord } from './repository.ts';

/** Oldest first. */
export async function listRepositories(store: Pick<StateStore, 'range'>): Promise<readonly RepositoryRecord[]> {
  const records = (await store.range(repositoryKeyPrefix)).map(({ value }) => parseRepositoryRecord(value));
  return records.toSorted((one, other) => (`${one.created_at} ${one.id}` < `${other.created_at} ${other.id}` ? -1 : 1));
}

/**
 * Of other Composer repositories, from 1 on: the order in which they are asked for a name, those of libretto.json
 * before all of them. `records`: oldest first.
 */
export function askingOrder(records: readonly RepositoryRecord[]): ReadonlyMap<RepositoryId, number> {
  return new Map(records.filter(({ type }) => type === 'composer').map(({ id }, index) => [id, index + 1]));
}
