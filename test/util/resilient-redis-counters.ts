// Counters on a Redis as a server has them, with frequent attempts to use a lost Redis again.

import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Count, Counters } from '../../proxy/core/limits/counters.ts';
import type { CountersNotice } from '../../proxy/core/limits/counters-notices.ts';
import { createRedisCounters } from '../../proxy/core/limits/redis-counters.ts';
import { openResilientCounters } from '../../proxy/core/limits/resilient-counters.ts';
import { eventually } from './eventually.ts';

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
  /** Resolves after two more attempts to use the lost Redis have failed. */
  readonly failedTrials: () => Promise<void>;
}

const trialPeriodMs = 50;

export async function openTestCounters(url: string): Promise<TestCounters> {
  const notices: CountersNotice[] = [];
  const redis = createRedisCounters({ url });
  let trials = 0;
  const counters = await openResilientCounters({
    shared: {
      ...redis,
      hit: (asked) => {
        if (asked.key === 'trial') trials += 1;
        return redis.hit(asked);
      },
    },
    notice: (notice) => notices.push(notice),
    monotonicMs: () => performance.now(),
    trialPeriodMs,
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
    failedTrials: async () => {
      const before = trials;
      // one may be running, and the next one begins after the end of the one before
      await eventually(() => trials >= before + 3);
    },
  };
}
