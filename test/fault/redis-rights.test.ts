// Tests a Redis user with exactly the documented rights: they are enough for a state, and with one right less the state
// is not opened.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openRedisStore, type RedisStore } from '../../proxy/state/redis-store.ts';
import { startRedis, type RedisServer } from '../util/redis-server.ts';
import { startSentinels } from '../util/redis-sentinels.ts';
import { itInSeries } from '../util/series.ts';
import { lacks } from '../util/tool.ts';

/** docs/how-to/state-in-redis.md, section "Prepare Redis". */
const rights = [
  'eval',
  'evalsha',
  'exists',
  'hget',
  'hmget',
  'hset',
  'hdel',
  'hincrby',
  'hlen',
  'hscan',
  'zadd',
  'zcard',
  'zrem',
  'zrangebylex',
  'zrevrangebylex',
  'time',
];
const others = ['+info', '+config|get', '+publish', '+subscribe', '&libretto:state:*'];

describe.skipIf(lacks('redis-server'))('a Redis user for the state', () => {
  let redis: RedisServer;
  let url: string;
  const stores: RedisStore[] = [];

  beforeEach(async () => {
    redis = await startRedis();
    url = redis.url.replace('//', '//state:secret@');
    await redis.command(
      'ACL',
      'SETUSER',
      'state',
      'on',
      '>secret',
      '~libretto:state:*',
      'resetchannels',
      ...rights.map((name) => `+${name}`),
      ...others,
    );
  });

  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close();
    await redis.stop();
  });

  async function open(by = url): Promise<RedisStore> {
    const store = await openRedisStore({
      url: by,
      graceMs: 60_000,
      notice: () => undefined,
      monotonicMs: () => performance.now(),
    });
    stores.push(store);
    return store;
  }

  it('needs only the documented rights', async () => {
    const [store, other] = [await open(), await open()];
    const generation = other.generation();
    expect(
      await store.commit({
        conditions: [{ key: 'a', revision: null }],
        puts: [
          { key: 'a', value: 1 },
          { key: 'b', value: 2 },
        ],
        deletes: [],
      }),
    ).toBe(true);
    expect(await store.commit({ conditions: [], puts: [], deletes: ['a'] })).toBe(true);
    expect(await store.commit({ conditions: [], puts: [{ key: 'c', value: 3 }], deletes: [], quiet: true })).toBe(true);
    expect((await other.range('', { reverse: true })).map(({ key }) => key)).toEqual(['c', 'b']);
    expect((await other.range('')).map(({ key }) => key)).toEqual(['b', 'c']);
    while (other.generation() === generation) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await store.durabilityFault()).toContain('stores nothing on disk');
  });

  it.each(rights)('without %s cannot open the state, and the error names the right', async (right) => {
    await redis.command('ACL', 'SETUSER', 'state', `-${right}`);
    const error: unknown = await open()
      .then((store) => store.commit({ conditions: [], puts: [], deletes: [] }))
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: 'STATE_UNUSABLE',
      message: expect.stringMatching(new RegExp(`${right}.*Its user needs the permissions`, 'is')) as string,
    });
    expect((error as Error).message).not.toContain('secret');
    expect(await redis.command('EXISTS', 'libretto:state:meta')).toBe(0);
  });

  it('without rights on the keys of the state cannot open the state', async () => {
    await redis.command('ACL', 'SETUSER', 'state', 'resetkeys', '~other:*');
    await expect(open()).rejects.toMatchObject({
      code: 'STATE_UNUSABLE',
      message: expect.stringContaining('Its user needs the permissions') as string,
    });
  });

  itInSeries('behind sentinels needs the right to wait for replicas too', async () => {
    const sentinels = await startSentinels();
    for (const server of [sentinels.primary, sentinels.replica])
      await server.command(
        'ACL',
        'SETUSER',
        'state',
        'on',
        '>secret',
        '~libretto:state:*',
        ...rights.map((name) => `+${name}`),
        ...others,
      );
    const by = sentinels.url.replace('//', '//state:secret@');
    await expect(open(by)).rejects.toThrow('WAIT may not be sent');
    await sentinels.primary.command('ACL', 'SETUSER', 'state', '+wait');
    const store = await open(by);
    expect(await store.commit({ conditions: [], puts: [{ key: 'a', value: 1 }], deletes: [] })).toBe(true);
    await stores.pop()?.close();
    await sentinels.stop();
  });
});
