// Removes a connection with its rows and the secret of its webhook. Its repositories stay registered, and what they published stays.

import { RegistryError } from '../../build/contract/errors.ts';
import { hookKey } from '../hooks/hook-record.ts';
import type { Actor, AuditedStore } from '../state/audit.ts';
import { connectionTokenKey } from './client/token-row.ts';
import { connectionKey, connectionPlaceKey, type ConnectionRecord } from './model/connection.ts';
import { parseSeen, seenPrefix } from './model/forge-repository.ts';
import { findConnection } from './model/list-connections.ts';
import { pagePrefix, progressKey } from './model/progress.ts';

/** `confirm`: the id once more. Throws CONFIRMATION_REQUIRED with the number of registered repositories, NOT_FOUND. */
export async function removeConnection(
  { store, actor }: { readonly store: AuditedStore; readonly actor: Actor },
  text: string,
  confirm: string | undefined,
): Promise<ConnectionRecord> {
  for (;;) {
    const { record, revision } = await findConnection(store, text);
    const { id, forge, web, owner } = record;
    const seen = await store.range(seenPrefix(id));
    if (confirm !== id) {
      const repositories = seen.filter(({ value }) => parseSeen(value).state !== 'skipped').length;
      throw new RegistryError('CONFIRMATION_REQUIRED', { details: { confirm: id, repositories } });
    }
    const pages = await store.range(pagePrefix(id));
    const key = connectionKey(id);
    const hook = hookKey({ of: 'registry', name: id });
    const own = [key, connectionPlaceKey(record), progressKey(id), connectionTokenKey(id), hook];
    const done = await store.commit(
      {
        conditions: [{ key, revision }],
        puts: [],
        deletes: [...own, ...[...seen, ...pages].map((entry) => entry.key)],
      },
      { actor, action: 'connection.delete', subject: id, details: { forge, url: web, owner } },
    );
    if (done) return record;
  }
}
