// The checks of the Redis for counts and of the Redis for the state: reachable, new enough, writable, and durable
// where required.

import semver from 'semver';
import { describeRedisUrl, failsOver } from '../../proxy/core/redis/redis-address.ts';
import {
  createRedisClient,
  type RedisConnection,
  type RedisServer,
  readRedisInfo,
} from '../../proxy/core/redis/redis-client.ts';
import { findDurabilityFault, findSyncFault } from '../../proxy/state/redis-durability.ts';
import { findMissingRights } from '../../proxy/state/redis-opening.ts';
import { stateKeysOf } from '../../proxy/state/redis-keys.ts';
import type { Config } from '../config/config.ts';
import { describeSkew } from './outside.ts';
import { failed, ok, warning, type Finding } from './finding.ts';
import { checkFailover, redisTimeoutMs } from './redis-failover.ts';

/** The first version with named users (AUTH with two parts, as in the URL). */
const leastRedis = '6.0.0';

/** Returns no finding without a Redis. Never rejects. */
export async function checkRedis(
  { redis, state }: Pick<Config, 'redis' | 'state'>,
  now: () => Date,
): Promise<readonly Finding[]> {
  const stateFindings = state.value === undefined ? [] : await checkOne('redis.state', state.value, true, now);
  const counted =
    redis.value === undefined || redis.value === state.value ? [] : await checkOne('redis', redis.value, false, now);
  return [...stateFindings, ...counted];
}

async function checkOne(check: string, url: string, keepsState: boolean, now: () => Date): Promise<readonly Finding[]> {
  const connection = createRedisClient({ url, commandTimeout: redisTimeoutMs, socketTimeout: redisTimeoutMs });
  const { connect, reason } = connection;
  const place = describeRedisUrl(url).replace(/^.*?:\/\//, '');
  try {
    await connect();
    const redis = connection.primary();
    const durabilityFindings = keepsState
      ? [...(await describeRights(check, connection, failsOver(url))), await describeDurability(check, redis)]
      : [];
    return [
      await describeServer(check, redis, place),
      await describeRole(check, redis, keepsState),
      ...durabilityFindings,
      ...(await checkFailover(check, url, redis)),
      await describeClock(check, redis, now),
    ];
  } catch (error) {
    const why = (reason() ?? (error as Error)).message;
    return [
      failed(
        check,
        `Redis at ${place} cannot be used: ${why}.`,
        keepsState
          ? 'Without it, every token is refused. Start it, or correct its address or password in the setting state.'
          : 'Each server counts for itself until it is back. Start it, or correct its address or password in the ' +
              'setting redis.',
      ),
    ];
  } finally {
    connection.redis.disconnect();
  }
}

async function describeServer(check: string, redis: RedisServer, place: string): Promise<Finding> {
  const version = (await readRedisInfo(redis, 'server')).get('redis_version') ?? '';
  if (semver.valid(version) === null) return ok(check, `Redis at ${place} is reached; its version is unknown`);
  return semver.gte(version, leastRedis)
    ? ok(check, `Redis ${version} at ${place} is reached`)
    : warning(check, `Redis ${version} at ${place} is too old.`, `Install Redis ${leastRedis} or newer.`);
}

/** Counting and keeping are writing: a replica takes neither. */
async function describeRole(check: string, redis: RedisServer, keepsState: boolean): Promise<Finding> {
  const [replication, memory] = [await readRedisInfo(redis, 'replication'), await readRedisInfo(redis, 'memory')];
  const most = Number(memory.get('maxmemory') ?? 0);
  const used = Number(memory.get('used_memory') ?? 0);
  if (replication.get('role') === 'slave')
    return failed(`${check}.writable`, 'It is a replica, which accepts no writes.', 'Name the primary.');
  if (most > 0 && used > 0.9 * most)
    return warning(
      `${check}.writable`,
      `It uses ${Math.round((used / most) * 100)} % of its maxmemory.`,
      keepsState
        ? 'Raise maxmemory: a full Redis accepts no changes.'
        : 'Raise maxmemory: a full Redis stops counting, and each server counts for itself.',
    );
  return ok(`${check}.writable`, 'It accepts writes');
}

/** Checks the rights of the Redis user. Returns no finding if all are present. */
async function describeRights(
  check: string,
  { redis, keyspace }: RedisConnection,
  waits: boolean,
): Promise<readonly Finding[]> {
  const missing = await findMissingRights(redis, stateKeysOf(keyspace), waits);
  return missing.length === 0
    ? []
    : [
        failed(
          `${check}.rights`,
          `Its user may not send ${missing.join(', ')}.`,
          'Allow the commands in docs/how-to/state-in-redis.md for the keys libretto:state:*.',
        ),
      ];
}

async function describeDurability(check: string, redis: RedisServer): Promise<Finding> {
  const fault = await findDurabilityFault(redis);
  const late = fault === undefined ? await findSyncFault(redis) : undefined;
  if (late !== undefined)
    return warning(
      `${check}.durable`,
      `It may lose its last changes: ${late.split('. ')[0] ?? late}.`,
      late.split('. ')[1] ?? '',
    );
  return fault === undefined
    ? ok(`${check}.durable`, 'It persists acknowledged writes')
    : failed(
        `${check}.durable`,
        `It may lose users, tokens and revocations: ${fault.split('. ')[0] ?? fault}.`,
        fault.split('. ')[1] ?? 'Set `appendonly yes` and `maxmemory-policy noeviction`.',
      );
}

async function describeClock(check: string, redis: RedisServer, now: () => Date): Promise<Finding> {
  const before = now().getTime();
  const [seconds, micros] = await redis.time();
  const here = (before + now().getTime()) / 2;
  return describeSkew(`${check}.clock`, Number(seconds) * 1000 + Number(micros) / 1000 - here, 'Redis');
}
