// The port to a count that several processes share. Unlike Counters it may fail: resilient-counters.ts then counts
// locally.

/** Two views of one window may differ by this much: more than a reply's way, and an hour's drift of two clocks. */
export const endSlackMs = 1000;

export interface SharedHit {
  readonly key: string;
  readonly limit: number;
  readonly windowMs: number;
  /**
   * This process's own count of the running window. The shared count is raised to `used`, and its end moved forward to
   * `endsInMs`, if the server has lost it (flushed, restarted empty, failed over). 0 and 0: unknown.
   */
  readonly floor: { readonly used: number; readonly endsInMs: number };
}

export interface SharedCount {
  readonly admitted: boolean;
  /** requests counted in the window, this one included if it was admitted */
  readonly used: number;
  readonly endsInMs: number;
}

export interface SharedCounters {
  /** Resolves when the server can be counted on, or after a short while when it cannot. Never rejects. */
  readonly connect: () => Promise<void>;
  /** Counts and decides in one atomic step. Rejects when the server is lost, slow, or cannot write. */
  readonly hit: (hit: SharedHit) => Promise<SharedCount>;
  /** The current count of `key`, without counting; undefined: none. Rejects when the server is lost or slow. */
  readonly peek: (key: string) => Promise<Pick<SharedCount, 'used' | 'endsInMs'> | undefined>;
  readonly close: () => Promise<void>;
}
