// The running servers of a state in a Redis, for commands on every host. A server leaves a mark there and renews it,
// and the mark of a killed server ends by itself. Marks are advice: nothing waits for them, and nothing fails without
// them.

import { randomUUID } from 'node:crypto';

import { createRedisClient, type RedisClient } from '../core/redis/redis-client.ts';
import { stateKeysOf, type StateKeys } from './redis-keys.ts';
import { stateScripts } from './redis-scripts.ts';
import type { StateIdentity } from '../core/state/state-identity.ts';

const renewMs = 4000;
const endsAfterMs = 12_000;
const commandTimeoutMs = 1000;

/** `text` describes the server for `listServers`. Resolves once the mark is there, with the function that removes it. */
export async function announceServer(
  redis: RedisClient,
  { servers, meta }: StateKeys,
  identity: StateIdentity,
  text: () => Promise<string>,
): Promise<() => Promise<void>> {
  const id = randomUUID();
  const mark = (shown: string): Promise<unknown> =>
    // an unreachable or full Redis: the next renewal tries again
    redis.markServer(servers, meta, id, shown, endsAfterMs, identity).catch(() => undefined);
  const renew = async (): Promise<void> => void (await mark(await text()));
  await renew();
  const timer = setInterval(() => void renew(), renewMs).unref();
  return async () => {
    clearInterval(timer);
    await mark('');
  };
}

/** The texts of the running servers; empty if this Redis does not answer. */
export async function listServers(url: string): Promise<readonly string[]> {
  const { redis, keyspace, connect } = createRedisClient({
    url,
    commandTimeout: commandTimeoutMs,
    scripts: stateScripts,
  });
  try {
    await connect();
    return await redis.listServers(stateKeysOf(keyspace).servers);
  } catch {
    return []; // the command that asks has used the state before, and reported what is wrong with it
  } finally {
    redis.disconnect();
  }
}
