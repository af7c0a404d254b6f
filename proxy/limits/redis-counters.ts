// The count that several hosts share, in Redis: one atomic script a request.

import { createRedisClient } from '../redis-client.ts';
import { endSlackMs, type SharedCounters } from './shared-counters.ts';

/**
 * KEYS[1] the key; ARGV limit, window (ms), floor: used, floor: ends in (ms). Answers {admitted, used, ends in (ms)}.
 * The window's end is the key's own expiry, so no clock of ours is part of it, and nothing is left behind. A refused request writes nothing,
 * hence extends nothing. A key without an expiry (a restore, a stray PERSIST) gets one here, or it would refuse for ever.
 */
const script = `
local limit, window = tonumber(ARGV[1]), tonumber(ARGV[2])
local floor_used, floor_ends = tonumber(ARGV[3]), tonumber(ARGV[4])
local used = tonumber(redis.call('GET', KEYS[1])) or 0
local ends = redis.call('PTTL', KEYS[1])
local rewrite = false
if ends < 0 or ends > window then
  ends = window
  rewrite = true
end
if floor_used > 0 then
  if floor_used > used then used = floor_used; rewrite = true end
  if floor_ends + ${endSlackMs} < ends then ends = floor_ends; rewrite = true end
end
if used >= limit then
  if rewrite then redis.call('SET', KEYS[1], used, 'PX', math.max(ends, 1)) end
  return {0, used, ends}
end
used = used + 1
if rewrite or used == 1 then
  redis.call('SET', KEYS[1], used, 'PX', math.max(ends, 1))
else
  redis.call('INCR', KEYS[1])
end
return {1, used, ends}
`;

export interface RedisCountersOptions {
  /** `redis://[user:password@]host:port[/database]`, `rediss://…` with TLS, or a socket's path */
  readonly url: string;
  readonly keyPrefix?: string;
}

export function createRedisCounters({ url, keyPrefix = 'libretto:count:' }: RedisCountersOptions): SharedCounters {
  const { redis, reason } = createRedisClient({
    url,
    keyPrefix,
    // how long a request waits is decided in resilient-counters.ts; this ends a handshake or a trial that nobody answers
    commandTimeout: 500,
    // a connection that is silent while commands wait is replaced, and not waited for until the kernel gives it up
    socketTimeout: 1000,
    enableAutoPipelining: true,
    scripts: { countRequest: { lua: script, numberOfKeys: 1 } },
  });
  return {
    connect: async () => {
      await redis.connect().catch(() => undefined);
    },
    hit: async ({ key, limit, windowMs, floor }) => {
      try {
        const [admitted, used, endsInMs] = await redis.countRequest(key, limit, windowMs, floor.used, Math.ceil(floor.endsInMs));
        return { admitted: admitted === 1, used, endsInMs };
      } catch (error) {
        throw reason() ?? error;
      }
    },
    peek: async (key) => {
      const [used, endsInMs] = await Promise.all([redis.get(key), redis.pttl(key)]);
      // without an expiry it is a window that the next request mends
      return used === null || endsInMs <= 0 ? undefined : { used: Number(used), endsInMs };
    },
    close: async () => {
      redis.disconnect();
    },
  };
}
