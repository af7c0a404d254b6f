// Tests a Redis for the state without free memory: changes are refused as a fault of the server's storage, reads
// continue, and writes work again once there is memory.

import { expect, it } from 'vitest';
import { storageFaultOf } from '../../build/contract/storage-fault.ts';
import { openRedisStore } from '../../proxy/state/redis-store.ts';
import { startRedis } from '../util/redis-server.ts';
import { lacks } from '../util/tool.ts';

it.skipIf(lacks('redis-server'))('a full Redis refuses changes as STORAGE_FULL and serves reads', async () => {
  const redis = await startRedis();
  const store = await openRedisStore({
    url: redis.url,
    graceMs: 60_000,
    notice: () => undefined,
    monotonicMs: () => performance.now(),
  });
  const put = (value: string): Promise<boolean> =>
    store.commit({ conditions: [], puts: [{ key: 'a/row', value }], deletes: [] });
  try {
    expect(await put('before')).toBe(true);
    await redis.command('config', 'set', 'maxmemory', 1);
    const refused = await put('full').then(
      () => undefined,
      (error: unknown) => error,
    );
    expect([storageFaultOf(refused), refused]).toEqual([
      'full',
      expect.objectContaining({ code: 'STATE_WRITE_FAILED' }),
    ]);
    expect((await store.get('a/row'))?.value).toBe('before');
    await redis.command('config', 'set', 'maxmemory', 0);
    expect(await put('after')).toBe(true);
  } finally {
    await store.close();
    await redis.stop();
  }
});
