// Tests quiet commits with two processes on one state: the other process reads the change and keeps its own cache.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { openLmdbStore } from '../../proxy/state/lmdb-store.ts';
import { openRedisStore } from '../../proxy/state/redis-store.ts';
import type { StateChange, StateStore } from '../../proxy/core/state/state-store.ts';
import { createPollClock, type PollClock } from '../util/poll-clock.ts';
import { startRedis, type RedisServer } from '../util/redis-server.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';

const put = (key: string, quiet: boolean): StateChange => ({
  conditions: [],
  puts: [{ key, value: 1 }],
  deletes: [],
  quiet,
});
async function proveQuiet(here: StateStore, there: StateStore, settle: () => Promise<unknown>): Promise<void> {
  await here.commit(put('setting/x', false));
  await settle();
  const before = there.generation();
  for (let at = 0; at < 5; at += 1) await here.commit(put(`use/${at}`, true));
  await settle();
  expect(await there.range('use/')).toHaveLength(5);
  expect(there.generation()).toBe(before);
  // one ordinary commit among quiet ones
  await here.commit(put('use/1', true));
  await here.commit(put('setting/x', false));
  await here.commit(put('use/1', true));
  await settle();
  expect(there.generation()).not.toBe(before);
}

it('a quiet commit in LMDB reaches the other process and keeps its cache', async () => {
  const folder = temporaryFolder('quiet');
  const [here, there] = [await openLmdbStore(folder.at('state')), await openLmdbStore(folder.at('state'))];
  try {
    await proveQuiet(here, there, async () => undefined);
  } finally {
    await Promise.all([here.close(), there.close()]);
    await folder.remove();
  }
});

describe.skipIf(lacks('redis-server'))('a quiet commit in Redis reaches the other process and keeps its cache', () => {
  let redis: RedisServer;
  beforeAll(async () => void (redis = await startRedis()));
  afterAll(() => redis.stop());
  const open = (url: string, { monotonicMs }: PollClock) =>
    openRedisStore({ url, graceMs: 60_000, notice: () => undefined, monotonicMs });

  it.each(['hears messages', 'hears none'])('where that process %s', async (how) => {
    if (how === 'hears none')
      await redis.command('ACL', 'SETUSER', 'deaf', 'on', '>secret', '~*', '+@all', 'resetchannels');
    const clock = createPollClock();
    const [here, there] = [
      await open(redis.url, createPollClock()),
      await open(how === 'hears none' ? `redis://deaf:secret@127.0.0.1:${redis.port}` : redis.url, clock),
    ];
    try {
      await proveQuiet(here, there, clock.polled);
    } finally {
      await Promise.all([here.close(), there.close()]);
    }
  });
});
