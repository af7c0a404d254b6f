// Opens a state in a Redis: checks that the state exists and has a known version, and names the fault otherwise.

import { messageOf } from '../../build/shared/text/message-of.ts';
import { type RedisClient, createRedisClient } from '../core/redis/redis-client.ts';
import { type StateKeys, stateKeysOf } from './redis-keys.ts';
import { lossOf, stateScripts } from './redis-scripts.ts';
import { damagedState, malformedFacts, StateError, unreadableSchema } from '../core/state/state-error.ts';
import { parseStateIdentity, type StateIdentity } from '../core/state/state-identity.ts';
import type { StateOpening } from '../core/state/state-store.ts';
import { describeRedisUrl } from '../core/redis/redis-address.ts';

/** Incremented when an older version could no longer understand the stored rows. */
const redisStateSchema = 1;

/**
 * The identity of the state, if there is one in a format of this version; undefined without a state. Throws StateError.
 */
export async function prepare(
  redis: RedisClient,
  keys: StateKeys,
  name: string,
  { make, fresh }: StateOpening,
): Promise<StateIdentity | undefined> {
  const [schema, found, generation, quiet] = await redis
    .prepareState(keys.meta, keys.rows, keys.order, redisStateSchema, make ? 1 : 0, fresh)
    .catch((error: unknown) => refuseDamage(error, redis, keys, name));
  if (schema === '') return undefined;
  if (schema === String(redisStateSchema)) {
    const identity = parseStateIdentity(found);
    if (identity !== undefined && [generation, quiet].every((count) => /^\d{1,15}$/.test(count))) return identity;
    throw damagedState(name, malformedFacts);
  }
  throw unreadableSchema(name, Number(schema), redisStateSchema);
}

/** Also names a row if rows and list of keys do not agree. */
async function refuseDamage(refusal: unknown, redis: RedisClient, keys: StateKeys, name: string): Promise<never> {
  const found = lossOf(refusal);
  if (found?.loss !== 'damaged') throw refusal;
  const inconsistent = await findInconsistentRow(redis, keys).catch(() => undefined);
  throw damagedState(name, inconsistent === undefined ? found.reason : `${found.reason}; ${inconsistent}`);
}

const rightsAdvice = 'Its user needs the permissions in docs/how-to/state-in-redis.md for the keys libretto:state:*.';

export function refuseMissingRights(missing: readonly string[], name: string): void {
  if (missing.length > 0)
    throw new StateError(
      'STATE_UNUSABLE',
      `The state in ${name} cannot be used: ${missing.join(', ')} may not be sent. ${rightsAdvice}`,
    );
}

/** The reason why a state could not be opened. A refusal by Redis stays; a missing answer may pass. */
export function unusable(name: string, why: unknown): StateError {
  const message = messageOf(why).replace(/\.$/, '');
  const advice = adviceFor(message);
  if (advice === undefined && !isRefusal(why))
    return new StateError(
      'STATE_UNAVAILABLE',
      `The state in ${name} cannot be used: ${message}. Check that this Redis runs, and that the setting state ` +
        'names its host and port; then try again.',
      { cause: why },
    );
  return new StateError(
    'STATE_UNUSABLE',
    `The state in ${name} cannot be used: ${message}. ${advice ?? 'Check what the setting state names.'}`,
    { cause: why },
  );
}

function adviceFor(message: string): string | undefined {
  if (/NOPERM|user executing the script/.test(message)) return rightsAdvice;
  if (/WRONGPASS|NOAUTH|invalid password/i.test(message))
    return 'Give user and password in the URL (redis://USER:PASSWORD@HOST:PORT), best in the variable LIBRETTO_STATE.';
  if (/^(?:MOVED|CROSSSLOT)/.test(message)) return 'It is a server of a cluster: name it as redis+cluster://HOST:PORT.';
  return undefined;
}

function isRefusal(why: unknown): boolean {
  return (
    (why instanceof Error && why.name === 'ReplyError' && !why.message.startsWith('LOADING')) ||
    /certificate|knows no primary|a server without a cluster/.test(messageOf(why))
  );
}

// Finds the row of a damaged state that is in only one of `rows` and `order`, for an error message. It reads a thousand
// rows at a time, so that a large state does not block Redis.

const atOnce = 1000;

type RowKeys = Pick<StateKeys, 'rows' | 'order'>;

/** Describes the row; undefined if both keys agree. Rejects if a key has another type. */
async function findInconsistentRow(redis: RedisClient, place: RowKeys): Promise<string | undefined> {
  const missing = await findMissing(redis, place);
  if (missing !== undefined) return `the row ${missing} is missing in ${place.rows}`;
  const unlisted = await findUnlisted(redis, place);
  return unlisted === undefined ? undefined : `the row ${unlisted} is missing in ${place.order}`;
}

async function findMissing(redis: RedisClient, { rows, order }: RowKeys): Promise<string | undefined> {
  for (let first = '-'; ;) {
    const keys = await redis.zrangebylex(order, first, '+', 'LIMIT', 0, atOnce);
    if (keys.length === 0) return undefined;
    const texts = await redis.hmget(rows, ...keys);
    const at = texts.indexOf(null);
    if (at >= 0) return keys[at];
    first = `(${keys.at(-1) ?? ''}`;
  }
}

async function findUnlisted(redis: RedisClient, { rows, order }: RowKeys): Promise<string | undefined> {
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

/**
 * A commit is one script: a missing right would show in the middle, after one half was written.
 *
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

/**
 * Gives the keys of a damaged or abandoned state other names in the same database, for a later examination. Returns the
 * new prefix of its keys; undefined if there was no state. Running servers find no state until another one has its
 * identity. Rejects with StateError.
 */
export async function setRedisStateAside(url: string, now: Date): Promise<string | undefined> {
  const { redis, keyspace, connect, reason } = createRedisClient({ url, commandTimeout: 2000, scripts: stateScripts });
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
