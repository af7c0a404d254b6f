// Tests the answers to requests that are counted together.

import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { batchHits, type CountBatch, type BatchedHit } from '../../../../../proxy/core/limits/redis-counters.ts';
import type { SharedHit } from '../../../../../proxy/core/limits/shared-counters.ts';

const hitOf = (key: string, limit = 3): SharedHit => ({ key, limit, windowMs: 1000, floor: { used: 0, endsInMs: 0 } });

/** A server that counts as Redis does, and records its requests. */
function countingServer(): { readonly countTogether: CountBatch; readonly asked: BatchedHit[][] } {
  const used = new Map<string, number>();
  const asked: BatchedHit[][] = [];
  const countTogether: CountBatch = async (hits) => {
    asked.push([...hits]);
    return hits.map(({ key, limit, requests }) => {
      const before = used.get(key) ?? 0;
      const granted = Math.max(0, Math.min(requests, limit - before));
      used.set(key, before + granted);
      return { granted, used: before + granted, endsInMs: 700 };
    });
  };
  return { countTogether, asked };
}

describe('requests of one turn of the event loop', () => {
  it('are counted by one command, and each gets the answer that it would get alone', async () => {
    const { countTogether, asked } = countingServer();
    const hit = batchHits(countTogether);
    await hit(hitOf('a'));
    const counts = await Promise.all([
      hit(hitOf('a')),
      hit(hitOf('b')),
      hit(hitOf('a')),
      hit(hitOf('a')),
      hit(hitOf('a')),
    ]);
    expect(counts).toEqual([
      { admitted: true, used: 2, endsInMs: 700 },
      { admitted: true, used: 1, endsInMs: 700 },
      { admitted: true, used: 3, endsInMs: 700 },
      { admitted: false, used: 3, endsInMs: 700 },
      { admitted: false, used: 3, endsInMs: 700 },
    ]);
    expect(asked.map((hits) => hits.map(({ key, requests }) => [key, requests]))).toEqual([
      [['a', 1]],
      [
        ['a', 4],
        ['b', 1],
      ],
    ]);
  });

  it('requests with another limit are counted in a second batch, after the first', async () => {
    const { countTogether, asked } = countingServer();
    const hit = batchHits(countTogether);
    const counts = await Promise.all([hit(hitOf('a', 1)), hit(hitOf('a', 1)), hit(hitOf('a', 5)), hit(hitOf('a', 5))]);
    expect(counts.map(({ admitted, used }) => [admitted, used])).toEqual([
      [true, 1],
      [false, 1],
      [true, 2],
      [true, 3],
    ]);
    expect(asked).toHaveLength(1);
  });

  it('are a batch apart from the requests of another turn', async () => {
    const { countTogether, asked } = countingServer();
    const hit = batchHits(countTogether);
    const first = hit(hitOf('a'));
    await turn();
    await Promise.all([first, hit(hitOf('a'))]);
    expect(asked).toHaveLength(2);
  });

  it('all fail when they could not be counted', async () => {
    const hit = batchHits(() => Promise.reject(new Error('gone')));
    const counts = await Promise.allSettled([hit(hitOf('a')), hit(hitOf('b')), hit(hitOf('a'))]);
    expect(counts).toEqual(Array.from({ length: 3 }, () => ({ status: 'rejected', reason: new Error('gone') })));
  });

  it('fail where the reply has no count for them', async () => {
    const hit = batchHits(async () => [{ granted: 1, used: 1, endsInMs: 700 }]);
    const counts = await Promise.allSettled([hit(hitOf('a')), hit(hitOf('b'))]);
    expect(counts.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  });
});
