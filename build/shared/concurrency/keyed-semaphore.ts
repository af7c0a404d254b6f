// So many at a time for each key, an origin for instance: who comes later waits, in the order in which they came, and
// one key's waiting keeps no other.

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

  /** How many wait for a place. */
  waiting(key: string): number {
    return this.#lines.get(key)?.waiting.size ?? 0;
  }

  /**
   * Does `work` as soon as there is a place. `onNone`: throws what is to be thrown where none was free within
   * `patienceMs`.
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

  /** A place goes from one to the next, so that nobody who comes in between is first. */
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
