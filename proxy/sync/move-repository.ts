// Notes where a registered repository is at its forge now: after a rename there, or when another connection takes it
// over. The record keeps its id. Its published versions keep the address that they were published under.

import type { JsonObject } from '../../build/contract/json.ts';
import type { AuditedStore, ChangeParts } from '../state/audit.ts';
import { findRepository } from './list-repositories.ts';
import type { ForgePlace } from './forge-place.ts';
import { movedRows } from './repository-places.ts';
import { parseRepositoryRecord, repositoryKey, type RepositoryId, type RepositoryRecord } from './repository.ts';
import type { RepositorySources } from './repository-sources.ts';
import { dueAgain } from './sync-again.ts';

export interface MoveParts extends Omit<ChangeParts, 'randomBytes'> {
  readonly sources: Pick<RepositorySources, 'placeOf'>;
}

/** Throws NOT_FOUND. */
export async function moveRepository(
  { store, sources, actor, now }: MoveParts,
  id: string,
  forge: ForgePlace,
): Promise<void> {
  for (;;) {
    const { record, revision } = await findRepository(store, id);
    const moved = movedRecord(record, forge, new Date(now()).toISOString());
    const key = repositoryKey(record.id);
    const rows = await movedRows(store, sources, { before: record, after: moved }, (other) =>
      hasLeft(store, other, forge),
    );
    const due = record.forge?.connection === forge.connection ? [] : await dueAgain(store, [record]);
    const done = await store.commit(
      {
        conditions: [{ key, revision }, ...rows.conditions],
        puts: [{ key, value: moved as unknown as JsonObject }, ...rows.puts, ...due],
        deletes: rows.deletes,
      },
      {
        actor,
        action: 'repository.move',
        subject: record.id,
        details: { from: record.url, to: forge.url, connection: forge.connection },
      },
    );
    if (done) return;
  }
}

function movedRecord(record: RepositoryRecord, forge: ForgePlace, time: string): RepositoryRecord {
  const { published_as: former, ...rest } = record;
  const published_as = former ?? record.url;
  const isElsewhere = published_as !== forge.url;
  return { ...rest, url: forge.url, forge, updated_at: time, ...(isElsewhere ? { published_as } : {}) };
}

/** Another repository of the same forge cannot be at this address any more: the next refresh finds where it is. */
async function hasLeft(store: AuditedStore, other: RepositoryId, { web }: ForgePlace): Promise<boolean> {
  const entry = await store.get(repositoryKey(other));
  return entry === undefined || parseRepositoryRecord(entry.value).forge?.web === web;
}
