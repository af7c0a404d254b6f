// Tests a Redis that is frozen, killed, emptied, full, read-only or behind a wrong password: requests are still
// answered and limited, never with an error (F6, F7, I11, I12), and the shared count takes over again by itself.

import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Count, Counters } from '../../proxy/limits/counters.ts';
import { createRedisCounters } from '../../proxy/limits/redis-counters.ts';
import type { CountersNotice } from '../../proxy/limits/counters-notices.ts';
import { openResilientCounters } from '../../proxy/limits/resilient-counters.ts';
import { freePort, startRedis, type RedisServer } from '../util/redis-server.ts';
import { lacks } from '../util/tool.ts';

const hourMs = 3_600_000;

describe.skipIf(lacks('redis-server'))('counting while Redis fails', () => {
  let redis: RedisServer;
  let notices: CountersNotice[];
  const opened: Counters[] = [];

  beforeEach(async () => {
    notices = [];
    redis = await startRedis();
  });

  afterEach(async () => {
    redis.thaw();
    for (const counters of opened.splice(0)) await counters.close();
    await redis.stop();
  });

  async function open(url = redis.url): Promise<Counters> {
    const counters = await openResilientCounters({
      shared: createRedisCounters({ url }),
      notice: (notice) => notices.push(notice),
      monotonicMs: () => performance.now(),
    });
    opened.push(counters);
    return counters;
  }

  const hit = async (counters: Counters, limit: number, key = 'a'): Promise<Count> =>
    counters.hit(key, limit, hourMs, Date.now());

  async function hits(counters: Counters, count: number, limit: number): Promise<Count> {
    const all = await Promise.all(Array.from({ length: count }, () => hit(counters, limit)));
    return all.reduce((least, one) => (one.remaining < least.remaining ? one : least));
  }

  async function untilRecovered(counters: Counters): Promise<void> {
    const deadline = performance.now() + 10_000;
    while (counters.degraded() && performance.now() < deadline) await delay(20);
    expect(counters.degraded()).toBe(false);
  }

  it('F6, row 80: frozen: all waiting requests are answered together, later ones at once, and Redis is used again when it thaws', async () => {
    const counters = await open();
    await hits(counters, 10, 100);
    redis.freeze();
    const waiting = Array.from({ length: 20 }, () => hit(counters, 100));
    expect((await Promise.all(waiting)).map(({ remaining }) => remaining).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 20 }, (_, index) => 70 + index),
    );
    expect(counters.degraded()).toBe(true);
    // answered without a promise: no request waits
    expect(counters.hit('a', 100, hourMs, Date.now())).toMatchObject({ admitted: true, remaining: 69 });
    // after a few attempts to reconnect, which delay no request
    await delay(1200);
    expect(counters.hit('a', 100, hourMs, Date.now())).toMatchObject({ admitted: true, remaining: 68 });
    redis.thaw();
    await untilRecovered(counters);
    const { remaining } = await hit(counters, 100);
    expect(remaining).toBeLessThanOrEqual(67);
    expect(Number(await redis.command('GET', 'libretto:count:a'))).toBe(100 - remaining);
    expect(notices).toMatchObject([
      { state: 'degraded', reason: expect.stringContaining('no reply') },
      { state: 'recovered' },
    ]);
  });

  it('F7, row 80: killed and started again: counting continues from the local count', async () => {
    const counters = await open();
    await hits(counters, 90, 100);
    await redis.kill();
    expect(await hits(counters, 5, 100)).toMatchObject({ admitted: true, remaining: 5 });
    await redis.restart();
    await untilRecovered(counters);
    expect(await hit(counters, 100)).toMatchObject({ admitted: true, remaining: 4 });
    expect(Number(await redis.command('GET', 'libretto:count:a'))).toBe(96);
  });

  it('row 80: requests stay limited while Redis is gone', async () => {
    const counters = await open();
    await hits(counters, 10, 15);
    await redis.kill();
    const all = await Promise.all(Array.from({ length: 20 }, () => hit(counters, 15)));
    expect(all.filter(({ admitted }) => admitted)).toHaveLength(5);
    expect(await hit(counters, 15)).toMatchObject({ admitted: false, remaining: 0 });
  });

  it('F7, row 81: emptied, or without its scripts: no error, and count and end stay', async () => {
    const counters = await open();
    const before = await hits(counters, 50, 100);
    await redis.command('SCRIPT', 'FLUSH');
    expect(await hits(counters, 2, 100)).toMatchObject({ remaining: 48 });
    await redis.command('FLUSHALL');
    const after = await hit(counters, 100);
    expect(after.remaining).toBe(47);
    expect(Math.abs(after.resetAtMs - before.resetAtMs)).toBeLessThan(1000);
    expect(
      Math.abs(Number(await redis.command('PTTL', 'libretto:count:a')) - (before.resetAtMs - Date.now())),
    ).toBeLessThan(2000);
    expect(counters.degraded()).toBe(false);
  });

  it('F7: emptied under two processes: the count continues from the higher of the two', async () => {
    const [one, two] = [await open(), await open()];
    await hits(one, 30, 100);
    await hits(two, 40, 100);
    await redis.command('FLUSHALL');
    expect(await hit(one, 100)).toMatchObject({ remaining: 69 });
    expect(await hit(two, 100)).toMatchObject({ remaining: 29 });
    expect(await hit(one, 100)).toMatchObject({ remaining: 28 });
  });

  it('row 81: a key without an end gets one, and does not refuse forever', async () => {
    const counters = await open();
    await redis.command('SET', 'libretto:count:a', 500);
    expect(await hit(counters, 100)).toMatchObject({ admitted: false });
    expect(Number(await redis.command('PTTL', 'libretto:count:a'))).toBeGreaterThan(hourMs - 60_000);
    await redis.command('SET', 'libretto:count:b', 'nonsense');
    expect(await hit(counters, 100, 'b')).toMatchObject({ admitted: true, remaining: 99 });
  });

  it('row 83: every key has an end', async () => {
    const counters = await open();
    for (let index = 0; index < 20; index += 1) await hit(counters, 100, `key ${index}`);
    for (const key of (await redis.command('KEYS', '*')) as string[])
      expect(Number(await redis.command('PTTL', key)), key).toBeGreaterThan(0);
  });

  it('row 80: unreachable at the start: counts locally, reports it once, and takes over when Redis appears', async () => {
    await redis.kill();
    const counters = await open();
    expect(counters.degraded()).toBe(true);
    expect(await hit(counters, 2)).toMatchObject({ admitted: true, remaining: 1 });
    await delay(1500);
    expect(notices).toMatchObject([{ state: 'degraded', reason: expect.stringContaining('ECONNREFUSED') }]);
    await redis.restart();
    await untilRecovered(counters);
    expect(await hit(counters, 2)).toMatchObject({ admitted: true, remaining: 0 });
    expect(await hit(counters, 2)).toMatchObject({ admitted: false });
  });

  it('row 80: frozen at the start: the server starts all the same', async () => {
    redis.freeze();
    const counters = await open();
    expect(counters.degraded()).toBe(true);
    redis.thaw();
    await untilRecovered(counters);
  });

  it.each([
    [
      'a read-only replica',
      async () => void (await redis.command('REPLICAOF', '127.0.0.1', await freePort())),
      () => redis.command('REPLICAOF', 'NO', 'ONE'),
      'READONLY',
    ],
    [
      'full',
      () => redis.command('CONFIG', 'SET', 'maxmemory', '1'),
      () => redis.command('CONFIG', 'SET', 'maxmemory', '0'),
      'OOM',
    ],
  ])('row 80: %s: counts locally until that ends', async (_name, breakIt, repair, reason) => {
    const counters = await open();
    await hits(counters, 10, 100);
    await breakIt();
    expect(await hits(counters, 10, 100)).toMatchObject({ admitted: true, remaining: 80 });
    await delay(1200);
    expect(counters.degraded()).toBe(true);
    expect(notices).toMatchObject([{ state: 'degraded', reason: expect.stringContaining(reason) }]);
    await repair();
    await untilRecovered(counters);
    expect(await hit(counters, 100)).toMatchObject({ admitted: true, remaining: 79 });
  });

  it('row 80: a wrong password: counts locally and reports it without the password', async () => {
    const guarded = await startRedis([], 'right-horse');
    const counters = await open(guarded.url.replace('right-horse', 'wrong-horse'));
    expect(await hit(counters, 2)).toMatchObject({ admitted: true, remaining: 1 });
    expect(notices).toMatchObject([{ state: 'degraded', reason: expect.stringMatching(/WRONGPASS|NOAUTH/) }]);
    expect(JSON.stringify(notices)).not.toContain('wrong-horse');
    const other = await open(guarded.url);
    expect(other.degraded()).toBe(false);
    await guarded.stop();
  });
});
