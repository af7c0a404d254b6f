// Lists all registered repositories for read-only callers. A build of all sources must not load the modules that change
// repositories.

import type { StateStore } from '../core/state/state-store.ts';
import { listRows } from '../state/rows.ts';
import { parseRepositoryRecord, repositoryKeyPrefix, type RepositoryId, type RepositoryRecord } from './repository.ts';

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
