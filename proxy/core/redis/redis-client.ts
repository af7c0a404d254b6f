// A connection to a Redis. A command fails immediately without a connection, and is never sent twice: the caller
// decides how long to wait and how to continue. Only this file imports ioredis.

import { Redis, type RedisOptions, type Result } from 'ioredis';
import { parseSentinelUrl, type SentinelAddress } from './redis-address.ts';

declare module 'ioredis' {
  // the scripts are defined in the files that use them (limits/redis-counters.ts, state/redis-scripts.ts)
  interface RedisCommander<Context> {
    countRequests(keys: number, ...keysAndQuestions: readonly (string | number)[]): Result<number[], Context>;
    prepareState(
      meta: string,
      rows: string,
      order: string,
      schema: number,
      make: 0 | 1,
      identity: string,
    ): Result<[string, string, string, string], Context>;
    commitState(
      meta: string,
      rows: string,
      order: string,
      identity: string,
      ...change: readonly (string | number)[]
    ): Result<[number, number, number], Context>;
    lookAtState(
      meta: string,
      rows: string,
      order: string,
      identity: string,
    ): Result<[string | null, string | null], Context>;
    readState(meta: string, rows: string, order: string, identity: string, key: string): Result<string | null, Context>;
    rangeState(
      meta: string,
      rows: string,
      order: string,
      identity: string,
      first: string,
      last: string,
      reverse: 0 | 1,
      limit: number,
    ): Result<string[], Context>;
    setStateAside(...keys: readonly string[]): Result<number, Context>;
    markServer(
      servers: string,
      meta: string,
      id: string,
      text: string,
      untilMs: number,
      identity: string,
    ): Result<null, Context>;
    listServers(servers: string): Result<string[], Context>;
  }
}

export type RedisClient = Redis;

export interface RedisClientOptions extends Pick<
  RedisOptions,
  'keyPrefix' | 'commandTimeout' | 'socketTimeout' | 'enableAutoPipelining' | 'scripts' | 'autoResubscribe'
> {
  /**
   * `redis://[user:password@]host:port[/database]`, `rediss://…` with TLS, `redis+sentinel://…` (redis-address.ts), or
   * a socket's path
   */
  readonly url: string;
}

/** A connection before its first use. */
export interface RedisConnection {
  readonly redis: RedisClient;
  /** Rejects when the first attempt fails; the client then retries until it is disconnected. */
  readonly connect: () => Promise<void>;
  /** why it is not connected, which a command that fails for that does not know */
  readonly reason: () => Error | undefined;
}

type ClientOptions = Omit<RedisOptions, 'replyMapping'>;

const handshakeTimeoutMs = 1000;
const longestPauseMs = 500;

export function createRedisClient({ url, ...options }: RedisClientOptions): RedisConnection {
  const sentinels = parseSentinelUrl(url);
  let leaving = false;
  const all: ClientOptions = {
    lazyConnect: true,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    connectTimeout: handshakeTimeoutMs,
    disconnectTimeout: 100,
    retryStrategy: (attempt) => Math.min(50 * 2 ** attempt, longestPauseMs),
    // a server that refuses writes is, or has become, a replica: the name may now belong to another server, or the
    // sentinels know the new primary
    reconnectOnError: ({ message }) => {
      if (leaving || !/^(?:READONLY|NOREPLICAS)/.test(message)) return false;
      leaving = true;
      return true;
    },
    disableClientInfo: true,
    ...options,
  };
  const redis = sentinels === undefined ? new Redis(url, all) : new Redis({ ...all, ...throughSentinels(sentinels) });
  let reason: Error | undefined;
  let sentinelReason: Error | undefined;
  redis.on('sentinelError', (error: Error) => {
    sentinelReason = sentinels === undefined ? error : sentinelFault(error, sentinels);
  });
  redis.on('error', (error: Error) => {
    reason = error.message.startsWith('All sentinels are unreachable') ? (sentinelReason ?? error) : explained(error);
  });
  redis.on('close', () => {
    reason ??= new Error('the connection was lost');
  });
  redis.on('ready', () => {
    leaving = false;
    reason = undefined;
  });
  return { redis, connect: () => connectOnce(redis), reason: () => reason };
}

/** With sentinels ioredis' own promise stays pending until one of them names a primary. */
async function connectOnce(redis: RedisClient): Promise<void> {
  const failed = new Promise<never>((_, reject) => {
    redis.once('error', reject);
  });
  await Promise.race([redis.connect(), failed]);
}

/** Without ioredis' `failoverDetector`: it costs one more connection to every sentinel for each of ours. */
function throughSentinels({
  tls,
  sentinels,
  primary,
  database,
  username,
  password,
  sentinelUsername,
  sentinelPassword,
}: SentinelAddress): ClientOptions {
  return {
    sentinels: sentinels.map((sentinel) => ({ ...sentinel })),
    name: primary,
    db: database,
    username,
    password,
    sentinelUsername,
    sentinelPassword,
    sentinelCommandTimeout: handshakeTimeoutMs,
    sentinelRetryStrategy: (attempt) => Math.min(50 * 2 ** attempt, longestPauseMs),
    ...(tls ? { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true } : {}),
  };
}

function sentinelFault(error: Error, { primary }: SentinelAddress): Error {
  const [, unaware] = /^connected to sentinel (\S+) successfully, but got an invalid reply/.exec(error.message) ?? [];
  const [, silent, why = ''] = /^failed to connect to sentinel (\S+) because (.*?)\.?$/.exec(error.message) ?? [];
  const stranger = unaware ?? (why.includes('No such master') ? silent : undefined);
  if (stranger !== undefined)
    return new Error(`the sentinel ${stranger} knows no primary called ${primary}`, { cause: error });
  return silent === undefined ? error : new Error(`the sentinel ${silent} cannot be asked (${why})`, { cause: error });
}

/** OpenSSL's messages name the fault and not the repair. */
function explained(error: Error & { readonly code?: string }): Error {
  if (
    /^(?:SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT.*)$/.test(
      error.code ?? '',
    )
  ) {
    return new Error(
      `its certificate is not trusted (${error.message}): name a file with the certificate of its authority in ` +
        'the variable NODE_EXTRA_CA_CERTS',
      { cause: error },
    );
  }
  return error.code === 'ERR_TLS_CERT_ALTNAME_INVALID'
    ? new Error(`its certificate is for another name (${error.message}): connect by a name that it holds`, {
        cause: error,
      })
    : error;
}

/** The facts of one section of INFO, by name. Empty if the Redis refuses the command. */
export async function readRedisInfo(redis: RedisClient, section: string): Promise<ReadonlyMap<string, string>> {
  const text = await redis.info(section).catch(() => '');
  return new Map(
    text
      .split(/\r?\n/)
      .map((line) => [line.slice(0, Math.max(0, line.indexOf(':'))), line.slice(line.indexOf(':') + 1)] as const),
  );
}
