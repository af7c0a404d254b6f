// Tests the contract of counters.ts on every implementation, with a real Redis server.

import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import { createMemoryCounters } from '../../proxy/core/limits/memory-counters.ts';
import { createRedisCounters } from '../../proxy/core/limits/redis-counters.ts';
import { openResilientCounters } from '../../proxy/core/limits/resilient-counters.ts';
import { startRedis, type RedisServer } from '../util/redis-server.ts';
import { lacks } from '../util/tool.ts';
import { describeCounters } from './counters.ts';

describeCounters('memory', async () => createMemoryCounters(), false);

describe.skipIf(lacks('redis-server'))('with redis-server', () => {
  let redis: RedisServer;

  beforeAll(async () => {
    redis = await startRedis();
  });

  afterEach(async () => {
    await redis.command('FLUSHALL');
  });

  afterAll(() => redis.stop());

  describeCounters(
    'Redis',
    () =>
      openResilientCounters({
        shared: createRedisCounters({ url: redis.url }),
        notice: () => undefined,
        monotonicMs: () => performance.now(),
      }),
    true,
  );
});
