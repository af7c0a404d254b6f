// Reads the facts that a Redis reports about itself.

import type { RedisClient } from './redis-client.ts';

/** The facts of one section of INFO, by name. Empty if the Redis refuses the command. */
export async function readRedisInfo(redis: RedisClient, section: string): Promise<ReadonlyMap<string, string>> {
  const text = await redis.info(section).catch(() => '');
  return new Map(
    text
      .split(/\r?\n/)
      .map((line) => [line.slice(0, Math.max(0, line.indexOf(':'))), line.slice(line.indexOf(':') + 1)] as const),
  );
}
