// Tracks the hits of each key that the shared counters have not confirmed yet, and the time of the last reply. The
// server then knows how close a key can be to its limit, although the shared count is late. A tracker that grew too
// large forgets all keys, since it only saves waiting.

export type PendingHits = ReturnType<typeof createPendingHits>;

interface Entry {
  open: number;
  answeredMs: number;
}

/** An answer is used as a measure for this time. */
const freshMs = 5000;

export function createPendingHits(capacity = 20_000) {
  const entries = new Map<string, Entry>();
  return {
    asked: (key: string): void => {
      const entry = entries.get(key);
      if (entry !== undefined) {
        entry.open += 1;
        return;
      }
      if (entries.size >= capacity) entries.clear();
      entries.set(key, { open: 1, answeredMs: Number.NEGATIVE_INFINITY });
    },
    answered: (key: string, nowMs: number): void => {
      const entry = entries.get(key);
      if (entry === undefined) return;
      entry.open -= 1;
      entry.answeredMs = nowMs;
    },
    failed: (key: string): void => {
      const entry = entries.get(key);
      if (entry !== undefined) entry.open -= 1;
    },
    /** The number of unanswered hits of `key`; undefined: no recent answer. */
    openOf: (key: string, nowMs: number): number | undefined => {
      const entry = entries.get(key);
      return entry === undefined || Math.abs(nowMs - entry.answeredMs) >= freshMs ? undefined : entry.open;
    },
  };
}
