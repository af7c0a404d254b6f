// Checks the sentinels or the cluster of a Redis, and looks for a replica that could replace the primary.

import {
  describeRedisUrl,
  parseClusterUrl,
  parseSentinelUrl,
  type SentinelAddress,
} from '../../proxy/core/redis/redis-address.ts';
import {
  createRedisClient,
  type RedisServer,
  readClusterInfo,
  readRedisInfo,
} from '../../proxy/core/redis/redis-client.ts';
import { failed, ok, warning, type Finding } from './finding.ts';

export const redisTimeoutMs = 3000;

/** Fewer sentinels cannot agree after the loss of one. */
const leastSentinels = 3;

/** Returns no finding for one server without them. `redis`: connected to the primary. Never rejects. */
export async function checkFailover(check: string, url: string, redis: RedisServer): Promise<readonly Finding[]> {
  const cluster = parseClusterUrl(url);
  if (cluster !== undefined)
    return [
      describeCluster(`${check}.cluster`, cluster.servers.length, await readClusterInfo(redis)),
      await describeReplicas(`${check}.replicas`, redis),
    ];
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

/** Fewer primaries cannot agree that one of them is lost. */
const leastPrimaries = 3;

function describeCluster(check: string, named: number, facts: ReadonlyMap<string, string>): Finding {
  const primaries = Number(facts.get('cluster_size') ?? Number.NaN);
  if (facts.get('cluster_state') === 'fail')
    return failed(
      check,
      `The cluster is down: ${facts.get('cluster_slots_ok') ?? '?'} of its 16384 slots can be used.`,
      'Start its missing servers, or give their slots to others: redis-cli --cluster fix HOST:PORT.',
    );
  if (primaries < leastPrimaries)
    return warning(
      check,
      `Only ${primaries} of its servers ${primaries === 1 ? 'is a primary' : 'are primaries'}.`,
      'Use three or more primaries: fewer cannot replace a lost one.',
    );
  if (named === 1)
    return warning(
      check,
      'Only one server of the cluster is named.',
      'Name three or more: if the only one is lost, a server that starts cannot find the others.',
    );
  return ok(
    check,
    Number.isNaN(primaries) ? 'Its number of primaries is unknown' : `All slots are on ${primaries} primaries`,
  );
}

async function describeReplicas(check: string, redis: RedisServer): Promise<Finding> {
  const replicas = Number((await readRedisInfo(redis, 'replication')).get('connected_slaves') ?? Number.NaN);
  if (replicas === 0)
    return warning(
      check,
      'The primary has no replica.',
      'Start a replica: without one nothing replaces a lost primary.',
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
    commandTimeout: redisTimeoutMs,
    socketTimeout: redisTimeoutMs,
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
