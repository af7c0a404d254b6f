// Tests sentinels that know the primary Redis, and a cluster: the primary is killed or frozen, a replica replaces it,
// and counters and state continue there. No acknowledged change is lost (F7, I11, I12, I13).

import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JsonValue } from '../../build/contract/json.ts';
import { openRedisStore, type RedisStore } from '../../proxy/state/redis-store.ts';
import type { StateNotice } from '../../proxy/state/redis-reach.ts';
import type { StateChange } from '../../proxy/core/state/state-store.ts';
import { openTestCounters, type TestCounters } from '../util/resilient-redis-counters.ts';
import { startCluster, type RedisCluster } from '../util/redis-cluster.ts';
import { startSentinels, type RedisSentinels } from '../util/redis-sentinels.ts';
import { freePort } from '../util/redis-server.ts';
import { lacks } from '../util/tool.ts';

const put = (key: string, value: JsonValue): StateChange => ({ conditions: [], puts: [{ key, value }], deletes: [] });

describe.skipIf(lacks('redis-server'))('with sentinels', () => {
  let redis: RedisSentinels | RedisCluster;
  let notices: StateNotice[];
  const stores: RedisStore[] = [];
  const countings: TestCounters[] = [];

  const hashTag = (): string => ('hashTag' in redis ? redis.hashTag : '');

  beforeEach(() => {
    notices = [];
  });

  afterEach(async () => {
    for (const server of [redis.primary, redis.replica]) server.thaw();
    for (const { counters } of countings.splice(0)) await counters.close();
    for (const store of stores.splice(0)) await store.close();
  });

  async function open(url = redis.url): Promise<RedisStore> {
    const store = await openRedisStore({
      url,
      graceMs: 60_000,
      notice: (notice) => notices.push(notice),
      monotonicMs: () => performance.now(),
    });
    stores.push(store);
    return store;
  }

  async function count(url = redis.url): Promise<TestCounters> {
    const counting = await openTestCounters(url);
    countings.push(counting);
    return counting;
  }

  async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
    const deadline = performance.now() + 60_000;
    let held = await holds();
    while (!held && performance.now() < deadline) {
      await delay(20);
      held = await holds();
    }
    expect(held).toBe(true);
  }

  /** Repeats the change, as its unconfirmed answer asks people to do. */
  async function commits(store: RedisStore, change: StateChange): Promise<boolean> {
    return store.commit(change).catch((error: { readonly code?: string }) => {
      expect(error.code).toMatch(/^STATE_UN(?:AVAILABLE|CONFIRMED)$/);
      return false;
    });
  }

  describe.each([
    ['sentinels', startSentinels],
    ['a cluster', startCluster],
  ])('after the loss of the primary, with %s', (kind, start) => {
    beforeEach(async () => {
      redis = await start('right-horse');
    });

    afterEach(() => redis.stop());

    const losses = [
      ['killed', () => redis.primary.kill()],
      ['frozen', async () => redis.primary.freeze()],
    ] as const;
    // redis-cluster.test.ts kills the primaries of a cluster
    const played = kind === 'a cluster' && process.env['CRASH_KILLS'] === undefined ? losses.slice(1) : losses;
    it.each(played)(
      'the primary %s: a replica replaces it, with every acknowledged change and every count',
      async (name, lose) => {
        const [one, other] = [await open(), await open()];
        const { counters, hit, hits, notices: told, untilRecovered } = await count();
        await one.commit(put('token/known', 'known'));
        await one.commit(put('token/revoked', 'revoked'));
        for (const key of ['token/known', 'token/revoked']) expect(await other.get(key)).toBeDefined();
        await hits(50, 100);
        await one.commit({ conditions: [], puts: [], deletes: ['token/revoked'] });
        await lose();
        expect(await hits(10, 100)).toMatchObject({ admitted: true, remaining: 40 });
        // cached rows are still served
        expect((await one.get('token/known').catch(() => undefined)) ?? (await other.get('token/known'))).toMatchObject(
          {
            value: 'known',
          },
        );
        await redis.failedOver();
        await untilRecovered();
        expect(await hit(100)).toMatchObject({ admitted: true, remaining: 39 });
        expect(Number(await redis.replica.command('GET', `libretto:count:${hashTag()}a`))).toBe(61);
        expect(counters.degraded()).toBe(false);
        expect(told.map(({ state }) => state)).toEqual(['degraded', 'recovered']);
        await until(() => commits(one, put('token/new', 'new')));
        await until(async () => (await other.get('token/new').catch(() => undefined)) !== undefined);
        expect(await other.get('token/revoked')).toBeUndefined();
        expect(await other.get('token/known')).toMatchObject({ value: 'known' });
        expect(notices.filter(({ state }) => state === 'emptied')).toEqual([]);
        if (name === 'killed') return;
        // it wakes up as a primary until it hears of the other, and no client returns to it
        redis.primary.thaw();
        expect(await one.commit(put('token/later', 'later'))).toBe(true);
        expect(await redis.replica.command('HEXISTS', `libretto:state:${hashTag()}rows`, 'token/later')).toBe(1);
        expect(await other.get('token/later')).toMatchObject({ value: 'later' });
      },
    );
  });

  describe('without a loss of the primary', () => {
    let sentinels: RedisSentinels;

    beforeAll(async () => {
      redis = sentinels = await startSentinels('right-horse');
    });

    afterAll(() => redis.stop());

    it('a change waits for one replica; without one it is acknowledged all the same, reported once, and delays no read', async () => {
      const store = await open();
      await store.commit(put('token/a', 'a'));
      expect(await redis.replica.command('HGET', 'libretto:state:rows', 'token/a')).toMatch(/:"a"$/);
      expect(notices).toEqual([]);
      redis.replica.freeze();
      const order: string[] = [];
      const write = async (): Promise<void> => {
        const done = await store.commit(put('token/b', 'b'));
        order.push(`written ${String(done)}`);
      };
      const change = write();
      for (let index = 0; index < 5; index += 1) await store.get('token/a');
      order.push('read');
      await change;
      expect(order).toEqual(['read', 'written true']);
      await store.commit(put('token/c', 'c'));
      expect(notices).toMatchObject([{ state: 'unreplicated' }]);
    });

    it('a Redis that requires replicas refuses the change, and nothing is changed', async () => {
      const store = await open();
      await store.commit(put('token/a', 'a'));
      await redis.primary.command('CONFIG', 'SET', 'min-replicas-to-write', 2);
      await expect(store.commit(put('token/a', 'b'))).rejects.toMatchObject({ code: 'STATE_WRITE_FAILED' });
      await redis.primary.command('CONFIG', 'SET', 'min-replicas-to-write', 0);
      await until(() => commits(store, { conditions: [], puts: [], deletes: [] }));
      expect(await store.get('token/a')).toMatchObject({ value: 'a' });
    });

    it('one reachable sentinel is enough, whichever it is', async () => {
      const gone = await freePort();
      const { hit, counters } = await count(
        redis.url.replace(/@[^/]+/, `@127.0.0.1:${gone},127.0.0.1:${sentinels.ports[2]}`),
      );
      expect(await hit(100)).toMatchObject({ remaining: 99 });
      expect(counters.degraded()).toBe(false);
    });

    it('no sentinel, another name, a wrong password: the error names the cause, and counting is local', async () => {
      const gone = await freePort();
      for (const [url, why] of [
        [redis.url.replace(/@[^/]+/, `@127.0.0.1:${gone}`), /the sentinel 127\.0\.0\.1:\d+ cannot be asked/],
        [redis.url.replace(/packages$/, 'others'), /the sentinel 127\.0\.0\.1:\d+ knows no primary called others/],
        [redis.url.replace('right-horse', 'wrong-horse'), /WRONGPASS/],
      ] as const) {
        await expect(open(url)).rejects.toThrow(why);
        const { counters, hit, notices: told } = await count(url);
        expect(counters.degraded()).toBe(true);
        expect(await hit(2)).toMatchObject({ admitted: true, remaining: 1 });
        expect(told).toMatchObject([{ state: 'degraded', reason: expect.stringMatching(why) as string }]);
        expect(JSON.stringify(told)).not.toContain('horse');
      }
    });
  });
});
