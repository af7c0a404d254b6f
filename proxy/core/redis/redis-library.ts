// The parts of ioredis in use, with the types of our scripts. Only this file imports ioredis.

import type { Result } from 'ioredis';

export { Cluster, Command, Redis, type ClusterOptions, type RedisOptions } from 'ioredis';

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
