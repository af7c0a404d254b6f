// The rows of one state as Redis has them. Another state in its place is not read: Redis then answers with an error
// (redis-scripts.ts).

import type { JsonValue } from '../../build/contract/json.ts';
import type { RedisClient } from '../core/redis/redis-client.ts';
import type { StoreRow } from './last-known.ts';
import type { StateKeys } from './redis-keys.ts';
import { prefixBounds } from '../core/state/state-change.ts';
import { StateError, wayBack } from '../core/state/state-error.ts';
import type { StateIdentity } from '../core/state/state-identity.ts';
import type { RangeOptions, StateEntry } from '../core/state/state-store.ts';

/** The reads of rows in Redis; both reject with the error of the client. */
export type RedisRows = ReturnType<typeof createRedisRows>;

export function createRedisRows(redis: RedisClient, { meta, rows, order }: StateKeys, identity: StateIdentity) {
  return {
    row: async (key: string): Promise<StoreRow | undefined> => {
      const text = await redis.readState(meta, rows, order, identity, key);
      return text === null ? undefined : { key, text };
    },
    range: async (prefix: string, options: RangeOptions): Promise<readonly StoreRow[]> => {
      const { first, last } = boundsOf(prefix, options);
      const found = await redis.rangeState(
        meta,
        rows,
        order,
        identity,
        first,
        last,
        options.reverse === true ? 1 : 0,
        options.limit ?? -1,
      );
      return Array.from({ length: found.length / 2 }, (_, index) => ({
        key: found[2 * index] ?? '',
        text: found[2 * index + 1] ?? '',
      }));
    },
  };
}

/** `%d+:JSON`, as the script wrote it. Throws StateError. */
export function entryOf({ key, text }: StoreRow, name: string): StateEntry {
  const malformed = (): StateError =>
    new StateError(
      'STATE_CORRUPT',
      `The row ${key} of the state in ${name} is ${text === '' ? 'missing' : 'malformed'}. ${wayBack}`,
    );
  const colon = text.indexOf(':');
  if (!/^\d{1,15}$/.test(text.slice(0, Math.max(0, colon)))) throw malformed();
  const revision = Number(text.slice(0, colon));
  try {
    return { key, value: JSON.parse(text.slice(colon + 1)) as JsonValue, revision };
  } catch (error) {
    if (error instanceof SyntaxError) throw malformed();
    throw error;
  }
}

function boundsOf(
  prefix: string,
  { after, reverse = false }: RangeOptions,
): { readonly first: string; readonly last: string } {
  const { start, end } = prefixBounds(prefix);
  if (reverse) return { first: `[${start}`, last: `(${after === undefined || after > end ? end : after}` };
  return { first: after === undefined || after < start ? `[${start}` : `(${after}`, last: `(${end}` };
}
