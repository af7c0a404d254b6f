// Tests the contract of state-store.ts on every state store.

import { afterAll, beforeAll, describe } from 'vitest';

import { createDraftStore } from '../../proxy/state/draft-store.ts';
import { createMemoryStore } from '../../proxy/core/state/memory-store.ts';
import { openLmdbStore } from '../../proxy/state/lmdb-store.ts';
import { openRedisStore } from '../../proxy/state/redis-store.ts';
import { startRedis, type RedisServer } from '../util/redis-server.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';
import { describeStateStore } from './state-store.ts';

describeStateStore('memory', async () => ({ store: createMemoryStore(), remove: () => Promise.resolve() }));

describeStateStore('LMDB', async () => {
  const folder = temporaryFolder('state');
  return { store: await openLmdbStore(folder.at('state')), remove: folder.remove };
});

describeStateStore('a draft', async () => ({
  store: createDraftStore(createMemoryStore()),
  remove: () => Promise.resolve(),
}));

describe.skipIf(lacks('redis-server'))('with redis-server', () => {
  let redis: RedisServer;

  beforeAll(async () => {
    redis = await startRedis();
  });

  afterAll(() => redis.stop());

  describeStateStore('Redis', async () => ({
    store: await openRedisStore({
      url: redis.url,
      graceMs: 60_000,
      notice: () => undefined,
      monotonicMs: () => performance.now(),
    }),
    remove: async () => void (await redis.command('FLUSHALL')),
  }));
});
