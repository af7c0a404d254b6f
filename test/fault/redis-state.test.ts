// Tests the state's Redis while it is frozen, killed, emptied, full or closed: known tokens stay valid for a while,
// unknown ones are refused, and a revocation reaches every reachable host (F8, I13).

import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonValue } from '../../build/contract/json.ts';
import { assertReadable } from '../../proxy/state/readable.ts';
import { openRedisStore, type RedisStore } from '../../proxy/state/redis-store.ts';
import type { StateNotice } from '../../proxy/state/redis-reach.ts';
import { newStateIdentity } from '../../proxy/core/state/state-identity.ts';
import type { StateChange } from '../../proxy/core/state/state-store.ts';
import { createPollClock, type PollClock } from '../util/poll-clock.ts';
import { freePort, startRedis, type RedisServer } from '../util/redis-server.ts';
import { lacks } from '../util/tool.ts';

const put = (key: string, value: JsonValue): StateChange => ({ conditions: [], puts: [{ key, value }], deletes: [] });
const remove = (key: string): StateChange => ({ conditions: [], puts: [], deletes: [key] });

describe.skipIf(lacks('redis-server'))('the state in a failing Redis', () => {
  let redis: RedisServer;
  let notices: StateNotice[];
  /** of the store that was opened last */
  let clock: PollClock;
  const opened: RedisStore[] = [];

  beforeEach(async () => {
    notices = [];
    redis = await startRedis();
  });

  afterEach(async () => {
    redis.thaw();
    for (const store of opened.splice(0)) await store.close();
    await redis.stop();
  });

  const graceMs = 60_000;
  async function open({ url = redis.url } = {}): Promise<RedisStore> {
    clock = createPollClock();
    const store = await openRedisStore({
      url,
      graceMs,
      notice: (notice) => notices.push(notice),
      monotonicMs: clock.monotonicMs,
    });
    opened.push(store);
    return store;
  }

  async function until(holds: () => boolean): Promise<void> {
    const deadline = performance.now() + 60_000;
    while (!holds() && performance.now() < deadline) await delay(5);
    expect(holds()).toBe(true);
  }

  const standing = (): string | undefined => notices.at(-1)?.state;

  /** Waits until `store` has the message of another process's change. */
  async function hears(store: RedisStore, change: () => Promise<unknown>): Promise<void> {
    const before = store.generation();
    await change();
    await until(() => store.generation() !== before);
  }

  it('F8: a change of one host reaches the other, which drops that row alone from its cache', async () => {
    const [one, other] = [await open(), await open()];
    await one.commit({
      conditions: [],
      puts: [
        { key: 'token/a', value: 'a' },
        { key: 'token/b', value: 'b' },
        { key: 'setting/x', value: 1 },
      ],
      deletes: [],
    });
    // after the message of the commit itself
    await until(() => other.generation() > 1);
    await delay(50);
    for (const key of ['token/a', 'token/b']) await other.get(key);
    await other.range('setting/');
    await hears(other, () => one.commit(remove('token/a')));
    expect(await other.get('token/a')).toBeUndefined();
    await redis.kill();
    await until(() => standing() === 'away');
    await expect(other.get('token/a')).rejects.toMatchObject({ code: 'STATE_UNAVAILABLE' });
    expect(await other.get('token/b')).toMatchObject({ value: 'b' });
    expect(await other.range('setting/')).toMatchObject([{ key: 'setting/x', value: 1 }]);
  });

  it('F8: a change also reaches a host that gets no messages', async () => {
    await redis.command('ACL', 'SETUSER', 'deaf', 'on', '>secret', '~*', '+@all', 'resetchannels');
    const [one, deaf] = [await open(), await open({ url: `redis://deaf:secret@127.0.0.1:${redis.port}` })];
    await one.commit(put('token/a', 'a'));
    await until(() => deaf.generation() > 1);
    await deaf.get('token/a');
    await hears(deaf, () => one.commit(remove('token/a')));
    await redis.kill();
    await expect(deaf.get('token/a')).rejects.toMatchObject({ code: 'STATE_UNAVAILABLE' });
  });

  it('F8: a change of a host that may not send messages reaches the others too', async () => {
    await redis.command('ACL', 'SETUSER', 'mute', 'on', '>secret', '~*', '+@all', 'resetchannels');
    const mute = await open({ url: `redis://mute:secret@127.0.0.1:${redis.port}` });
    const one = await open();
    await one.commit(put('token/a', 'a'));
    await one.get('token/a');
    await hears(one, () => mute.commit(remove('token/a')));
    // one poll later the store knows which messages are missing
    await clock.polled();
    await redis.kill();
    await expect(one.get('token/a')).rejects.toMatchObject({ code: 'STATE_UNAVAILABLE' });
  });

  it('killed: known rows are served for the grace period, then none; nothing is written, and nothing unknown is answered', async () => {
    const store = await open();
    await store.commit(put('token/a', 'a'));
    await store.get('token/a');
    const generation = store.generation();
    await redis.kill();
    expect(await store.get('token/a')).toMatchObject({ value: 'a' });
    expect(store.generation()).toBe(generation);
    await expect(store.get('token/b')).rejects.toMatchObject({ code: 'STATE_UNAVAILABLE' });
    await expect(store.range('token/')).rejects.toMatchObject({ code: 'STATE_UNAVAILABLE' });
    await expect(store.commit(put('token/a', 'b'))).rejects.toMatchObject({ code: 'STATE_UNAVAILABLE' });
    clock.aheadMs = graceMs + 1;
    expect(() => store.generation()).toThrow(`The state in redis://127.0.0.1:${redis.port} is unavailable`);
    await expect(store.get('token/a')).rejects.toMatchObject({ code: 'STATE_UNAVAILABLE' });
  });

  it('frozen: a read waits once, and everything works as before after the thaw', async () => {
    const store = await open();
    await store.commit(put('token/a', 'a'));
    await store.get('token/a');
    redis.freeze();
    expect(await store.get('token/a')).toMatchObject({ value: 'a' });
    expect(standing()).toBe('away');
    await expect(store.get('token/b')).rejects.toMatchObject({ code: 'STATE_UNAVAILABLE' });
    redis.thaw();
    await until(() => standing() === 'back');
    expect(await store.get('token/b')).toBeUndefined();
    expect(await store.commit(put('token/b', 'b'))).toBe(true);
    expect(notices.map(({ state }) => state)).toEqual(['away', 'back']);
  });

  it(
    'row 80: frozen: a read fails as soon as the freeze is certain, and a server is ready as long as cached tokens work',
    { retry: 2 },
    async () => {
      const store = await open();
      await store.commit(put('token/a', 'a'));
      redis.freeze();
      // the first read of an outage fails well before the command's own time limit
      expect(
        await Promise.race([assertReadable(store, 'token/').then(() => 'ready'), delay(1800, 'still waiting')]),
      ).toBe('ready');
      expect(standing()).toBe('away');
      expect(store.graceLeftMs()).toBeGreaterThan(0);
      expect(store.graceLeftMs()).toBeLessThan(graceMs);
      clock.aheadMs = graceMs + 1;
      expect(store.graceLeftMs()).toBe(0);
      await expect(assertReadable(store, 'token/')).rejects.toMatchObject({ code: 'STATE_UNAVAILABLE' });
      redis.thaw();
      await until(() => standing() === 'back');
      expect(store.graceLeftMs()).toBeUndefined();
      await assertReadable(store, 'token/');
      await redis.command('FLUSHALL');
      await until(() => standing() === 'emptied');
      await expect(assertReadable(store, 'token/')).rejects.toMatchObject({ code: 'STATE_MISSING' });
    },
  );

  it('a change that a host could not learn of is not served from its cache', async () => {
    const store = await open();
    await store.commit(put('token/a', 'a'));
    await store.get('token/a');
    redis.freeze();
    await until(() => standing() === 'away');
    const generation = store.generation();
    redis.thaw();
    await until(() => standing() === 'back');
    expect(store.generation()).not.toBe(generation);
  });

  it('killed, and back without data: known tokens open nothing, and nothing is written', async () => {
    const store = await open();
    await store.commit(put('token/a', 'a'));
    await store.get('token/a');
    await redis.kill();
    await redis.restart();
    await until(() => standing() === 'emptied');
    expect(() => store.generation()).toThrow('is gone');
    await expect(store.get('token/a')).rejects.toMatchObject({ code: 'STATE_MISSING' });
    await expect(store.commit(put('token/a', 'b'))).rejects.toMatchObject({ code: 'STATE_MISSING' });
    // a new state has generations of its own
    const next = await open();
    await next.commit(put('token/a', 'a'));
    expect((await next.get('token/a'))?.revision).toBeGreaterThan(1_600_000_000_000);
  });

  it('full: a change is refused as a whole, and reads continue', async () => {
    const store = await open();
    await store.commit(put('token/a', 'a'));
    await redis.command('CONFIG', 'SET', 'maxmemory', '1');
    await expect(
      store.commit({ conditions: [], puts: [{ key: 'token/b', value: 'b' }], deletes: ['token/a'] }),
    ).rejects.toMatchObject({ code: 'STATE_WRITE_FAILED' });
    expect((await store.range('token/')).map(({ key }) => key)).toEqual(['token/a']);
    expect(standing()).toBeUndefined();
  });

  it('closed or unreachable at opening: the error names the next step, without the password', async () => {
    await redis.command('CONFIG', 'SET', 'requirepass', 'right');
    const url = `redis://:wrong-one@127.0.0.1:${redis.port}`;
    for (const given of [url, `redis://127.0.0.1:${redis.port}`]) {
      const error = await open({ url: given }).catch((reason: unknown) => reason as Error);
      expect(error).toMatchObject({ code: 'STATE_UNUSABLE' });
      expect((error as Error).message).toMatch(
        /^The state in redis:\/\/127\.0\.0\.1:\d+ cannot be used: .*Give user and password in the URL/,
      );
      expect((error as Error).message).not.toContain('wrong-one');
    }
    const nobody = `redis://127.0.0.1:${await freePort()}`;
    await expect(open({ url: nobody })).rejects.toThrow(/cannot be used: .*ECONNREFUSED.*Check that this Redis runs/);
  });

  it('opened for reading: creates nothing where no state exists', async () => {
    const opening = { make: false, fresh: newStateIdentity(randomBytes) };
    const look = (): Promise<RedisStore> =>
      openRedisStore({
        url: redis.url,
        graceMs: 0,
        notice: () => undefined,
        monotonicMs: () => performance.now(),
        opening,
      });
    await expect(look()).rejects.toMatchObject({ code: 'STATE_MISSING' });
    expect(await redis.command('DBSIZE')).toBe(0);
    await (await open()).commit(put('token/a', 'a'));
    const store = await look();
    expect(await store.get('token/a')).toMatchObject({ value: 'a' });
    await store.close();
  });

  it('a state of a newer version or of another program is refused', async () => {
    await redis.command('HSET', 'libretto:state:meta', 'schema', '2', 'generation', '7');
    await expect(open()).rejects.toMatchObject({ code: 'STATE_TOO_NEW' });
    await redis.command('HSET', 'libretto:state:meta', 'schema', 'x');
    await expect(open()).rejects.toMatchObject({ code: 'STATE_CORRUPT' });
  });

  it('a row that is no JSON is named in the error, with the repair', async () => {
    const store = await open();
    await store.commit(put('token/a', 'a'));
    await redis.command('HSET', 'libretto:state:rows', 'token/a', '3:{"id"');
    const damaged = {
      code: 'STATE_CORRUPT',
      message: expect.stringMatching(/^The row token\/a of .* is malformed\. Restore the state of a backup/) as string,
    };
    await expect(store.get('token/a')).rejects.toMatchObject(damaged);
    await expect(store.range('token/')).rejects.toMatchObject(damaged);
  });

  it('settings of Redis that could lose the state are reported', async () => {
    const store = await open();
    expect(await store.durabilityFault()).toContain('stores nothing on disk');
    await redis.command('CONFIG', 'SET', 'save', '3600 1');
    expect(await store.durabilityFault()).toContain('only saves snapshots (save 3600 1)');
    await redis.command('CONFIG', 'SET', 'save', '');
    await redis.command('CONFIG', 'SET', 'maxmemory', '100mb');
    await redis.command('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
    const both = await store.durabilityFault();
    for (const part of [
      'maxmemory-policy allkeys-lru',
      'stores nothing on disk',
      'Set `maxmemory-policy noeviction` and `appendonly yes`',
    ])
      expect(both).toContain(part);
  });
});
