// Notes where a registered repository is at its forge now: after a rename there, or when another connection takes it
// over. The record keeps its id and its `url`, and so its published versions.

import type { JsonObject } from '../../build/contract/json.ts';
import type { Actor, AuditedStore } from '../state/audit.ts';
import { findRepository } from './find-repository.ts';
import type { ForgePlace } from './forge-place.ts';
import { repositoryKey, type RepositoryId } from './repository.ts';

export interface MoveParts {
  readonly store: AuditedStore;
  readonly actor: Actor;
  /** epoch milliseconds */
  readonly now: () => number;
}

/** Throws NOT_FOUND. */
export async function moveRepository(
  { store, actor, now }: MoveParts,
  id: RepositoryId,
  forge: ForgePlace,
): Promise<void> {
  for (;;) {
    const { record, revision } = await findRepository(store, id);
    const moved = { ...record, forge, updated_at: new Date(now()).toISOString() };
    const key = repositoryKey(id);
    const done = await store.commit(
      { conditions: [{ key, revision }], puts: [{ key, value: moved as unknown as JsonObject }], deletes: [] },
      {
        actor,
        action: 'repository.move',
        subject: id,
        details: { from: record.forge?.url ?? record.url, to: forge.url, connection: forge.connection },
      },
    );
    if (done) return;
  }
}
