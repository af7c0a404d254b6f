// Checks whether a Redis keeps acknowledged writes. Most Redis servers are configured as caches, which lose data at a
// restart or when memory is full.

import { type RedisServer, readRedisInfo } from '../core/redis/redis-client.ts';

interface Fault {
  readonly what: string;
  readonly set: string;
}

/**
 * Two sentences for people: the fault and the setting that repairs it; undefined: no visible fault. A Redis may refuse
 * to show its configuration.
 */
export async function findDurabilityFault(redis: RedisServer): Promise<string | undefined> {
  const [persistence, memory, snapshots] = await Promise.all([
    readRedisInfo(redis, 'persistence'),
    readRedisInfo(redis, 'memory'),
    settingOf(redis, 'save'),
  ]);
  const faults = [evictionFault(memory), diskFault(persistence, snapshots)].filter((fault) => fault !== undefined);
  return faults.length === 0
    ? undefined
    : `${faults.map(({ what }) => what).join(', and ')}. Set ${faults.map(({ set }) => `\`${set}\``).join(' and ')}`;
}

/**
 * Two sentences: the changes that a power loss undoes although Redis writes a log, and the setting that prevents the
 * loss; undefined: no fault, or Redis does not report the setting.
 */
export async function findSyncFault(redis: RedisServer): Promise<string | undefined> {
  const [persistence, sync] = await Promise.all([readRedisInfo(redis, 'persistence'), settingOf(redis, 'appendfsync')]);
  if (persistence.get('aof_enabled') !== '1' || sync === undefined || sync === 'always') return undefined;
  const often = sync === 'everysec' ? 'once a second' : 'at irregular times';
  return (
    `it writes to disk ${often} (appendfsync ${sync}): a loss of power undoes the last changes, a revocation ` +
    `too. Set \`appendfsync always\``
  );
}

function evictionFault(memory: ReadonlyMap<string, string>): Fault | undefined {
  const policy = memory.get('maxmemory_policy');
  if (policy?.startsWith('allkeys-') !== true || memory.get('maxmemory') === '0') return undefined;
  return {
    what: `it evicts rows when memory is full (maxmemory-policy ${policy})`,
    set: 'maxmemory-policy noeviction',
  };
}

/** `snapshots`: the setting `save`; undefined if Redis does not report it. */
function diskFault(persistence: ReadonlyMap<string, string>, snapshots: string | undefined): Fault | undefined {
  if (persistence.get('aof_enabled') !== '0' || snapshots === undefined) return undefined;
  const what =
    snapshots === ''
      ? 'it stores nothing on disk: users and tokens are lost at a restart'
      : `it only saves snapshots (save ${snapshots}): a crash loses later changes, including revocations`;
  return { what, set: 'appendonly yes' };
}

/** undefined if Redis refuses the command. */
async function settingOf(redis: RedisServer, name: string): Promise<string | undefined> {
  const reply = await redis.config('GET', name).catch(() => undefined);
  return Array.isArray(reply) && typeof reply[1] === 'string' ? reply[1] : undefined;
}
