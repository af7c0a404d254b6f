// Opens a state in a Redis: checks that the state exists and has a known version, and names the fault otherwise.

import { messageOf } from '../../build/shared/text/message-of.ts';
import { librettoVersion } from '../../build/contract/libretto-version.ts';
import { newerAdvice } from '../../build/contract/newer-format.ts';
import type { RedisClient } from '../core/redis/redis-client.ts';
import type { StateKeys } from './redis-keys.ts';
import { lossOf } from './redis-scripts.ts';
import { StateError, wayBack } from '../core/state/state-error.ts';
import { parseStateIdentity, type StateIdentity } from '../core/state/state-identity.ts';
import type { StateOpening } from '../core/state/state-store.ts';

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
    throw new StateError(
      'STATE_CORRUPT',
      `The state in ${name} is damaged: its identity or its generation is malformed. ${wayBack}`,
    );
  }
  if (Number(schema) > redisStateSchema)
    throw new StateError(
      'STATE_TOO_NEW',
      `The state in ${name} was written by a newer version of Libretto (schema ${schema}; Libretto ` +
        `${librettoVersion} reads schema ${redisStateSchema}). ${newerAdvice}.`,
    );
  throw new StateError(
    'STATE_CORRUPT',
    `The state in ${name} names no schema this version knows. It is not Libretto's, or it is damaged. ${wayBack}`,
  );
}

/** Also names a row if rows and list of keys do not agree. */
async function refuseDamage(refusal: unknown, redis: RedisClient, keys: StateKeys, name: string): Promise<never> {
  const found = lossOf(refusal);
  if (found?.loss !== 'damaged') throw refusal;
  const inconsistent = await findInconsistentRow(redis, keys).catch(() => undefined);
  throw damagedState(name, inconsistent === undefined ? found.reason : `${found.reason}; ${inconsistent}`);
}

export function damagedState(name: string, reason: string): StateError {
  return new StateError('STATE_CORRUPT', `The state in ${name} is damaged: ${reason}. ${wayBack}`);
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
