// Removes a registered repository, and has the syncer withdraw what it published.

import type { Actor } from '../state/audit.ts';
import type { Repositories } from './repositories.ts';
import type { RepositoryRecord } from './repository.ts';
import type { Syncer } from './syncer.ts';

/**
 * `confirm`: the id of the repository. The packages are those that are withdrawn; that happens after this call. Throws
 * NOT_FOUND, and CONFIRMATION_REQUIRED with `details.packages` for another text.
 */
export async function removeRepository(
  {
    repositories,
    syncer,
    actor,
  }: {
    readonly repositories: Pick<Repositories, 'remove'>;
    readonly syncer: Pick<Syncer, 'removed'>;
    /** whom the history names */
    readonly actor: Actor;
  },
  id: string,
  confirm: string | undefined,
): Promise<{ readonly record: RepositoryRecord; readonly packages: readonly string[] }> {
  const removed = await repositories.remove(id, confirm);
  syncer.removed(removed.record, actor);
  return removed;
}
