// The keys of the rows beside the record of a repository: its jobs, its webhook, and what the hook asked for. The
// removal of a repository deletes all of them.

import type { StateStore } from '../core/state/state-store.ts';
import { activeKey, jobPrefix } from './job.ts';
import { pendingKey } from './pending-sync.ts';
import { outcomeKey, type RepositoryId } from './repository.ts';

/** The row with the secrets of a repository's own webhook. */
export function repositoryHookKey(id: RepositoryId): string {
  return `hook/repository/${id}`;
}

/** The deliveries of hooks that concern one repository, or `registry`: those to the address for all repositories. */
export function deliveryPrefix(list: RepositoryId | 'registry'): string {
  return `hook-delivery/${list}/`;
}

export const refusalPrefix = 'hook-refusal/';

/** The count of refused requests to the webhook of one repository, or to the address for all repositories. */
export function refusalKey(list: RepositoryId | 'registry'): string {
  return `${refusalPrefix}${list}`;
}

/** The keys of all rows of this repository except its record and its place. */
export async function rowsOf(store: Pick<StateStore, 'range'>, id: RepositoryId): Promise<readonly string[]> {
  const lists = await Promise.all([jobPrefix(id), deliveryPrefix(id)].map((prefix) => store.range(prefix)));
  const single = [outcomeKey(id), activeKey(id), pendingKey(id), repositoryHookKey(id), refusalKey(id)];
  return [...single, ...lists.flat().map(({ key }) => key)];
}
