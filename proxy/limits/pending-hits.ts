// Tracks the hits of each key that the shared counters have not confirmed yet, and the time of the last answer. The
// server then knows how close a key can be to its limit, although the shared count is late. A tracker that grew too
// large forgets all keys, since it only saves waiting.

export interface PendingHits {
  readonly asked: (key: string) => void;
  readonly answered: (key: string, nowMs: number) => void;
  readonly failed: (key: string) => void;
  /** How many of `key` are open; undefined: nothing was heard of it for a while. */
  readonly openOf: (key: string, nowMs: number) => number | undefined;
}

interface Talk {
  open: number;
  answeredMs: number;
}

/** What was said so long ago is still a measure. */
const freshMs = 5000;

export function createPendingHits(capacity = 20_000): PendingHits {
  const talks = new Map<string, Talk>();
  return {
    asked: (key) => {
      const talk = talks.get(key);
      if (talk !== undefined) {
        talk.open += 1;
        return;
      }
      if (talks.size >= capacity) talks.clear();
      talks.set(key, { open: 1, answeredMs: Number.NEGATIVE_INFINITY });
    },
    answered: (key, nowMs) => {
      const talk = talks.get(key);
      if (talk === undefined) return;
      talk.open -= 1;
      talk.answeredMs = nowMs;
    },
    failed: (key) => {
      const talk = talks.get(key);
      if (talk !== undefined) talk.open -= 1;
    },
    openOf: (key, nowMs) => {
      const talk = talks.get(key);
      return talk === undefined || Math.abs(nowMs - talk.answeredMs) >= freshMs ? undefined : talk.open;
    },
  };
}
