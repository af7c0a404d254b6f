// Tests counting while the shared counters are unreachable, against a server with faults on command.
// test/fault/redis-chaos.test.ts uses a real Redis.

import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Counters } from '../../../../../proxy/core/limits/counters.ts';
import type { CountersNotice } from '../../../../../proxy/core/limits/counters-notices.ts';
import { openResilientCounters } from '../../../../../proxy/core/limits/resilient-counters.ts';
import type { SharedCount, SharedCounters } from '../../../../../proxy/core/limits/shared-counters.ts';
import { eventually } from '../../../../util/eventually.ts';

const hour = 3_600_000;
const noon = Date.parse('2026-03-01T12:00:00Z');

interface Rig {
  readonly counters: Counters;
  readonly notices: readonly CountersNotice[];
  /** the server's answers from now on */
  answer: () => Promise<SharedCount>;
  /** the requests to the server so far, attempts to use it again included */
  readonly attempts: number;
  /** milliseconds the clock is ahead of the real one */
  aheadMs: number;
}

async function open(answer: () => Promise<SharedCount>): Promise<Rig> {
  const notices: CountersNotice[] = [];
  const rig = { answer, aheadMs: 0, attempts: 0, notices };
  const shared: SharedCounters = {
    connect: async () => undefined,
    hit: () => {
      rig.attempts += 1;
      return rig.answer();
    },
    peek: async () => undefined,
    close: async () => undefined,
  };
  const counters = await openResilientCounters({
    shared,
    notice: (notice) => notices.push(notice),
    monotonicMs: () => performance.now() + rig.aheadMs,
    trialPeriodMs: 20,
  });
  onTestFinished(() => counters.close());
  return Object.assign(rig, { counters });
}

const used = (count: number) => async (): Promise<SharedCount> => ({ admitted: true, used: count, endsInMs: hour });
const silent = (): Promise<SharedCount> => new Promise(() => undefined);
const lost = async (): Promise<SharedCount> => Promise.reject(new Error('connection lost'));

describe('a server that never answers', () => {
  it('delays no request forever: all are counted locally, starting from the last shared count', async () => {
    const rig = await open(used(90));
    await rig.counters.hit('a', 100, hour, noon);
    rig.answer = silent;
    const counts = await Promise.all([1, 2, 3].map(() => rig.counters.hit('a', 100, hour, noon)));
    expect(counts.map(({ remaining }) => remaining)).toEqual([9, 8, 7]);
    expect(rig.counters.degraded()).toBe(true);
    expect(rig.notices).toEqual([{ state: 'degraded', reason: expect.stringContaining('no reply') }]);
  });

  it('a late reply updates the local count and changes no answer', async () => {
    const rig = await open(used(1));
    let answerLate = (_count: SharedCount): void => undefined;
    rig.answer = () => new Promise((resolve) => (answerLate = resolve));
    expect(await rig.counters.hit('a', 100, hour, noon)).toMatchObject({ remaining: 99 });
    answerLate({ admitted: true, used: 60, endsInMs: hour });
    await delay(0);
    expect(rig.counters.hit('a', 100, hour, noon)).toMatchObject({ remaining: 39 });
  });

  it('a late reply with a lower count does not lower the local count', async () => {
    const rig = await open(used(1));
    let answerLate = (_count: SharedCount): void => undefined;
    rig.answer = () => new Promise((resolve) => (answerLate = resolve));
    await rig.counters.hit('a', 100, hour, noon);
    const answer = answerLate;
    for (let index = 0; index < 5; index += 1) rig.counters.hit('a', 100, hour, noon);
    answer({ admitted: true, used: 1, endsInMs: hour });
    await delay(0);
    expect(rig.counters.hit('a', 100, hour, noon)).toMatchObject({ remaining: 93 });
  });
});

describe('a window', () => {
  it('keeps the same end in every answer, although each answer measures it anew', async () => {
    const rig = await open(used(1));
    const first = await rig.counters.hit('a', 100, hour, noon);
    rig.answer = async () => ({ admitted: true, used: 2, endsInMs: hour - 997 });
    expect(await rig.counters.hit('a', 100, hour, noon + 1000)).toMatchObject({ resetAtMs: first.resetAtMs });
  });

  it('a new window of the server is adopted', async () => {
    const rig = await open(async () => ({ admitted: false, used: 100, endsInMs: 2000 }));
    expect(await rig.counters.hit('a', 100, hour, noon)).toMatchObject({ admitted: false, remaining: 0 });
    rig.answer = used(1);
    expect(await rig.counters.hit('a', 100, hour, noon + 1999)).toEqual({
      admitted: true,
      remaining: 99,
      resetAtMs: noon + 1999 + hour,
    });
    rig.answer = lost;
    expect(await rig.counters.hit('a', 100, hour, noon + 2000)).toMatchObject({ remaining: 98 });
  });
});

describe('the log', () => {
  it('reports every outage once, and a lasting outage once a minute', async () => {
    const rig = await open(lost);
    await rig.counters.hit('a', 100, hour, noon);
    const states = (): string[] => rig.notices.map(({ state }) => state);
    const recover = async (): Promise<void> => {
      rig.answer = used(1);
      while (rig.counters.degraded()) await delay(20);
    };
    const lose = async (): Promise<void> => {
      rig.answer = lost;
      await rig.counters.hit('a', 100, hour, noon);
    };
    await recover();
    expect(states()).toEqual(['degraded', 'recovered']);
    await lose();
    expect(states()).toEqual(['degraded', 'recovered', 'degraded']);
    // an attempt fails, which belongs to the same outage
    const before = rig.attempts;
    await eventually(() => rig.attempts >= before + 2);
    expect(states()).toEqual(['degraded', 'recovered', 'degraded']);
    rig.aheadMs = 61_000;
    while (rig.notices.length < 4) await delay(20);
    expect(states()).toEqual(['degraded', 'recovered', 'degraded', 'degraded']);
    await recover();
    expect(states().slice(4)).toEqual(['recovered']);
  });
});
