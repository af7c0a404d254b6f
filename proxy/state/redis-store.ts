// The state in a Redis, for several hosts that serve one registry. Every change is one script: it checks the
// conditions, writes, and notifies the other hosts, or does nothing. An acknowledged change is as durable as the
// configuration of Redis (redis-durability.ts). While Redis is unreachable, the state accepts no change and reads no
// new row. Cached rows without a known change stay valid for `graceMs`: known tokens keep working, and no unknown token
// is accepted.

import { randomBytes } from 'node:crypto';
import { describeRedisUrl, failsOver, parseClusterUrl } from '../core/redis/redis-address.ts';
import { createRedisClient, type RedisClient, type RedisConnection } from '../core/redis/redis-client.ts';
import { LastKnown, type StoreRow, type Reading } from './last-known.ts';
import { findDurabilityFault, findSyncFault } from './redis-durability.ts';
import { createRedisGenerations } from './redis-generations.ts';
import { prepare, refuseMissingRights, unusable, findMissingRights } from './redis-opening.ts';
import { createRedisRows, entryOf, type RedisRows } from './redis-rows.ts';
import { stateKeysOf } from './redis-keys.ts';
import { stateScripts } from './redis-scripts.ts';
import { outOfReach, type StateNotice } from './redis-reach.ts';
import { announceServer } from './redis-servers.ts';
import { createRedisWatch } from './redis-watch.ts';
import { assertChange } from '../core/state/state-change.ts';
import { StateError } from '../core/state/state-error.ts';
import { newStateIdentity, type StateIdentity } from '../core/state/state-identity.ts';
import type { StateOpening, StateStore } from '../core/state/state-store.ts';
import { commit, type CommitParts, createReplicas } from './redis-commit.ts';

/** The time limit of a command: longer than any script takes, shorter than a client waits. */
const commandTimeoutMs = 2000;
/** A replica takes its place: the sooner we leave it, the sooner we are there. */
const failoverCommandTimeoutMs = 1000;

export interface RedisStoreOptions {
  /** in a form of redis-address.ts */
  readonly url: string;
  readonly graceMs: number;
  readonly notice: (notice: StateNotice) => void;
  readonly monotonicMs: () => number;
  /** default: create a missing state */
  readonly opening?: StateOpening;
}

export interface RedisStore extends StateStore {
  readonly identity: StateIdentity;
  /** The setting that makes this Redis unsuitable for a state, in a sentence; undefined: no visible fault. */
  readonly durabilityFault: () => Promise<string | undefined>;
  /** While Redis is unreachable: how long cached rows stay valid; undefined otherwise. */
  readonly graceLeftMs: () => number | undefined;
  /** Lets commands on every host see this server (redis-servers.ts). Resolves with the function that ends it. */
  readonly announceServer: (text: () => Promise<string>) => Promise<() => Promise<void>>;
  /**
   * Gives the state another identity, which every later opening has to name: that of a backup whose rows are all in the
   * state.
   */
  readonly rename: (identity: StateIdentity) => Promise<void>;
}

interface Parts extends CommitParts {
  readonly redis: RedisClient;
  readonly primary: RedisConnection['primary'];
  readonly known: LastKnown;
  readonly rows: RedisRows;
}

/**
 * Opens the state. Rejects with a StateError that names the remedy; with STATE_MISSING if there is no state and none
 * may be made.
 */
export async function openRedisStore({
  url,
  graceMs,
  notice,
  monotonicMs,
  opening = newState(),
}: RedisStoreOptions): Promise<RedisStore> {
  const name = describeRedisUrl(url);
  const connections = connect(url);
  const { main, writing, subscriber } = connections;
  const { redis, reason } = main;
  const writer = writing.redis;
  const keys = stateKeysOf(main.keyspace);
  const known = new LastKnown();
  const generations = createRedisGenerations(known);
  const watch = createRedisWatch({ redis, subscriber, keys, name, generations, reason, graceMs, notice, monotonicMs });
  const end = (): Promise<void> => {
    watch.close();
    return disconnect(connections);
  };
  try {
    await main.connect();
    if (writing !== main) await writing.connect();
    refuseMissingRights(await findMissingRights(redis, keys, writing !== main), name);
    const identity = await prepare(redis, keys, name, opening);
    if (identity === undefined) throw new StateError('STATE_MISSING', `There is no state in ${name}.`);
    const rows = createRedisRows(redis, keys, identity);
    const refresh = createRefresh({ known, rows, reached: generations.reached, isAway: watch.isAway });
    await watch.start(identity, () => void refresh());
    const replicas = writing === main ? undefined : createReplicas({ writing, notice, monotonicMs });
    return createStore(
      { redis, primary: main.primary, writer, replicas, keys, identity, name, watch, generations, known, rows, reason },
      end,
    );
  } catch (error) {
    const why = reason() ?? error;
    await end();
    throw error instanceof StateError ? error : unusable(name, why);
  }
}

interface Connections {
  readonly main: RedisConnection;
  /** A separate connection where a replica may take over; otherwise `main`. */
  readonly writing: RedisConnection;
  /** Without timeouts, since the connection is silent between commits. A cluster's client has such a one in itself. */
  readonly subscriber: RedisConnection;
}

function connect(url: string): Connections {
  const commandTimeout = failsOver(url) ? failoverCommandTimeoutMs : commandTimeoutMs;
  const open = (): RedisConnection =>
    createRedisClient({ url, commandTimeout, socketTimeout: commandTimeout + 250, scripts: stateScripts });
  const main = open();
  return {
    main,
    writing: failsOver(url) ? open() : main,
    subscriber:
      parseClusterUrl(url) === undefined
        ? createRedisClient({ url, autoResubscribe: false })
        : { ...main, connect: async () => undefined },
  };
}

async function disconnect({ main, writing, subscriber }: Connections): Promise<void> {
  subscriber.redis.disconnect();
  for (const connection of new Set([writing.redis, main.redis])) {
    await connection.quit().catch(() => undefined);
    connection.disconnect();
  }
}

function newState(): StateOpening {
  return { make: true, fresh: newStateIdentity(randomBytes) };
}

function createStore(parts: Parts, end: () => Promise<void>): RedisStore {
  const { redis, primary, watch, generations, identity, name, known, rows } = parts;
  let closed = false;
  const opened = (): Parts => {
    if (closed) throw new StateError('STATE_CLOSED', `The state in ${name} was closed.`);
    return parts;
  };
  return {
    identity,
    get: async (key) => {
      const learn = () => known.learnRow(key, generations.reached(), () => rows.row(key));
      const row = await askOr(opened(), () => known.row(key), learn);
      return row === undefined ? undefined : entryOf(row, name);
    },
    range: async (prefix, options = {}) => {
      const learn = () => known.learnRange(prefix, options, generations.reached(), () => rows.range(prefix, options));
      return (await askOr(opened(), () => known.range(prefix, options), learn)).map((row) => entryOf(row, name));
    },
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
    durabilityFault: async () => (await findDurabilityFault(primary())) ?? findSyncFault(primary()),
    graceLeftMs: watch.graceLeftMs,
    announceServer: (text) => announceServer(redis, opened().keys, identity, text),
    rename: async (next) => void (await redis.hset(opened().keys.meta, 'identity', next)),
    close: async () => {
      if (closed) return;
      closed = true;
      await end();
    },
  };
}

/** The answer of Redis; during an outage the cached one. Rejects with StateError STATE_UNAVAILABLE if there is none. */
async function askOr<T>(
  { watch, name, reason }: Parts,
  recall: () => T | undefined,
  ask: () => Promise<T>,
): Promise<T> {
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

// Reads cached rows again after a lost connection, because Redis does not report which rows other processes changed. So
// a token without recent use is cached for the next outage too. Unconfirmed rows are never returned (last-known.ts).

/** The batch of one turn: requests that arrive during the refresh wait for only a few reads. */
const batchSize = 200;

interface RefreshOptions {
  readonly known: LastKnown;
  readonly rows: RedisRows;
  /** the generation that Redis has reached at least */
  readonly reached: () => number;
  readonly isAway: () => boolean;
}

/**
 * Reads the unconfirmed rows, and stops if Redis becomes unreachable. Call it after a reply of Redis. One call at a
 * time reads; concurrent calls return immediately.
 */
function createRefresh({ known, rows, reached, isAway }: RefreshOptions): () => Promise<void> {
  let running = false;
  const learn = (reading: Reading): Promise<unknown> =>
    'key' in reading
      ? known.learnRow(reading.key, reached(), (): Promise<StoreRow | undefined> => rows.row(reading.key))
      : known.learnRange(reading.prefix, reading.options, reached(), () => rows.range(reading.prefix, reading.options));
  return async () => {
    if (running) return;
    running = true;
    try {
      while (!isAway() && known.staleCount() > 0) {
        const batch = known.takeStale(batchSize);
        const outcomes = await Promise.allSettled(batch.map(learn));
        const failed = batch.filter((_, index) => outcomes[index]?.status === 'rejected');
        known.markStale(failed);
        if (failed.length > 0) return;
      }
    } finally {
      running = false;
    }
  };
}
