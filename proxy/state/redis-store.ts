// The state in a Redis, for several hosts that serve one registry. Every change is one script: it checks the conditions, writes, and tells the other
// hosts, or does nothing. What Redis has acknowledged is as durable as Redis was told to make it (redis-durability.ts).
//
// While Redis is out of reach nothing is written and nothing new is learned. What was read before, and was not changed since, is given for `graceMs`
// more: so tokens that are known go on opening, and nobody unknown is let in.

import type { JsonValue } from '../../build/contract/json.ts';
import { describeRedisUrl, isSentinelUrl } from '../redis-address.ts';
import { createRedisClient, type RedisClient, type RedisConnection } from '../redis-client.ts';
import { createLastKnown, type KnownRow, type LastKnown } from './last-known.ts';
import { findDurabilityFault } from './redis-durability.ts';
import { createRedisGenerations, type RedisGenerations } from './redis-generations.ts';
import { createReplicas, type Replicas } from './redis-replicas.ts';
import { findMissingRights } from './redis-rights.ts';
import { placeOf, stateScripts, type StatePlace } from './redis-scripts.ts';
import { createRedisWatch, outOfReach, type RedisWatch, type StateNotice } from './redis-watch.ts';
import { assertChange, prefixBounds } from './state-change.ts';
import { StateError } from './state-error.ts';
import type { RangeOptions, StateChange, StateEntry, StateStore } from './state-store.ts';

/** Rises when an older version could no longer understand what is stored. */
const redisStateSchema = 1;

/** Ends what nobody answers: longer than any script takes, shorter than anybody wants to wait. */
const commandTimeoutMs = 2000;
/** Behind sentinels another one takes its place: the sooner we leave it, the sooner we are there. */
const sentinelCommandTimeoutMs = 1000;

export interface RedisStoreOptions {
  /** `redis://[user:password@]host:port[/database]`, `rediss://…` with TLS, or `redis+sentinel://…` (redis-address.ts) */
  readonly url: string;
  readonly graceMs: number;
  readonly notice: (notice: StateNotice) => void;
  readonly monotonicMs: () => number;
}

export interface RedisStore extends StateStore {
  /** What keeps this Redis from keeping a state for good, in a sentence; undefined: nothing that can be seen from here. */
  readonly durabilityFault: () => Promise<string | undefined>;
  /** While the Redis is out of reach: how long what is known is given still; undefined otherwise. */
  readonly graceLeftMs: () => number | undefined;
}

interface Parts {
  readonly redis: RedisClient;
  /** Behind sentinels a connection of its own, so that nobody who reads waits for replicas. */
  readonly writer: RedisClient;
  /** undefined: no replica ever takes the primary's place */
  readonly replicas: Replicas | undefined;
  readonly place: StatePlace;
  readonly name: string;
  readonly watch: RedisWatch;
  readonly generations: RedisGenerations;
  readonly known: LastKnown;
  readonly reason: () => Error | undefined;
}

/** Opens the state, which is made where there is none; undefined where there is none and `make` is false. Rejects with a StateError that says what to do. */
export async function openRedisStore(options: RedisStoreOptions): Promise<RedisStore>;
export async function openRedisStore(options: RedisStoreOptions, make: boolean): Promise<RedisStore | undefined>;
export async function openRedisStore({ url, graceMs, notice, monotonicMs }: RedisStoreOptions, make = true): Promise<RedisStore | undefined> {
  const name = describeRedisUrl(url);
  const commandTimeout = isSentinelUrl(url) ? sentinelCommandTimeoutMs : commandTimeoutMs;
  const open = (): RedisConnection => createRedisClient({ url, commandTimeout, socketTimeout: commandTimeout + 250, scripts: stateScripts });
  const main = open();
  const { redis, reason } = main;
  const writing = isSentinelUrl(url) ? open() : main;
  const writer = writing.redis;
  // it says nothing for as long as nobody writes
  const subscriber = createRedisClient({ url, autoResubscribe: false });
  const place = placeOf(redis.options.db ?? 0);
  const known = createLastKnown();
  const generations = createRedisGenerations(known);
  const watch = createRedisWatch({ redis, subscriber, place, name, generations, reason, graceMs, notice, monotonicMs });
  const end = async (): Promise<void> => {
    watch.close();
    subscriber.redis.disconnect();
    for (const connection of new Set([writer, redis])) {
      await connection.quit().catch(() => undefined);
      connection.disconnect();
    }
  };
  try {
    await main.connect();
    if (writing !== main) await writing.connect();
    refuseMissingRights(await findMissingRights(redis, place, writing !== main), name);
    if (!(await prepare(redis, place, name, make))) {
      await end();
      return undefined;
    }
    await watch.start();
  } catch (error) {
    const why = reason() ?? error;
    await end();
    throw error instanceof StateError ? error : unusable(name, why);
  }
  const replicas = writing === main ? undefined : createReplicas({ writer, notice, monotonicMs });
  return createStore({ redis, writer, replicas, place, name, watch, generations, known, reason }, end);
}

function createStore(parts: Parts, end: () => Promise<void>): RedisStore {
  const { redis, watch, generations, name } = parts;
  let closed = false;
  const opened = (): Parts => {
    if (closed) throw new StateError('STATE_CLOSED', `The state in ${name} was closed.`);
    return parts;
  };
  return {
    get: async (key) => {
      const row = await readRow(opened(), key);
      return row === undefined ? undefined : entryOf(row, name);
    },
    range: async (prefix, options = {}) => (await readRange(opened(), prefix, options)).map((row) => entryOf(row, name)),
    commit: async (change) => {
      opened();
      assertChange(change);
      return commit(parts, change);
    },
    generation: () => {
      opened();
      watch.assertKnown();
      return generations.moves();
    },
    durabilityFault: () => findDurabilityFault(redis),
    graceLeftMs: watch.graceLeftMs,
    close: async () => {
      if (closed) return;
      closed = true;
      await end();
    },
  };

  async function readRow({ place, known }: Parts, key: string): Promise<KnownRow | undefined> {
    const read = async (): Promise<KnownRow | undefined> => {
      const text = await redis.hget(place.rows, key);
      return text === null ? undefined : { key, text };
    };
    return askOr(parts, () => known.row(key), () => known.learnRow(key, generations.reached(), read));
  }

  async function readRange({ place, known }: Parts, prefix: string, options: RangeOptions): Promise<readonly KnownRow[]> {
    const read = async (): Promise<readonly KnownRow[]> => {
      const { first, last } = boundsOf(prefix, options);
      const found = await redis.rangeState(place.rows, place.order, first, last, options.reverse === true ? 1 : 0, options.limit ?? -1);
      return Array.from({ length: found.length / 2 }, (_, index) => ({ key: found[2 * index] ?? '', text: found[2 * index + 1] ?? '' }));
    };
    return askOr(parts, () => known.range(prefix, options), () => known.learnRange(prefix, options, generations.reached(), read));
  }
}

/** What Redis says; while it is away, what is known. Rejects with StateError STATE_UNAVAILABLE where that is nothing. */
async function askOr<T>({ watch, name, reason }: Parts, recall: () => T | undefined, ask: () => Promise<T>): Promise<T> {
  let why: unknown = reason();
  watch.assertKnown();
  if (!watch.isAway()) {
    try {
      return await watch.orAway(ask());
    } catch (error) {
      why = reason() ?? error;
      watch.lost(why);
      watch.assertKnown();
    }
  }
  const recalled = recall();
  if (recalled === undefined) throw outOfReach(name, why);
  return recalled;
}

async function commit({ writer, replicas, place, name, watch, generations, reason }: Parts, { conditions, puts, deletes, quiet = false }: StateChange): Promise<boolean> {
  watch.assertKnown();
  if (watch.isAway()) throw outOfReach(name, reason());
  const keys = [...puts.map(({ key }) => key), ...deletes];
  const listed = [
    ...conditions.flatMap(({ key, revision }) => [key, revision === null ? '' : String(revision)]),
    ...puts.flatMap(({ key, value }) => [key, JSON.stringify(value)]),
    ...deletes,
  ];
  try {
    const asked = writer.commitState(place.rows, place.order, place.meta, place.channel, quiet ? 1 : 0, conditions.length, puts.length, deletes.length, ...listed);
    const [[done, generation, loud]] = await Promise.all([asked, keys.length > 0 && !quiet ? replicas?.follow() : undefined]);
    if (done === 1 && keys.length > 0) generations.wrote(keys, { generation, loud });
    return done === 1;
  } catch (error) {
    // whether it was written is not known: what is remembered of these keys may be wrong
    generations.wrote(keys);
    if (isReply(error)) throw new StateError('STATE_WRITE_FAILED', `The state in ${name} could not be written, and nothing was changed: ${(error as Error).message}. Check its memory, its disk, and that it is not a replica.`, { cause: error });
    const why = reason() ?? error;
    watch.lost(why);
    throw new StateError('STATE_UNAVAILABLE', `The state in ${name} has not confirmed a change: ${messageOf(why)}. Look whether it happened before you do it again.`, { cause: error });
  }
}

/** True once there is a state that this version understands. */
async function prepare(redis: RedisClient, place: StatePlace, name: string, make: boolean): Promise<boolean> {
  const schema = await redis.prepareState(place.rows, place.meta, redisStateSchema, make ? 1 : 0);
  if (schema === '') return false;
  if (schema === String(redisStateSchema)) return true;
  if (Number(schema) > redisStateSchema) throw new StateError('STATE_TOO_NEW', `The state in ${name} was written by a newer version of Libretto (its schema is ${schema}, this version reads ${redisStateSchema}). Run that version, or name another database.`);
  throw new StateError('STATE_CORRUPT', `The state in ${name} names no schema this version knows. It is not Libretto's, or it is damaged: put a backup of the Redis in its place, or name another database.`);
}

const rightsAdvice = "Its user needs what the chapter on Redis in docs/deploy.md lists, for the keys libretto:state:*.";

function refuseMissingRights(missing: readonly string[], name: string): void {
  if (missing.length > 0) throw new StateError('STATE_UNUSABLE', `The state in ${name} cannot be used: ${missing.join(', ')} may not be sent. ${rightsAdvice}`);
}

function unusable(name: string, why: unknown): StateError {
  const message = messageOf(why);
  return new StateError('STATE_UNUSABLE', `The state in ${name} cannot be used: ${message.replace(/\.$/, '')}. ${adviceFor(message)}`, { cause: why });
}

function adviceFor(message: string): string {
  if (/NOPERM|user executing the script/.test(message)) return rightsAdvice;
  if (/WRONGPASS|NOAUTH|invalid password/i.test(message)) return 'Give user and password in the URL (redis://USER:PASSWORD@HOST:PORT), best in the variable LIBRETTO_STATE.';
  return 'Check that it runs, and that the setting state names its host and port.';
}

/** Redis answered, and the answer is no; everything else says nothing about what it has done. */
function isReply(error: unknown): boolean {
  return error instanceof Error && error.name === 'ReplyError' && !/^(?:LOADING|NOAUTH)/.test(error.message);
}

/** `%d+:JSON`, as the script wrote it. */
function entryOf({ key, text }: KnownRow, name: string): StateEntry {
  const colon = text.indexOf(':');
  const revision = Number(text.slice(0, colon));
  if (colon < 1 || !Number.isSafeInteger(revision)) throw new StateError('STATE_CORRUPT', `The row ${key} of the state in ${name} is malformed. Put a backup of the Redis in its place.`);
  return { key, value: JSON.parse(text.slice(colon + 1)) as JsonValue, revision };
}

function boundsOf(prefix: string, { after, reverse = false }: RangeOptions): { readonly first: string; readonly last: string } {
  const { start, end } = prefixBounds(prefix);
  if (reverse) return { first: `[${start}`, last: `(${after === undefined || after > end ? end : after}` };
  return { first: after === undefined || after < start ? `[${start}` : `(${after}`, last: `(${end}` };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
