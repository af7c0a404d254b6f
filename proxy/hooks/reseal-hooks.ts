// Seals the secrets of all webhooks under the current key: part of a key rotation.

import type { JsonValue } from '../../build/contract/json.ts';
import { hookPrefix, parseHookRecord } from './hook-record.ts';
import type { HooksOptions } from './hooks.ts';

/** Gives the number of secrets that were sealed under another key. */
export async function resealHooks(options: Pick<HooksOptions, 'store' | 'sealer' | 'actor'>): Promise<number> {
  let count = 0;
  for (const { key } of await options.store.range(hookPrefix)) count += await reseal(options, key);
  return count;
}

async function reseal(
  { store, sealer, actor }: Pick<HooksOptions, 'store' | 'sealer' | 'actor'>,
  key: string,
): Promise<number> {
  for (;;) {
    const entry = await store.get(key);
    if (entry === undefined) return 0; // removed in between
    const record = parseHookRecord(entry.value);
    const secrets = record.secrets.map((one) => ({ ...one, sealed: sealer.reseal(one.sealed, key) }));
    const changed = secrets.filter(({ sealed }, index) => sealed !== record.secrets[index]?.sealed).length;
    if (changed === 0) return 0;
    const done = await store.commit(
      {
        conditions: [{ key, revision: entry.revision }],
        puts: [{ key, value: { ...record, secrets } as unknown as JsonValue }],
        deletes: [],
      },
      { actor, action: 'hook.reseal', subject: key.slice(key.lastIndexOf('/') + 1), details: {} },
    );
    if (done) return changed;
  }
}
