// A semaphore for each key, for example an origin. Waiters of one key run in the order of their arrival. Waiting for
// one key does not block other keys.

interface Line {
  taken: number;
  readonly waiting: Set<() => void>;
}

export class KeyedSemaphore {
  readonly #most: number;
  readonly #lines = new Map<string, Line>();

  constructor(most: number) {
    this.#most = most;
  }

  /** The number of tasks that wait for this key. */
  waiting(key: string): number {
    return this.#lines.get(key)?.waiting.size ?? 0;
  }

  /**
   * Runs `work` as soon as a slot is free. `onNone` throws the error for a slot that was not free within `patienceMs`.
   */
  async use<Value>(key: string, work: () => Promise<Value>, patienceMs?: number, onNone?: () => never): Promise<Value> {
    if (!(await this.#take(key, patienceMs))) onNone?.();
    try {
      return await work();
    } finally {
      this.#free(key);
    }
  }

  #take(key: string, patienceMs: number | undefined): Promise<boolean> {
    const line = this.#lines.get(key) ?? { taken: 0, waiting: new Set() };
    this.#lines.set(key, line);
    if (line.taken < this.#most) {
      line.taken += 1;
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      const come = (): void => {
        clearTimeout(timer);
        resolve(true);
      };
      const leave = (): void => {
        line.waiting.delete(come);
        resolve(false);
      };
      const timer = patienceMs === undefined ? undefined : setTimeout(leave, patienceMs);
      line.waiting.add(come);
    });
  }

  /** Passes the slot to the next waiter directly, so that a newcomer cannot overtake. */
  #free(key: string): void {
    const line = this.#lines.get(key);
    if (line === undefined) return;
    for (const next of line.waiting) {
      line.waiting.delete(next);
      return next();
    }
    line.taken -= 1;
    if (line.taken === 0) this.#lines.delete(key);
  }
}
