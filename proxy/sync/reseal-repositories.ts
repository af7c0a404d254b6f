// Seals the credentials of all repositories under the current key: part of a key rotation.

import type { JsonObject } from '../../build/contract/json.ts';
import { parseRepositoryRecord, repositoryKey, type RepositoryRecord } from './repository.ts';
import { listRepositories } from './list-repositories.ts';
import type { RepositoriesOptions } from './repositories.ts';

/**
 * Seals all credentials under the key that is now the current one: part of a key rotation. Gives how many were under
 * another.
 */
export async function resealRepositories({
  store,
  sealer,
  actor,
}: Pick<RepositoriesOptions, 'store' | 'sealer' | 'actor'>): Promise<number> {
  let count = 0;
  for (const { id } of await listRepositories(store)) if (await reseal({ store, sealer, actor }, id)) count += 1;
  return count;
}

async function reseal(
  { store, sealer, actor }: Pick<RepositoriesOptions, 'store' | 'sealer' | 'actor'>,
  id: RepositoryRecord['id'],
): Promise<boolean> {
  const key = repositoryKey(id);
  for (;;) {
    const entry = await store.get(key);
    if (entry === undefined) return false; // removed in between
    const record = parseRepositoryRecord(entry.value);
    if (record.credentials === null) return false;
    const credentials = sealer.reseal(record.credentials, id);
    if (credentials === record.credentials) return false;
    const done = await store.commit(
      {
        conditions: [{ key, revision: entry.revision }],
        puts: [{ key, value: { ...record, credentials } as unknown as JsonObject }],
        deletes: [],
      },
      { actor, action: 'repository.reseal', subject: id, details: {} },
    );
    if (done) return true;
  }
}
