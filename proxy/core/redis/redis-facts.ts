// What a Redis says about itself, by name.

import type { RedisServer } from './redis-client.ts';

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
