// Tests the contract of state-store.ts on every state store.

import { afterAll, beforeAll, describe } from 'vitest';

import { createDraftStore } from '../../proxy/state/draft-store.ts';
import { createMemoryStore } from '../../proxy/core/state/memory-store.ts';
import { openLmdbStore } from '../../proxy/state/lmdb-store.ts';
import { openRedisStore } from '../../proxy/state/redis-store.ts';
import { startCluster } from '../util/redis-cluster.ts';
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

const servers = {
  Redis: startRedis,
  'a Redis Cluster': async () => {
    const cluster = await startCluster();
    return { ...cluster, command: cluster.primary.command };
  },
};

describe.skipIf(lacks('redis-server')).each(Object.entries(servers))('with redis-server: %s', (name, start) => {
  let redis: Pick<RedisServer, 'url' | 'command' | 'stop'>;

  beforeAll(async () => {
    redis = await start();
  });

  afterAll(() => redis.stop());

  describeStateStore(name, async () => ({
    store: await openRedisStore({
      url: redis.url,
      graceMs: 60_000,
      notice: () => undefined,
      monotonicMs: () => performance.now(),
    }),
    remove: async () => void (await redis.command('FLUSHALL')),
  }));
});
