// Tests a Redis that is late, slow, behind a dead line, closed to the server at run time, or holds old or odd values:
// no request fails, none is unlimited, and the shared count is used again by itself (F6, F7, rows 80 and 81).
// redis-chaos.test.ts has a frozen, killed, emptied, full and read-only Redis.

import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hourMs, openTestCounters, type TestCounters } from '../util/resilient-redis-counters.ts';
import { startRedis, type RedisServer } from '../util/redis-server.ts';
import { startTcpProxy } from '../util/tcp-proxy.ts';
import { lacks } from '../util/tool.ts';

describe.skipIf(lacks('redis-server'))('counting while Redis is slow or odd', () => {
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

  const stored = async (key = 'a'): Promise<number> => Number(await redis.command('GET', `libretto:count:${key}`));

  it(
    'F6: a frozen Redis delays one request until the freeze is certain, and no request far from its limit',
    { retry: 2 },
    async () => {
      const { counters, hit, hits } = await open();
      await hits(10, 1000);
      redis.freeze();
      const degradedAt: boolean[] = [];
      const waiting = Array.from({ length: 20 }, () =>
        hit(1000).then((count) => (degradedAt.push(counters.degraded()), count)),
      );
      await waiting[1];
      // later requests do not wait at all
      expect(counters.hit('a', 1000, hourMs, Date.now())).toMatchObject({ admitted: true, remaining: 970 });
      expect(counters.degraded()).toBe(false);
      expect((await Promise.all(waiting)).map(({ remaining }) => remaining).sort((a, b) => a - b)).toEqual([
        969,
        ...Array.from({ length: 19 }, (_, index) => 971 + index),
      ]);
      expect(degradedAt).toEqual([...Array.from({ length: 19 }, () => false), true]);
    },
  );

  it('F5, F6: a late Redis that returns has counted every request once', { retry: 2 }, async () => {
    const [one, other] = [await open(), await open()];
    for (let index = 0; index < 5; index += 1) for (const { hit } of [one, other]) await hit(1000);
    redis.freeze();
    const waiting = [one, other].flatMap(({ hit }) => Array.from({ length: 20 }, () => hit(1000)));
    await waiting[1];
    waiting.push(...[one, other].flatMap(({ hit }) => Array.from({ length: 10 }, () => hit(1000))));
    redis.thaw();
    await Promise.all(waiting);
    // the requests that did not wait are counted as well
    await delay(100);
    expect(await one.hit(1000)).toMatchObject({ remaining: 1000 - 71 });
    expect(await stored()).toBe(71);
    expect([one, other].map(({ notices }) => notices)).toEqual([[], []]);
  });

  it.each([
    ['near the limit', 100, 60],
    ['with many requests on their way', 100, 10],
    ['for an unknown token', 100, 0],
  ])(
    'F5, F6: %s every request waits for its reply, and none is admitted beyond the limit',
    { retry: 2 },
    async (_name, limit, before) => {
      const [one, other] = [await open(), await open()];
      for (let index = 0; index < before / 2; index += 1) for (const { hit } of [one, other]) await hit(limit);
      redis.freeze();
      const waiting = [one, other].flatMap(({ hit }) => Array.from({ length: 60 }, () => hit(limit)));
      await delay(100);
      redis.thaw();
      expect((await Promise.all(waiting)).filter(({ admitted }) => admitted)).toHaveLength(limit - before);
      expect(one.notices).toEqual([]);
    },
  );

  it('row 80: a slow Redis delays no request, and is reported once', async () => {
    await using line = await startTcpProxy(redis.port);
    const { counters, hit, hits, notices, untilRecovered, failedTrials } = await open(`redis://127.0.0.1:${line.port}`);
    await hits(10, 100);
    line.delayMs = 400;
    expect(await hits(10, 100)).toMatchObject({ admitted: true, remaining: 80 });
    // the attempts are answered, but too late
    await failedTrials();
    expect(counters.degraded()).toBe(true);
    expect(notices).toMatchObject([{ state: 'degraded', reason: 'no reply within 250 ms' }]);
    line.delayMs = 0;
    await untilRecovered();
    const { remaining } = await hit(100);
    expect(remaining).toBeLessThanOrEqual(79);
    expect(await stored()).toBe(100 - remaining);
  });

  it('row 80: a dead line without an error leads to a new connection', async () => {
    await using line = await startTcpProxy(redis.port);
    const { hit, hits, untilDegraded, untilRecovered } = await open(`redis://127.0.0.1:${line.port}`);
    await hits(10, 100);
    line.deaden();
    expect(await hits(10, 100)).toMatchObject({ admitted: true, remaining: 80 });
    await untilDegraded();
    await untilRecovered();
    expect(await hit(100)).toMatchObject({ admitted: true, remaining: 79 });
    expect(await stored()).toBe(21);
  });

  it('row 80: a password that changes at run time: counts locally and names the cause without the password', async () => {
    await redis.command('ACL', 'SETUSER', 'count', 'on', '>right-horse', '~*', '+@all');
    const { counters, hit, hits, notices, untilRecovered, failedTrials } = await open(
      redis.url.replace('//', '//count:right-horse@'),
    );
    await hits(10, 100);
    await redis.command('ACL', 'SETUSER', 'count', 'resetpass', '>other-horse');
    await redis.command('CLIENT', 'KILL', 'USER', 'count');
    expect(await hits(10, 100)).toMatchObject({ admitted: true, remaining: 80 });
    await failedTrials();
    expect(counters.degraded()).toBe(true);
    expect(await hit(100)).toMatchObject({ remaining: 79 });
    expect(notices).toHaveLength(1);
    expect(JSON.stringify(notices)).not.toContain('horse');
    await redis.command('ACL', 'SETUSER', 'count', '>right-horse');
    await untilRecovered();
    expect(await hit(100)).toMatchObject({ remaining: 78 });
    expect(await stored()).toBe(22);
  });

  it('row 80: a foreign script blocks Redis: counts locally meanwhile', async () => {
    await redis.command('CONFIG', 'SET', 'busy-reply-threshold', 50);
    const { hits, hit, notices, untilRecovered } = await open();
    await hits(10, 100);
    const script = redis.command('EVAL', 'while true do end', 0).catch((error: unknown) => String(error));
    await delay(300);
    expect(await hits(10, 100)).toMatchObject({ admitted: true, remaining: 80 });
    expect(notices).toMatchObject([{ state: 'degraded', reason: expect.stringContaining('BUSY') as string }]);
    connect(redis.port, '127.0.0.1').end('SCRIPT KILL\r\n');
    expect(await script).toContain('killed');
    await untilRecovered();
    expect((await hit(100)).remaining).toBeLessThanOrEqual(79);
  });

  it('F7: a restart with old data does not lower the count below the local one', async () => {
    const { hit, hits, untilRecovered } = await open();
    await hits(50, 100);
    await redis.command('SAVE');
    await hits(40, 100);
    await redis.kill();
    await redis.restart();
    expect(await stored()).toBe(50);
    expect(await hit(100)).toMatchObject({ admitted: true, remaining: 9 });
    await untilRecovered();
    expect(await hit(100)).toMatchObject({ admitted: true, remaining: 8 });
    expect(await stored()).toBe(92);
  });

  it('F7, row 81: lost scripts under load cause no error, and no request counts twice', async () => {
    const { hits, counters } = await open();
    const all = [
      hits(50, 1000),
      redis.command('SCRIPT', 'FLUSH'),
      hits(50, 1000),
      redis.command('SCRIPT', 'FLUSH'),
      hits(50, 1000),
    ];
    await Promise.all(all);
    expect(await stored()).toBe(150);
    expect(counters.degraded()).toBe(false);
  });

  it.each([
    ['a list', ['LPUSH', 'x'], 99],
    ['a hash', ['HSET', 'x', '1'], 99],
    ['less than nothing', ['SET', '-5'], 99],
    ['a fraction', ['SET', '10.5'], 99],
    ['another notation', ['SET', '1e3'], 99],
    ['no number', ['SET', 'nan'], 99],
    ['more than can be counted', ['SET', '99999999999999999999'], 99],
    ['a count', ['SET', '50'], 49],
  ])(
    'row 81: %s as the stored count refuses no request and causes no error',
    async (_name, [command = '', ...value], remaining) => {
      const { counters, hit, notices } = await open();
      await redis.command(command, 'libretto:count:a', ...value);
      expect(await hit(100)).toMatchObject({ admitted: true, remaining });
      expect(await hit(100)).toMatchObject({ admitted: true, remaining: remaining - 1 });
      expect(await stored()).toBe(100 - remaining + 1);
      expect(Number(await redis.command('PTTL', 'libretto:count:a'))).toBeGreaterThan(hourMs - 60_000);
      expect([counters.degraded(), notices]).toEqual([false, []]);
    },
  );

  it('row 81: a key that would live for days ends with its window', async () => {
    const { hit } = await open();
    await redis.command('SET', 'libretto:count:a', 100, 'PX', 100 * hourMs);
    expect(await hit(100)).toMatchObject({ admitted: false });
    expect(Number(await redis.command('PTTL', 'libretto:count:a'))).toBeLessThanOrEqual(hourMs);
  });

  it('row 80: a user with the documented rights is enough; with fewer, counting is local and the missing right is named', async () => {
    const rights = ['+info', '+eval', '+evalsha', '+get', '+set', '+pttl'];
    const url = redis.url.replace('//', '//count:secret@');
    await redis.command('ACL', 'SETUSER', 'count', 'on', '>secret', '~libretto:count:*', ...rights);
    const { counters, hits, notices } = await open(url);
    expect(await hits(5, 100)).toMatchObject({ remaining: 95 });
    expect(await counters.peek('a', hourMs, Date.now())).toMatchObject({ used: 5 });
    expect([counters.degraded(), notices]).toEqual([false, []]);
    for (const right of rights.filter((name) => name !== '+info')) {
      const command = right.slice(1);
      await redis.command('SCRIPT', 'FLUSH');
      await redis.command('ACL', 'SETUSER', 'count', `-${command}`);
      const lacking = await open(url);
      expect(await lacking.hit(100, command)).toMatchObject({ admitted: true, remaining: 99 });
      expect(lacking.counters.degraded(), command).toBe(true);
      expect(lacking.notices, command).toMatchObject([
        { reason: expect.stringMatching(/NOPERM|can't run this command/) as string },
      ]);
      await redis.command('ACL', 'SETUSER', 'count', right);
    }
    await redis.command('ACL', 'SETUSER', 'count', 'resetkeys', '~other:*');
    expect((await open(url)).counters.degraded()).toBe(true);
  });
});
