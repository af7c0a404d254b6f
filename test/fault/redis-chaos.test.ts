// Tests a Redis that is frozen, killed, emptied, full, read-only or behind a wrong password: requests are still
// answered and limited, never with an error (F6, F7, I11, I12), and the shared count takes over again by itself.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hourMs, openTestCounters, type TestCounters } from '../util/resilient-redis-counters.ts';
import { freePort, startRedis, type RedisServer } from '../util/redis-server.ts';
import { lacks } from '../util/tool.ts';
import { itInSeries } from '../util/series.ts';

describe.skipIf(lacks('redis-server'))('counting while Redis fails', () => {
  let redis: RedisServer;
  const opened: TestCounters[] = [];

  beforeEach(async () => {
    redis = await startRedis();
  });

  afterEach(async () => {
    redis.thaw();
    for (const { counters } of opened.splice(0)) await counters.close();
    await redis.stop();
  });

  async function open(url = redis.url): Promise<TestCounters> {
    const counting = await openTestCounters(url);
    opened.push(counting);
    return counting;
  }

  it('F6, row 80: frozen: all waiting requests are answered together, later ones at once, and Redis is used again when it thaws', async () => {
    const { counters, hit, hits, notices, untilRecovered, failedTrials } = await open();
    await hits(10, 100);
    redis.freeze();
    const waiting = Array.from({ length: 20 }, () => hit(100));
    expect((await Promise.all(waiting)).map(({ remaining }) => remaining).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 20 }, (_, index) => 70 + index),
    );
    expect(counters.degraded()).toBe(true);
    // answered without a promise: no request waits
    expect(counters.hit('a', 100, hourMs, Date.now())).toMatchObject({ admitted: true, remaining: 69 });
    // after a few attempts to reconnect, which delay no request
    await failedTrials();
    expect(counters.hit('a', 100, hourMs, Date.now())).toMatchObject({ admitted: true, remaining: 68 });
    redis.thaw();
    await untilRecovered();
    const { remaining } = await hit(100);
    expect(remaining).toBeLessThanOrEqual(67);
    expect(Number(await redis.command('GET', 'libretto:count:a'))).toBe(100 - remaining);
    expect(notices).toMatchObject([
      { state: 'degraded', reason: expect.stringContaining('no reply') },
      { state: 'recovered' },
    ]);
  });

  it('F7, row 80: killed and started again: counting continues from the local count', async () => {
    const { hit, hits, untilRecovered } = await open();
    await hits(90, 100);
    await redis.kill();
    expect(await hits(5, 100)).toMatchObject({ admitted: true, remaining: 5 });
    await redis.restart();
    await untilRecovered();
    expect(await hit(100)).toMatchObject({ admitted: true, remaining: 4 });
    expect(Number(await redis.command('GET', 'libretto:count:a'))).toBe(96);
  });

  it('row 80: requests stay limited while Redis is gone', async () => {
    const { hit, hits } = await open();
    await hits(10, 15);
    await redis.kill();
    const all = await Promise.all(Array.from({ length: 20 }, () => hit(15)));
    expect(all.filter(({ admitted }) => admitted)).toHaveLength(5);
    expect(await hit(15)).toMatchObject({ admitted: false, remaining: 0 });
  });

  it('F7, row 81: emptied, or without its scripts: no error, and count and end stay', async () => {
    const { counters, hit, hits } = await open();
    const before = await hits(50, 100);
    await redis.command('SCRIPT', 'FLUSH');
    // a Redis that is late for a moment: one of the two is answered from the local count, beside the other
    expect([48, 49]).toContain((await hits(2, 100)).remaining);
    await redis.command('FLUSHALL');
    const after = await hit(100);
    expect(after.remaining).toBe(47);
    expect(Math.abs(after.resetAtMs - before.resetAtMs)).toBeLessThan(1000);
    expect(
      Math.abs(Number(await redis.command('PTTL', 'libretto:count:a')) - (before.resetAtMs - Date.now())),
    ).toBeLessThan(2000);
    expect(counters.degraded()).toBe(false);
  });

  it('F7: emptied under two processes: the count continues from the higher of the two', async () => {
    const [one, two] = [await open(), await open()];
    await one.hits(30, 100);
    await two.hits(40, 100);
    await redis.command('FLUSHALL');
    expect(await one.hit(100)).toMatchObject({ remaining: 69 });
    expect(await two.hit(100)).toMatchObject({ remaining: 29 });
    expect(await one.hit(100)).toMatchObject({ remaining: 28 });
  });

  it('row 81: a key without an end gets one, and does not refuse forever', async () => {
    const { hit } = await open();
    await redis.command('SET', 'libretto:count:a', 500);
    expect(await hit(100)).toMatchObject({ admitted: false });
    expect(Number(await redis.command('PTTL', 'libretto:count:a'))).toBeGreaterThan(hourMs - 60_000);
    await redis.command('SET', 'libretto:count:b', 'nonsense');
    expect(await hit(100, 'b')).toMatchObject({ admitted: true, remaining: 99 });
  });

  it('row 83: every key has an end', async () => {
    const { hit } = await open();
    for (let index = 0; index < 20; index += 1) await hit(100, `key ${index}`);
    for (const key of (await redis.command('KEYS', '*')) as string[])
      // -1: none; -2: it has ended meanwhile
      expect(Number(await redis.command('PTTL', key)), key).not.toBe(-1);
  });

  it('row 80: unreachable at the start: counts locally, reports it once, and takes over when Redis appears', async () => {
    await redis.kill();
    const { counters, hit, notices, untilRecovered, failedTrials } = await open();
    expect(counters.degraded()).toBe(true);
    expect(await hit(2)).toMatchObject({ admitted: true, remaining: 1 });
    await failedTrials();
    expect(notices).toMatchObject([{ state: 'degraded', reason: expect.stringContaining('ECONNREFUSED') }]);
    await redis.restart();
    await untilRecovered();
    expect(await hit(2)).toMatchObject({ admitted: true, remaining: 0 });
    expect(await hit(2)).toMatchObject({ admitted: false });
  });

  itInSeries('row 80: frozen at the start: the server starts all the same', async () => {
    redis.freeze();
    const { counters, untilRecovered } = await open();
    expect(counters.degraded()).toBe(true);
    redis.thaw();
    await untilRecovered();
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
    const { counters, hit, hits, notices, untilRecovered, failedTrials } = await open();
    await hits(10, 100);
    await breakIt();
    expect(await hits(10, 100)).toMatchObject({ admitted: true, remaining: 80 });
    await failedTrials();
    expect(counters.degraded()).toBe(true);
    expect(notices).toMatchObject([{ state: 'degraded', reason: expect.stringContaining(reason) }]);
    await repair();
    await untilRecovered();
    expect(await hit(100)).toMatchObject({ admitted: true, remaining: 79 });
  });

  it('row 80: a wrong password: counts locally and reports it without the password', async () => {
    const guarded = await startRedis([], 'right-horse');
    const { hit, notices } = await open(guarded.url.replace('right-horse', 'wrong-horse'));
    expect(await hit(2)).toMatchObject({ admitted: true, remaining: 1 });
    expect(notices).toMatchObject([{ state: 'degraded', reason: expect.stringMatching(/WRONGPASS|NOAUTH/) }]);
    expect(JSON.stringify(notices)).not.toContain('wrong-horse');
    const other = await open(guarded.url);
    expect(other.counters.degraded()).toBe(false);
    await guarded.stop();
  });
});
