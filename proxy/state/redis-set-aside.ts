// Sets a damaged or abandoned state in a Redis aside. Its keys get other names in the same database, for a later
// examination.

import { describeRedisUrl } from '../core/redis/redis-address.ts';
import { createRedisClient } from '../core/redis/redis-client.ts';
import { unusable } from './redis-opening.ts';
import { stateKeysOf } from './redis-keys.ts';
import { stateScripts } from './redis-scripts.ts';

const commandTimeoutMs = 2000;

/**
 * The new prefix of its keys; undefined if there was no state. Running servers find no state until another one has its
 * identity. Rejects with StateError.
 */
export async function setRedisStateAside(url: string, now: Date): Promise<string | undefined> {
  const { redis, keyspace, connect, reason } = createRedisClient({
    url,
    commandTimeout: commandTimeoutMs,
    scripts: stateScripts,
  });
  try {
    await connect();
    const { prefix, rows, order, meta } = stateKeysOf(keyspace);
    const aside = `${prefix}replaced-${now.toISOString().replaceAll(/[:.]/g, '-')}:`;
    const moved = await redis.setStateAside(rows, order, meta, `${aside}rows`, `${aside}order`, `${aside}meta`);
    return moved === 0 ? undefined : aside;
  } catch (error) {
    throw unusable(describeRedisUrl(url), reason() ?? error);
  } finally {
    redis.disconnect();
  }
}
