// Checks the sentinels of a Redis: tests the connection to each of them, and looks for a replica that could replace the
// primary.

import { describeRedisUrl, parseSentinelUrl, type SentinelAddress } from '../../proxy/core/redis/redis-address.ts';
import { createRedisClient, type RedisClient, readRedisInfo } from '../../proxy/core/redis/redis-client.ts';
import { ok, warning, type Finding } from './finding.ts';

const timeoutMs = 3000;
/** Fewer sentinels cannot agree after the loss of one. */
const leastSentinels = 3;

/** Returns no finding for a Redis without sentinels. `redis`: connected to the primary. Never rejects. */
export async function checkSentinels(check: string, url: string, redis: RedisClient): Promise<readonly Finding[]> {
  const address = parseSentinelUrl(url);
  if (address === undefined) return [];
  const faults = (await Promise.all(address.sentinels.map(async (_, index) => askSentinel(address, index)))).filter(
    (fault) => fault !== undefined,
  );
  return [describeSentinels(`${check}.sentinels`, address, faults), await describeReplicas(`${check}.replicas`, redis)];
}

function describeSentinels(check: string, { sentinels }: SentinelAddress, faults: readonly string[]): Finding {
  if (faults.length > 0)
    return warning(
      check,
      `${faults.length} of ${sentinels.length} sentinels cannot be reached: ${faults.join('; ')}.`,
      'Start them, or correct their addresses in the setting.',
    );
  if (sentinels.length < leastSentinels)
    return warning(
      check,
      `Only ${sentinels.length === 1 ? 'one sentinel is' : `${sentinels.length} sentinels are`} named.`,
      'Name three or more: if the only one is lost, servers cannot find the primary.',
    );
  return ok(check, `All ${sentinels.length} sentinels answer`);
}

async function describeReplicas(check: string, redis: RedisClient): Promise<Finding> {
  const replicas = Number((await readRedisInfo(redis, 'replication')).get('connected_slaves') ?? Number.NaN);
  if (replicas === 0)
    return warning(
      check,
      'The primary has no replica.',
      'Start a replica: without one nothing replaces a lost primary, and every change waits half a second.',
    );
  return ok(
    check,
    Number.isNaN(replicas)
      ? 'Its number of replicas is unknown'
      : `It has ${replicas} ${replicas === 1 ? 'replica' : 'replicas'}`,
  );
}

/** The fault of the sentinel; undefined: it responds. */
async function askSentinel(address: SentinelAddress, index: number): Promise<string | undefined> {
  const { redis, connect, reason } = createRedisClient({
    url: urlOf(address, index),
    commandTimeout: timeoutMs,
    socketTimeout: timeoutMs,
  });
  try {
    await connect();
    const primary = await redis.call('SENTINEL', 'get-master-addr-by-name', address.primary);
    return primary === null
      ? `${describeRedisUrl(urlOf(address, index))} knows no primary called ${address.primary}`
      : undefined;
  } catch (error) {
    return `${describeRedisUrl(urlOf(address, index))}: ${(reason() ?? (error as Error)).message}`;
  } finally {
    redis.disconnect();
  }
}

function urlOf({ tls, sentinels, sentinelUsername = '', sentinelPassword }: SentinelAddress, index: number): string {
  const { host = '', port = 0 } = sentinels[index] ?? {};
  const login =
    sentinelPassword === undefined
      ? ''
      : `${encodeURIComponent(sentinelUsername)}:${encodeURIComponent(sentinelPassword)}@`;
  return `${tls ? 'rediss' : 'redis'}://${login}${host.includes(':') ? `[${host}]` : host}:${port}`;
}
