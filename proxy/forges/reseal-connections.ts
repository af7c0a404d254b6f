// Seals the credentials of all connections under the current key: part of a key rotation.

import type { JsonObject } from '../../build/contract/json.ts';
import type { Sealer } from '../keys/sealer.ts';
import type { Actor, AuditedStore } from '../state/audit.ts';
import { connectionTokenKey } from './client/token-row.ts';
import { connectionKey, parseConnectionRecord } from './model/connection.ts';
import { listConnections } from './model/list-connections.ts';
import type { ConnectionId } from '../sync/forge-place.ts';

export interface ResealParts {
  readonly store: AuditedStore;
  readonly sealer: Sealer;
  readonly actor: Actor;
}

/** Gives how many were under another key. */
export async function resealConnections(parts: ResealParts): Promise<number> {
  let count = 0;
  for (const { id } of await listConnections(parts.store)) if (await reseal(parts, id)) count += 1;
  return count;
}

async function reseal({ store, sealer, actor }: ResealParts, id: ConnectionId): Promise<boolean> {
  const key = connectionKey(id);
  for (;;) {
    const entry = await store.get(key);
    if (entry === undefined) return false; // removed in between
    const record = parseConnectionRecord(entry.value);
    const credentials = sealer.reseal(record.credentials, id);
    if (credentials === record.credentials) return false;
    const done = await store.commit(
      {
        conditions: [{ key, revision: entry.revision }],
        puts: [{ key, value: { ...record, credentials } as unknown as JsonObject }],
        // an hour's token under the former key: another one is requested
        deletes: [connectionTokenKey(id)],
      },
      { actor, action: 'connection.reseal', subject: id, details: {} },
    );
    if (done) return true;
  }
}
