// Rules for every implementation of the counters (row 82). counters.test.ts runs them on each. Windows last an hour
// unless a test waits for the end, so that no slow machine ends one early.

import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Count, Counters } from '../../proxy/core/limits/counters.ts';

const hourMs = 3_600_000;

/** `open` returns the same shared count each time it is called in one test, and an empty one for each test. */
export function describeCounters(name: string, open: () => Promise<Counters>, shared: boolean): void {
  describe(`counters: ${name}`, () => {
    let counters: Counters;

    beforeEach(async () => {
      counters = await open();
    });

    afterEach(() => counters.close());

    const hit = async (key: string, limit: number, windowMs = hourMs, by = counters): Promise<Count> =>
      by.hit(key, limit, windowMs, Date.now());
    const hits = async (count: number, key: string, limit: number): Promise<Count[]> =>
      Promise.all(Array.from({ length: count }, () => hit(key, limit)));

    it('admits hits up to the limit and returns the remaining number', async () => {
      const counts = [await hit('a', 3), await hit('a', 3), await hit('a', 3), await hit('a', 3), await hit('a', 3)];
      expect(counts.map(({ admitted, remaining }) => [admitted, remaining])).toEqual([
        [true, 2],
        [true, 1],
        [true, 0],
        [false, 0],
        [false, 0],
      ]);
    });

    it('counts correctly at 999, 1000 and 1001 of 1000', async () => {
      await hits(998, 'a', 1000);
      expect(await hit('a', 1000)).toMatchObject({ admitted: true, remaining: 1 });
      expect(await hit('a', 1000)).toMatchObject({ admitted: true, remaining: 0 });
      expect(await hit('a', 1000)).toMatchObject({ admitted: false, remaining: 0 });
    });

    it('admits exactly 1000 of 1200 simultaneous hits', async () => {
      const counts = await hits(1200, 'a', 1000);
      expect(counts.filter(({ admitted }) => admitted)).toHaveLength(1000);
      expect(counts.filter(({ remaining }) => remaining < 0)).toEqual([]);
      expect(counters.degraded()).toBe(false);
    });

    it('ends a window one window length after its first hit, whatever hits follow', async () => {
      const before = Date.now();
      const first = await hit('a', 2);
      const after = Date.now();
      expect(first.resetAtMs).toBeGreaterThanOrEqual(before + hourMs - 5);
      expect(first.resetAtMs).toBeLessThanOrEqual(after + hourMs + 5);
      await delay(100);
      for (const admitted of [true, false, false]) {
        const sent = Date.now();
        const next = await hit('a', 2);
        expect(next.admitted).toBe(admitted);
        const onTheWayMs = after - before + Date.now() - sent;
        expect(Math.abs(next.resetAtMs - first.resetAtMs)).toBeLessThan(20 + onTheWayMs);
      }
    });

    it('begins a new window after the end of the last one, and refused hits do not delay that', async () => {
      const windowMs = 400;
      expect(await hit('a', 1, windowMs)).toMatchObject({ admitted: true });
      await expect.poll(() => hit('a', 1, windowMs)).toMatchObject({ admitted: true, remaining: 0 });
    });

    it('counts each key separately', async () => {
      await hits(5, 'a', 5);
      expect(await hit('a', 5)).toMatchObject({ admitted: false });
      expect(await hit('b', 5)).toMatchObject({ admitted: true, remaining: 4 });
    });

    it('follows a changed limit: lowered below the used number, and raised again', async () => {
      await hits(5, 'a', 10);
      expect(await hit('a', 3)).toMatchObject({ admitted: false, remaining: 0 });
      expect(await hit('a', 5)).toMatchObject({ admitted: false, remaining: 0 });
      expect(await hit('a', 7)).toMatchObject({ admitted: true, remaining: 1 });
      expect(await hit('a', 1_000_000_000)).toMatchObject({ admitted: true, remaining: 999_999_993 });
    });

    it('peeks at the running window without counting', async () => {
      expect(await counters.peek('a', hourMs, Date.now())).toBeUndefined();
      const { resetAtMs } = await hit('a', 3);
      await hit('a', 3);
      for (let look = 0; look < 3; look += 1) {
        const seen = await counters.peek('a', hourMs, Date.now());
        expect(seen?.used).toBe(2);
        expect(Math.abs((seen?.endsAtMs ?? 0) - resetAtMs)).toBeLessThan(20);
      }
      expect(await hit('a', 3)).toMatchObject({ admitted: true, remaining: 0 });
    });

    it('peeks at nothing after the end of a window', async () => {
      const { resetAtMs } = await hit('a', 3, 100);
      await delay(resetAtMs - Date.now() + 20);
      // the clock of a Redis may be some milliseconds behind
      await expect.poll(() => counters.peek('a', 100, Date.now())).toBeUndefined();
    });

    if (!shared) return;

    it('is exact for four processes that share it', async () => {
      const all = [counters, await open(), await open(), await open()];
      const counts = await Promise.all(
        Array.from({ length: 1200 }, (_, index) => hit('a', 1000, hourMs, all[index % 4])),
      );
      expect(counts.filter(({ admitted }) => admitted)).toHaveLength(1000);
      expect(all.some((one) => one.degraded())).toBe(false);
      await Promise.all(all.slice(1).map((one) => one.close()));
    });
  });
}
