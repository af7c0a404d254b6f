// A connection to a Redis that fails at once where there is none, and never sends anything twice: who waits for it decides for himself how long, and
// what to do without it. The only file that imports ioredis.

import { Redis, type RedisOptions, type Result } from 'ioredis';

declare module 'ioredis' {
  // the scripts that are defined where they are used (limits/redis-counters.ts, state/redis-scripts.ts)
  interface RedisCommander<Context> {
    countRequest(key: string, limit: number, windowMs: number, floorUsed: number, floorEndsInMs: number): Result<[number, number, number], Context>;
    prepareState(rows: string, meta: string, schema: number, make: 0 | 1): Result<string, Context>;
    commitState(rows: string, order: string, meta: string, ...change: readonly (string | number)[]): Result<[number, number], Context>;
    rangeState(rows: string, order: string, first: string, last: string, reverse: 0 | 1, limit: number): Result<string[], Context>;
  }
}

export type RedisClient = Redis;

export interface RedisClientOptions extends Pick<RedisOptions, 'keyPrefix' | 'commandTimeout' | 'socketTimeout' | 'enableAutoPipelining' | 'scripts' | 'autoResubscribe'> {
  /** `redis://[user:password@]host:port[/database]`, `rediss://…` with TLS, or a socket's path */
  readonly url: string;
}

/** Not connected yet. `reason`: why it is not connected, which a command that fails for that does not know. */
export function createRedisClient({ url, ...options }: RedisClientOptions): { readonly redis: RedisClient; readonly reason: () => Error | undefined } {
  const redis = new Redis(url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 1000,
    disconnectTimeout: 100,
    retryStrategy: (attempt) => Math.min(50 * 2 ** attempt, 500),
    disableClientInfo: true,
    ...options,
  });
  let reason: Error | undefined;
  redis.on('error', (error: Error) => {
    reason = error;
  });
  redis.on('close', () => {
    reason ??= new Error('the connection was lost');
  });
  redis.on('ready', () => {
    reason = undefined;
  });
  return { redis, reason: () => reason };
}
