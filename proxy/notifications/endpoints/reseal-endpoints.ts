// Seals the addresses and secrets of all endpoints under the current key: part of a key rotation.

import type { JsonValue } from '../../../build/contract/json.ts';
import type { EndpointsOptions } from './endpoints.ts';
import { endpointPrefix, parseEndpointRecord, type EndpointRecord } from '../model/endpoint.ts';

type Parts = Pick<EndpointsOptions, 'store' | 'sealer' | 'actor'>;

/** Gives the number of secrets that were sealed under another key. */
export async function resealEndpoints(parts: Parts): Promise<number> {
  let count = 0;
  for (const { key } of await parts.store.range(endpointPrefix)) count += await reseal(parts, key);
  return count;
}

async function reseal({ store, sealer, actor }: Parts, key: string): Promise<number> {
  for (;;) {
    const entry = await store.get(key);
    if (entry === undefined) return 0; // removed in between
    const record = parseEndpointRecord(entry.value);
    const next: EndpointRecord = {
      ...record,
      url: sealer.reseal(record.url, key),
      secrets: record.secrets.map((one) => ({ ...one, sealed: sealer.reseal(one.sealed, key) })),
    };
    const changed =
      Number(next.url !== record.url) +
      next.secrets.filter(({ sealed }, index) => sealed !== record.secrets[index]?.sealed).length;
    if (changed === 0) return 0;
    const done = await store.commit(
      {
        conditions: [{ key, revision: entry.revision }],
        puts: [{ key, value: { ...next } as unknown as JsonValue }],
        deletes: [],
      },
      { actor, action: 'notification.reseal', subject: record.id, details: {} },
    );
    if (done) return changed;
  }
}
