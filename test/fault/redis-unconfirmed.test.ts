// Tests a state whose Redis is lost in the middle: changes that were not confirmed, and what stays known of a state
// that changed shortly before. Also what a quiet state costs its Redis.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonValue } from '../../build/contract/json.ts';
import { internalError } from '../../proxy/core/pipeline/refusals.ts';
import { openRedisStore, type RedisStore } from '../../proxy/state/redis-store.ts';
import type { StateNotice } from '../../proxy/state/redis-reach.ts';
import type { StateChange } from '../../proxy/core/state/state-store.ts';
import { eventually } from '../util/eventually.ts';
import { createPollClock, type PollClock } from '../util/poll-clock.ts';
import { startRedis, type RedisServer } from '../util/redis-server.ts';
import { itInSeries } from '../util/series.ts';
import { lacks } from '../util/tool.ts';

const put = (key: string, value: JsonValue, quiet = false): StateChange => ({
  conditions: [],
  puts: [{ key, value }],
  deletes: [],
  quiet,
});

describe.skipIf(lacks('redis-server'))('a state whose Redis is lost', () => {
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

  async function open(url = redis.url): Promise<RedisStore> {
    clock = createPollClock();
    const notice = (told: StateNotice): void => void notices.push(told);
    const store = await openRedisStore({ url, graceMs: 60_000, notice, monotonicMs: clock.monotonicMs });
    opened.push(store);
    return store;
  }

  const isAway = (): boolean => notices.at(-1)?.state === 'away';
  const repositories = async (store: RedisStore): Promise<readonly JsonValue[]> =>
    (await store.range('repository/')).map(({ value }) => value);

  it('says of a change that was sent that it may have been made, and of a later one that it was not', async () => {
    const store = await open();
    await store.commit(put('token/a', 'a'));
    redis.freeze();
    const error = (await store.commit(put('token/b', 'b')).catch((reason: unknown) => reason)) as Error;
    expect(error).toMatchObject({ code: 'STATE_UNCONFIRMED', message: expect.stringMatching(/may have been made/) });
    // a client that tries again makes a second one: nothing asks it to
    const answer = internalError('id', error);
    expect(answer.status).toBe(500);
    expect(JSON.parse(String(answer.body))).toMatchObject({
      code: 'STATE_BUSY',
      error: 'This change was not confirmed, and may have been made. Look before you try again.',
    });
    expect(answer.headers).not.toContain('Retry-After');
    await eventually(isAway);
    await expect(store.commit(put('token/c', 'c'))).rejects.toMatchObject({ code: 'STATE_UNAVAILABLE' });
    redis.thaw();
    await eventually(async () => (await store.get('token/b').catch(() => undefined)) !== undefined);
    expect(await store.get('token/c')).toBeUndefined();
  });

  it('says of a change that a former primary refused that it was not made, and makes the next one', async () => {
    const store = await open();
    await redis.command('REPLICAOF', '127.0.0.1', 1);
    const refused: unknown = await store.commit(put('token/b', 'b')).catch((reason: unknown) => reason);
    expect(refused).toMatchObject({ code: 'STATE_UNAVAILABLE', message: expect.stringContaining('READONLY') });
    await redis.command('REPLICAOF', 'NO', 'ONE');
    await eventually(() => store.commit(put('token/c', 'c')).catch(() => false));
    expect(await store.get('token/b')).toBeUndefined();
  });

  itInSeries('waits at the start as long for the first answer as for the connection', async () => {
    redis.freeze();
    const opening = open();
    setTimeout(redis.thaw, 3000);
    expect(await (await opening).get('token/a')).toBeUndefined();
  });

  it('serves the known list of repositories after a change of one that was not confirmed', async () => {
    const store = await open();
    await store.commit(put('repository/one', 1));
    await store.get('repository/one');
    expect(await repositories(store)).toEqual([1]);
    redis.freeze();
    await expect(store.commit(put('repository/one', 2))).rejects.toMatchObject({ code: 'STATE_UNCONFIRMED' });
    await eventually(isAway);
    expect(await repositories(store)).toEqual([1]);
    // the row itself may be a revocation by now
    await expect(store.get('repository/one')).rejects.toMatchObject({ code: 'STATE_UNAVAILABLE' });
  });

  it('serves what another process changed since it was last asked for', async () => {
    const [one, other] = [await open(), await open()];
    await one.commit(put('repository/one', 1));
    await one.commit(put('token/a', 'a'));
    await eventually(async () => (await other.get('token/a')) !== undefined);
    expect(await repositories(other)).toEqual([1]);
    const before = other.generation();
    await one.commit(put('repository/two', 2));
    await one.commit(put('token/a', 'b'));
    await eventually(() => other.generation() > before + 1);
    await clock.polled();
    await redis.kill();
    await eventually(isAway);
    expect(await repositories(other)).toEqual([1, 2]);
    expect(await other.get('token/a')).toMatchObject({ value: 'b' });
  });

  it('keeps long lists, and no pages', async () => {
    const store = await open();
    const puts = Array.from({ length: 500 }, (_, at) => ({ key: `repository/${at}`, value: at }));
    await store.commit({ conditions: [], puts, deletes: [] });
    expect(await repositories(store)).toHaveLength(500);
    for (let at = 0; at < 100; at += 1) await store.range('repository/', { after: `repository/${at}`, limit: 1 });
    await redis.kill();
    await eventually(isAway);
    expect(await repositories(store)).toHaveLength(500);
  });

  it('stays refused once it was found damaged, although its generation has not changed', async () => {
    const store = await open();
    await store.commit(put('token/a', 'a'));
    await redis.command('ZREM', 'libretto:state:order', 'token/a');
    await expect(store.get('token/a')).rejects.toMatchObject({ code: 'STATE_CORRUPT' });
    const asked = async (): Promise<number> =>
      Number(/cmdstat_evalsha:calls=(\d+)/.exec(String(await redis.command('INFO', 'commandstats')))?.[1] ?? 0);
    const before = await asked();
    await eventually(async () => (await asked()) >= before + 4);
    expect(() => store.generation()).toThrow('is damaged');
    expect(notices.map(({ state }) => state)).toEqual(['damaged']);
  });

  itInSeries('asks a quiet Redis four plain commands a second, and for the whole state now and then', async () => {
    await open();
    await clock.polled();
    await redis.command('CONFIG', 'RESETSTAT');
    for (let polls = 0; polls < 16; polls += 2) await clock.polled();
    const calls = new Map(
      [...String(await redis.command('INFO', 'commandstats')).matchAll(/cmdstat_(\w+):calls=(\d+)/g)].map(
        ([, name = '', count]) => [name, Number(count)],
      ),
    );
    expect(calls.get('hmget')).toBeGreaterThanOrEqual(14);
    // a wait for two polls may take three on a busy machine
    expect(calls.get('evalsha') ?? 0).toBeLessThanOrEqual(4);
  });
});
