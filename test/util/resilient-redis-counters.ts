// Counters on a Redis as a server has them, for tests of a misbehaving Redis.

import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Count, Counters } from '../../proxy/limits/counters.ts';
import type { CountersNotice } from '../../proxy/limits/counters-notices.ts';
import { createRedisCounters } from '../../proxy/limits/redis-counters.ts';
import { openResilientCounters } from '../../proxy/limits/resilient-counters.ts';

export const hourMs = 3_600_000;

export interface TestCounters {
  readonly counters: Counters;
  /** the notices to the log */
  readonly notices: readonly CountersNotice[];
  readonly hit: (limit: number, key?: string) => Promise<Count>;
  /** Sends all hits at once; returns the answer with the fewest remaining. */
  readonly hits: (count: number, limit: number) => Promise<Count>;
  /** Milliseconds until it counts in Redis again. */
  readonly untilRecovered: () => Promise<number>;
  readonly untilDegraded: () => Promise<void>;
}

export async function openTestCounters(url: string): Promise<TestCounters> {
  const notices: CountersNotice[] = [];
  const counters = await openResilientCounters({
    shared: createRedisCounters({ url }),
    notice: (notice) => notices.push(notice),
    monotonicMs: () => performance.now(),
  });
  const hit: TestCounters['hit'] = async (limit, key = 'a') => counters.hit(key, limit, hourMs, Date.now());
  const until = async (degraded: boolean): Promise<number> => {
    const begun = performance.now();
    while (counters.degraded() !== degraded && performance.now() < begun + 20_000) await delay(10);
    expect(counters.degraded()).toBe(degraded);
    return performance.now() - begun;
  };
  return {
    counters,
    notices,
    hit,
    hits: async (count, limit) => {
      const all = await Promise.all(Array.from({ length: count }, () => hit(limit)));
      return all.reduce((least, one) => (one.remaining < least.remaining ? one : least));
    },
    untilRecovered: () => until(false),
    untilDegraded: async () => void (await until(true)),
  };
}
