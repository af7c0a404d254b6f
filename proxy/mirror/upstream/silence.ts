// Whether an upstream accepts requests and sends no answer. The first request waits for it in vain; while it stays
// silent, later ones get what is stored at once, and their questions go on in the background. Any answer ends the
// silence. Without requests it ends by itself, so that the first one after a pause waits for a newer document again.

import { withDeadline } from '../../../build/shared/concurrency/with-deadline.ts';

/** How long a client waits for a document newer than the stored one. */
export const patienceMs = 2000;
const silentMs = 30_000;

export class Silence {
  readonly #now: () => number;
  #untilMs = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** As `asking`, or `stored()` if that takes too long. `asking` goes on, and calls `heard` or `lasts`. */
  within<Value>(asking: Promise<Value>, stored: () => Value): Promise<Value> {
    if (this.#isOn()) return Promise.resolve(stored());
    return withDeadline(asking, patienceMs, () => {
      this.#untilMs = this.#now() + silentMs;
      return stored();
    });
  }

  heard(): void {
    this.#untilMs = 0;
  }

  /** A request failed: a silence goes on. */
  lasts(): void {
    if (this.#isOn()) this.#untilMs = this.#now() + silentMs;
  }

  /** A time far in the future is a clock that was set back. */
  #isOn(): boolean {
    const leftMs = this.#untilMs - this.#now();
    return leftMs > 0 && leftMs <= silentMs;
  }
}
