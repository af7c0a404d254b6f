// Tests counters and state in a Redis Cluster: limits are exact for three servers (F5), also while the slot moves to
// another server. No confirmed change is lost while the primary of the slot, the server of the messages, or another
// primary is killed (F7, F8, F9). `npm run fault` kills again and again.

import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { StateChange } from '../../proxy/core/state/state-store.ts';
import type { StateNotice } from '../../proxy/state/redis-reach.ts';
import { openRedisStore, type RedisStore } from '../../proxy/state/redis-store.ts';
import { createLease } from '../../proxy/sync/lease.ts';
import { createLiveness } from '../../proxy/sync/liveness.ts';
import { startCluster, type RedisCluster } from '../util/redis-cluster.ts';
import { freePort, startRedis, type RedisServer } from '../util/redis-server.ts';
import { openTestCounters, type TestCounters } from '../util/resilient-redis-counters.ts';
import { lacks } from '../util/tool.ts';
import { itInSeries } from '../util/series.ts';

const rounds = process.env['CRASH_KILLS'] === undefined ? 1 : 6;
const put = (key: string): StateChange => ({ conditions: [], puts: [{ key, value: key }], deletes: [] });

describe.skipIf(lacks('redis-server'))('with a cluster', () => {
  let redis: RedisCluster;
  const stores: RedisStore[] = [];
  const countings: TestCounters[] = [];
  let notices: StateNotice[] = [];

  beforeAll(async () => {
    redis = await startCluster('right-horse');
  });

  afterAll(() => redis.stop());

  afterEach(async () => {
    for (const { counters } of countings.splice(0)) await counters.close();
    for (const store of stores.splice(0)) await store.close();
  });

  async function hosts(url = redis.url): Promise<readonly [RedisStore, RedisStore, RedisStore]> {
    const open = async (): Promise<RedisStore> => {
      const store = await openRedisStore({
        url,
        graceMs: 60_000,
        notice: (notice) => notices.push(notice),
        monotonicMs: () => performance.now(),
      });
      stores.push(store);
      return store;
    };
    return [await open(), await open(), await open()];
  }

  /** The answers of all requests, spread over three processes: admitted and refused. */
  async function flood(key: string, requests: number, limit: number, pause = 0): Promise<readonly [number, number]> {
    while (countings.length < 3) countings.push(await openTestCounters(redis.url));
    const answers = [];
    for (let sent = 0; sent < requests; sent += 1) {
      answers.push(countings[sent % 3]?.hit(limit, key));
      if (pause > 0 && sent % 20 === 0) await delay(pause);
    }
    const admitted = (await Promise.all(answers)).filter((answer) => answer?.admitted === true).length;
    return [admitted, requests - admitted];
  }

  /** Once more where the cluster did not answer in time on a busy machine: then each process counts alone (I12). */
  async function floodExactly(key: string, pause = 0, triesLeft = 4): Promise<readonly [number, number]> {
    const outages = (): number => countings.reduce((sum, { notices }) => sum + notices.length, 0);
    const before = outages();
    const answers = await flood(`${key}${triesLeft}`, 1200, 1000, pause);
    if (outages() === before || triesLeft === 0) return answers;
    for (const { untilRecovered } of countings) await untilRecovered();
    return floodExactly(key, pause, triesLeft - 1);
  }

  /** Commits rows on all hosts until the end; returns the confirmed ones. */
  function write(name: string, on: readonly RedisStore[]): { readonly end: () => Promise<readonly string[]> } {
    let ended = false;
    const writeOn = async (store: RedisStore, host: number): Promise<readonly string[]> => {
      const confirmed: string[] = [];
      for (let at = 0; !ended; at += 1) {
        const key = `${name}/${host}/${at}`;
        if (await store.commit(put(key)).catch(() => false)) confirmed.push(key);
        else await delay(20);
      }
      return confirmed;
    };
    const all = Promise.all(on.map(writeOn));
    return {
      end: async () => {
        ended = true;
        return (await all).flat();
      },
    };
  }

  it('F5: 1,200 requests at once on three servers are 1,000 answers and 200 refusals', async () => {
    expect(await floodExactly('flood')).toEqual([1000, 200]);
  });

  it('the keys of a registry are in one slot, and each registry has its own', async () => {
    const [one] = await hosts();
    await one.commit(put('token/a'));
    await flood('token', 1, 10);
    const [other] = await hosts(`${redis.url}/other`);
    expect(await other.get('token/a')).toBeUndefined();
    const keys = (await redis.primary.command('CLUSTER', 'GETKEYSINSLOT', redis.slot, 100)) as string[];
    expect(keys).toEqual(expect.arrayContaining(['libretto:state:{libretto}:rows', 'libretto:count:{libretto}:token']));
  });

  it('a user with the documented rights is enough', async () => {
    const page = readFileSync(new URL('../../docs/how-to/state-in-redis.md', import.meta.url), 'utf8');
    const [, rights = ''] = /ACL SETUSER libretto on >PASSWORD (.*)/.exec(page) ?? [];
    const user = ['libretto', 'on', '>secret', ...rights.split(' '), '+wait', '+cluster|slots', '+asking'];
    await Promise.all(redis.servers.map((server) => server.command('ACL', 'SETUSER', ...user)));
    const [one, other] = await hosts(redis.url.replace(':right-horse', 'libretto:secret'));
    const before = other.generation();
    await one.commit(put('token/rights'));
    await until(async () => other.generation() > before);
    expect(await other.get('token/rights')).toBeDefined();
  });

  it('another form of address, a wrong password, no server: the error names the cause', async () => {
    const alone = await startRedis();
    const [server = ''] = /127\.0\.0\.1:\d+/.exec(redis.url) ?? [];
    for (const [url, why] of [
      [alone.url.replace('redis:', 'redis+cluster:'), /a server without a cluster: name it as redis:/],
      [`redis://:right-horse@${server}`, /a server of a cluster: name it as redis\+cluster:/],
      [redis.url.replace('right-horse', 'wrong-horse'), /WRONGPASS/],
      [`redis+cluster://127.0.0.1:${await freePort()}`, /ECONNREFUSED/],
    ] as const)
      await expect(hosts(url)).rejects.toThrow(why);
    await alone.stop();
  });

  it('a lease has one holder among the hosts', async () => {
    const leases = (await hosts()).map((state) =>
      createLease({
        state,
        name: 'sync',
        liveness: createLiveness({ monotonicMs: () => performance.now() }),
        randomBytes: (length) => randomBytes(length),
      }),
    );
    const held = await Promise.all(leases.map(({ hold }) => hold()));
    expect(held.filter(Boolean)).toHaveLength(1);
    await leases[held.indexOf(true)]?.release();
    expect(await leases[held.indexOf(false)]?.hold()).toBe(true);
  });

  it('F8: the server of the messages is killed: a change is known on the other hosts', async () => {
    const [one, other, third] = await hosts();
    await one.commit(put('token/revoked'));
    for (const store of [other, third]) await store.get('token/revoked');
    const { primary } = await redis.settled();
    const channels = await Promise.all(redis.servers.map(heard));
    const listening = redis.servers.find((server, at) => server !== primary && (channels[at] ?? 0) > 0);
    await listening?.kill();
    const before = [other.generation(), third.generation()];
    await one.commit({ conditions: [], puts: [], deletes: ['token/revoked'] });
    await until(async () => other.generation() > (before[0] ?? 0) && third.generation() > (before[1] ?? 0));
    for (const store of [other, third]) expect(await store.get('token/revoked')).toBeUndefined();
  });

  it('another primary is gone: the registry goes on when its replica has taken over', async () => {
    const { other } = await redis.settled();
    const [one, two] = await hosts();
    await flood('gone', 3, 10);
    await other.kill();
    await until(async () => !String(await redis.primary.command('CLUSTER', 'INFO')).includes('state:ok'));
    await until(async () => one.commit(put('token/kept')).catch(() => false));
    await until(async () => (await two.get('token/kept').catch(() => undefined)) !== undefined);
    await countings[0]?.untilRecovered();
    expect(await flood('gone', 3, 10)).toEqual([3, 0]);
  });

  it('the slot moves: no request and no change is lost or counted twice (MOVED, ASK)', async () => {
    const { primary, other } = await redis.settled();
    const on = await hosts();
    const writing = write('moved', on);
    const flooding = floodExactly('moved', 10);
    await moveSlot(redis, primary, other);
    expect(await flooding).toEqual([1000, 200]);
    await moveSlot(redis, other, primary);
    const confirmed = await writing.end();
    expect(confirmed.length).toBeGreaterThan(0);
    const rows = await rowsOf(on[0], 'moved/');
    expect(confirmed.filter((key) => !rows.includes(key))).toEqual([]);
  });

  it('the server that the slot moves to is killed: no error ends the process, and requests are counted', async () => {
    const { primary, other } = await redis.settled();
    await announceMove(redis, primary, other);
    await flood('asked', 3, 10);
    const flooding = flood('asked', 300, 1000, 20);
    await delay(50);
    await other.kill();
    expect(await flooding).toEqual([300, 0]);
    await primary.command('CLUSTER', 'SETSLOT', redis.slot, 'STABLE');
  });

  itInSeries(`F9: the primary is killed under load, ${rounds} times: every confirmed change is there`, async () => {
    for (let round = 0; round < rounds; round += 1) {
      const { primary, replica } = await redis.settled();
      const on = await hosts();
      notices = [];
      const writing = write(`killed${round}`, on);
      await delay(200);
      await primary.kill();
      // on a machine that is too busy, a replica misses changes, and the log says so
      const isReplicated = !notices.some(({ state }) => state === 'unreplicated');
      await until(async () => String(await replica.command('INFO', 'replication')).includes('role:master'));
      if (isReplicated) for (const store of on) await until(async () => store.commit(put('after')).catch(() => false));
      const confirmed = await writing.end();
      if (!isReplicated) continue;
      expect(confirmed.length).toBeGreaterThan(3);
      const rows = await rowsOf(on[1], `killed${round}/`);
      expect(confirmed.filter((key) => !rows.includes(key))).toEqual([]);
    }
  });
});

async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 60_000;
  let held = await holds();
  while (!held && performance.now() < deadline) {
    await delay(20);
    held = await holds();
  }
  expect(held).toBe(true);
}

/** Repeats the question while the host has lost the cluster. */
async function rowsOf(store: RedisStore, prefix: string): Promise<readonly string[]> {
  let rows: readonly string[] | undefined;
  await until(async () => {
    rows = await store.range(prefix).then(
      (found) => found.map(({ key }) => key),
      () => undefined,
    );
    return rows !== undefined;
  });
  return rows ?? [];
}

async function heard(server: RedisServer): Promise<number> {
  return ((await server.command('PUBSUB', 'CHANNELS')) as string[]).length;
}

async function announceMove({ slot }: RedisCluster, from: RedisServer, to: RedisServer): Promise<string> {
  const [fromId, toId] = [await from.command('CLUSTER', 'MYID'), await to.command('CLUSTER', 'MYID')];
  await to.command('CLUSTER', 'SETSLOT', slot, 'IMPORTING', String(fromId));
  await from.command('CLUSTER', 'SETSLOT', slot, 'MIGRATING', String(toId));
  return String(toId);
}

/** As `redis-cli --cluster reshard` does. */
async function moveSlot(cluster: RedisCluster, from: RedisServer, to: RedisServer): Promise<void> {
  const { slot } = cluster;
  const toId = await announceMove(cluster, from, to);
  for (;;) {
    const keys = (await from.command('CLUSTER', 'GETKEYSINSLOT', slot, 1)) as string[];
    if (keys.length === 0) break;
    await from.command('MIGRATE', '127.0.0.1', to.port, '', 0, 5000, 'AUTH', 'right-horse', 'KEYS', ...keys);
    await delay(20);
  }
  for (const server of [to, from]) await server.command('CLUSTER', 'SETSLOT', slot, 'NODE', toId);
}
