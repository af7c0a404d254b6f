// Tests rate-limit windows in memory: their ends, clocks that jump, and counts across a restart.

import { describe, expect, it } from 'vitest';
import { createMemoryCounters } from '../../../../../proxy/core/limits/memory-counters.ts';
import { loadCounters, saveCounters, savedCountersKey } from '../../../../../proxy/core/limits/saved-counters.ts';
import { createWindows } from '../../../../../proxy/core/limits/windows.ts';
import { createMemoryStore } from '../../../../../proxy/core/state/memory-store.ts';

const hour = 3_600_000;
const noon = Date.parse('2026-03-01T12:00:00Z');

describe('a window', () => {
  it('lasts to its last millisecond and no longer', () => {
    const counters = createMemoryCounters();
    expect(counters.hit('a', 1, hour, noon)).toEqual({ admitted: true, remaining: 0, resetAtMs: noon + hour });
    expect(counters.hit('a', 1, hour, noon + hour - 1)).toEqual({
      admitted: false,
      remaining: 0,
      resetAtMs: noon + hour,
    });
    expect(counters.hit('a', 1, hour, noon + hour)).toEqual({
      admitted: true,
      remaining: 0,
      resetAtMs: noon + 2 * hour,
    });
  });

  it('is not extended by a clock that was set back', () => {
    const counters = createMemoryCounters();
    counters.hit('a', 2, hour, noon);
    const earlier = noon - 24 * hour;
    expect(counters.hit('a', 2, hour, earlier)).toEqual({ admitted: true, remaining: 0, resetAtMs: earlier + hour });
    expect(counters.hit('a', 2, hour, earlier + hour)).toMatchObject({ admitted: true, remaining: 1 });
  });
});

describe('the memory of windows', () => {
  it('is freed when windows end', () => {
    const windows = createWindows();
    for (let index = 0; index < 1000; index += 1)
      windows.set(`key ${index}`, { used: 1, endsAtMs: noon + 1 + index }, noon);
    expect(windows.size()).toBe(1000);
    windows.set('next', { used: 1, endsAtMs: noon + hour }, noon + 990);
    expect(windows.size()).toBe(11);
  });
});

describe('counts across a restart', () => {
  it('continue at their value, and end at their time', async () => {
    const store = createMemoryStore();
    const before = createMemoryCounters();
    for (let index = 0; index < 900; index += 1) before.hit('a', 1000, hour, noon);
    await saveCounters(store, before.snapshot(noon + 1));
    const after = createMemoryCounters(await loadCounters(store, noon + 5000), noon + 5000);
    expect(after.hit('a', 1000, hour, noon + 5000)).toEqual({ admitted: true, remaining: 99, resetAtMs: noon + hour });
  });

  it('are dropped where their window ended meanwhile', async () => {
    const store = createMemoryStore();
    const before = createMemoryCounters();
    before.hit('old', 1, hour, noon - hour / 2);
    before.hit('new', 1, hour, noon);
    await saveCounters(store, before.snapshot(noon));
    const start = noon + hour / 2;
    expect((await loadCounters(store, start)).map(([key]) => key)).toEqual(['new']);
    const after = createMemoryCounters(await loadCounters(store, start), start);
    expect(after.hit('old', 1, hour, start)).toMatchObject({ admitted: true });
    expect(after.hit('new', 1, hour, start)).toMatchObject({ admitted: false });
  });

  it('start at zero where nothing, or an invalid file, was saved', async () => {
    const store = createMemoryStore();
    expect(await loadCounters(store, noon)).toEqual([]);
    const kept = ['a', 5, noon + 1];
    for (const [value, expected] of [
      ['x', []],
      [[1, null, ['a'], ['a', -1, noon + 1], ['a', 1.5, noon + 1], ['a', 1, 'x'], kept], [kept]],
    ] as const) {
      await store.commit({ conditions: [], puts: [{ key: savedCountersKey, value }], deletes: [] });
      expect(await loadCounters(store, noon)).toEqual(expected);
    }
  });
});
