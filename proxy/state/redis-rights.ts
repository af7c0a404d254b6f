// Checks that our Redis user has all rights that keeping a state needs. A commit is one script: a missing right would
// show in the middle, after one half was written.

import type { RedisClient } from '../core/redis/redis-client.ts';
import type { StateKeys } from './redis-keys.ts';

/**
 * KEYS rows, order, meta; ARGV 1 if the state waits for replicas. Returns the names of commands. Before Redis 7 there
 * is no such query.
 */
const script = `
local missing = {}
local function need(...)
  if not redis.acl_check_cmd(...) then missing[#missing + 1] = (...) end
end
if not redis.acl_check_cmd then return missing end
need('EVALSHA', 'script', 0)
need('EXISTS', KEYS[1])
need('HGET', KEYS[1], 'key')
need('HGET', KEYS[3], 'key')
need('HMGET', KEYS[1], 'key')
need('HMGET', KEYS[3], 'key')
need('HSET', KEYS[1], 'key', '')
need('HDEL', KEYS[1], 'key')
need('HLEN', KEYS[1])
need('HSCAN', KEYS[1], 0)
need('HINCRBY', KEYS[3], 'key', 1)
need('ZADD', KEYS[2], 0, 'key')
need('ZCARD', KEYS[2])
need('ZREM', KEYS[2], 'key')
need('ZRANGEBYLEX', KEYS[2], '-', '+')
need('ZREVRANGEBYLEX', KEYS[2], '+', '-')
need('TIME')
if ARGV[1] == '1' then need('WAIT', 1, 1) end
return missing
`;

/**
 * Commands of the state that this user must not send, or must not use with the state's keys. Rejects if the user must
 * not run scripts.
 */
export async function findMissingRights(
  redis: RedisClient,
  { rows, order, meta }: StateKeys,
  waits: boolean,
): Promise<readonly string[]> {
  const missing: unknown = await redis.eval(script, 3, rows, order, meta, waits ? 1 : 0);
  return Array.isArray(missing) ? missing.map(String) : [];
}
