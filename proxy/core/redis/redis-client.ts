// A connection to a Redis. A command fails immediately without a connection, and is never sent twice: the caller
// decides how long to wait and how to continue.

import { Redis, type Cluster, type ClusterOptions, type RedisOptions } from './redis-library.ts';
import { parseClusterUrl, parseSentinelUrl, type SentinelAddress } from './redis-address.ts';
import { clusterFault, createCluster, primaryOfKey } from './redis-cluster.ts';

export type RedisClient = Redis | Cluster;
/** A connection to one server. */
export type RedisServer = Redis;

/** Where the keys of a registry are in its Redis. */
export interface Keyspace {
  /**
   * `{registry}:` in a cluster, '' elsewhere: behind the purpose in every key. A script may touch the keys of one slot
   * only, and this puts all keys of a purpose into one.
   */
  readonly hashTag: string;
  /** 0 in a cluster */
  readonly database: number;
}

export interface RedisClientOptions
  extends
    Pick<RedisOptions, 'keyPrefix' | 'commandTimeout' | 'socketTimeout' | 'autoResubscribe'>,
    Pick<ClusterOptions, 'scripts'> {
  /**
   * `redis://[user:password@]host:port[/database]`, `rediss://…` with TLS, `redis+sentinel://…`, `redis+cluster://…`
   * (redis-address.ts), or a socket's path
   */
  readonly url: string;
}

/** A connection before its first use. */
export interface RedisConnection {
  readonly redis: RedisClient;
  readonly keyspace: Keyspace;
  /** The connection to the server that takes writes; in a cluster to that of our slot. Throws while none is known. */
  readonly primary: () => RedisServer;
  /** Rejects when the first attempt fails; the client then retries until it is disconnected. */
  readonly connect: () => Promise<void>;
  /** why it is not connected, which a command that fails for that does not know */
  readonly reason: () => Error | undefined;
}

type ClientOptions = Omit<RedisOptions, 'replyMapping' | 'scripts'> & Pick<ClusterOptions, 'scripts'>;

/** A running server leaves a silent address soon. */
const handshakeTimeoutMs = 1000;
/** A process that starts is busy itself, and so may be the Redis. */
const firstHandshakeTimeoutMs = 5000;
const longestPauseMs = 500;

export function createRedisClient({ url, ...options }: RedisClientOptions): RedisConnection {
  const cluster = parseClusterUrl(url);
  const all: ClientOptions = { ...commonOptions(), ...options };
  if (cluster === undefined) return createServerClient(url, all);
  const hashTag = `{${cluster.registry}}:`;
  const keyPrefix = options.keyPrefix === undefined ? {} : { keyPrefix: `${options.keyPrefix}${hashTag}` };
  const redis = createCluster(cluster, { ...all, ...keyPrefix }, pauseMs);
  let reason: Error | undefined;
  const failed = (error: Error): void => {
    const fault = clusterFault(error);
    if (reason === undefined || fault.message !== 'Connection is closed.') reason = explained(fault);
  };
  redis.on('error', failed);
  redis.on('node error', failed);
  redis.on('refresh', () => {
    reason = undefined;
  });
  return {
    redis,
    keyspace: { hashTag, database: 0 },
    primary: () => primaryOfKey(redis, hashTag),
    connect: () => connectOnce(redis, redis.options.redisOptions),
    reason: () => reason,
  };
}

/** One server, or the primary that sentinels name. */
function createServerClient(url: string, all: ClientOptions): RedisConnection {
  const sentinels = parseSentinelUrl(url);
  let leaving = false;
  // a server that refuses writes is, or has become, a replica: the name may now belong to another server, or the
  // sentinels know the new primary
  const reconnectOnError = ({ message }: Error): boolean => {
    if (leaving || !/^(?:READONLY|NOREPLICAS)/.test(message)) return false;
    leaving = true;
    return true;
  };
  const given = { ...all, ...firstLimits(all), reconnectOnError };
  const redis =
    sentinels === undefined ? new Redis(url, given) : new Redis({ ...given, ...throughSentinels(sentinels) });
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
  return {
    redis,
    keyspace: { hashTag: '', database: redis.options.db ?? 0 },
    primary: () => redis,
    connect: () => connectOnce(redis, redis.options, all),
    reason: () => reason,
  };
}

/** of the first connection, whose first answer may be as late as the connection itself */
function firstLimits({ commandTimeout }: ClientOptions): ClientOptions {
  return commandTimeout === undefined
    ? {}
    : { commandTimeout: firstHandshakeTimeoutMs, socketTimeout: firstHandshakeTimeoutMs + 250 };
}

function pauseMs(attempt: number): number {
  return Math.min(50 * 2 ** attempt, longestPauseMs);
}

function commonOptions(): ClientOptions {
  return {
    lazyConnect: true,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    connectTimeout: firstHandshakeTimeoutMs,
    disconnectTimeout: 100,
    retryStrategy: pauseMs,
    disableClientInfo: true,
  };
}

/**
 * With sentinels ioredis' own promise stays pending until one of them names a primary. `options`: of the client, which
 * reads them for each connection.
 */
async function connectOnce(
  redis: RedisClient,
  options: Pick<RedisOptions, 'connectTimeout' | 'sentinelCommandTimeout'> = {},
  { commandTimeout, socketTimeout }: ClientOptions = {},
): Promise<void> {
  const failed = new Promise<never>((_, reject) => {
    redis.once('error', reject);
  });
  try {
    await Promise.race([redis.connect(), failed]);
  } finally {
    const limits = { connectTimeout: handshakeTimeoutMs, sentinelCommandTimeout: handshakeTimeoutMs };
    Object.assign(options, limits, commandTimeout && { commandTimeout, socketTimeout });
  }
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
    sentinelCommandTimeout: firstHandshakeTimeoutMs,
    sentinelRetryStrategy: pauseMs,
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
export async function readRedisInfo(redis: RedisServer, section: string): Promise<ReadonlyMap<string, string>> {
  return factsOf(await redis.info(section).catch(() => ''));
}

/** The facts of a cluster as one of its servers knows them. Empty if it refuses the command. */
export async function readClusterInfo(redis: RedisServer): Promise<ReadonlyMap<string, string>> {
  return factsOf(String(await redis.cluster('INFO').catch(() => '')));
}

function factsOf(text: string): ReadonlyMap<string, string> {
  return new Map(
    text
      .split(/\r?\n/)
      .map((line) => [line.slice(0, Math.max(0, line.indexOf(':'))), line.slice(line.indexOf(':') + 1)] as const),
  );
}
