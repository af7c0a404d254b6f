// Counts in this process: exact, because no other code runs between reading a count and raising it. For one process
// only; several need a shared count.

import type { Count, Counters } from './counters.ts';
import { createWindows, decide, type Window } from './windows.ts';

/** Key, requests used, end in epoch milliseconds. */
export type SavedWindow = readonly [key: string, used: number, endsAtMs: number];

export interface MemoryCounters extends Counters {
  readonly hit: (key: string, limit: number, windowMs: number, nowMs: number) => Count;
  readonly peek: (key: string, windowMs: number, nowMs: number) => Window | undefined;
  /** Adopts the window of a shared count. */
  readonly adopt: (key: string, window: Window, nowMs: number) => void;
  /** All current windows at `nowMs`, which the next process restores. */
  readonly snapshot: (nowMs: number) => readonly SavedWindow[];
}

/** `saved`: the snapshot of the process before. */
export function createMemoryCounters(saved: readonly SavedWindow[] = [], nowMs = 0): MemoryCounters {
  const windows = createWindows();
  for (const [key, used, endsAtMs] of [...saved].sort((a, b) => a[2] - b[2])) {
    if (nowMs < endsAtMs) windows.set(key, { used, endsAtMs }, nowMs);
  }
  return {
    hit: (key, limit, windowMs, now) => {
      const { used, endsAtMs } = windows.current(key, windowMs, now) ?? { used: 0, endsAtMs: now + windowMs };
      const count = decide(used, limit, endsAtMs);
      if (count.admitted) windows.set(key, { used: used + 1, endsAtMs }, now);
      return count;
    },
    peek: windows.current,
    adopt: windows.set,
    snapshot: (now) =>
      [...windows.entries()]
        .filter(([, { endsAtMs }]) => now < endsAtMs)
        .map(([key, { used, endsAtMs }]) => [key, used, endsAtMs] as const),
    degraded: () => false,
    close: async () => undefined,
  };
}
