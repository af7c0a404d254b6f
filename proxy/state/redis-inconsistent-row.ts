// Finds the row of a damaged state that is in only one of `rows` and `order`, for an error message. It reads a thousand
// rows at a time, so that a large state does not block Redis.

import type { RedisClient } from '../core/redis/redis-client.ts';
import type { StateKeys } from './redis-scripts.ts';

const atOnce = 1000;

/** Describes the row; undefined if both keys agree. Rejects if a key has another type. */
export async function findInconsistentRow(
  redis: RedisClient,
  stateKeys: Pick<StateKeys, 'rows' | 'order'>,
): Promise<string | undefined> {
  const missing = await findMissing(redis, stateKeys);
  if (missing !== undefined) return `the row ${missing} is missing in ${stateKeys.rows}`;
  const unlisted = await findUnlisted(redis, stateKeys);
  return unlisted === undefined ? undefined : `the row ${unlisted} is missing in ${stateKeys.order}`;
}

async function findMissing(
  redis: RedisClient,
  { rows, order }: Pick<StateKeys, 'rows' | 'order'>,
): Promise<string | undefined> {
  for (let first = '-'; ;) {
    const keys = await redis.zrangebylex(order, first, '+', 'LIMIT', 0, atOnce);
    if (keys.length === 0) return undefined;
    const texts = await redis.hmget(rows, ...keys);
    const at = texts.indexOf(null);
    if (at >= 0) return keys[at];
    first = `(${keys.at(-1) ?? ''}`;
  }
}

async function findUnlisted(
  redis: RedisClient,
  { rows, order }: Pick<StateKeys, 'rows' | 'order'>,
): Promise<string | undefined> {
  for (let cursor = '0'; ;) {
    const [next, found] = await redis.hscan(rows, cursor, 'COUNT', atOnce);
    const keys = found.filter((_, index) => index % 2 === 0);
    const listed = await Promise.all(keys.map((key) => redis.zrangebylex(order, `[${key}`, `[${key}`)));
    const at = listed.findIndex(({ length }) => length === 0);
    if (at >= 0) return keys[at];
    if (next === '0') return undefined;
    cursor = next;
  }
}
