// Whether an upstream accepts requests and sends no answer. The first request waits for it in vain; while it stays
// silent, later ones get what is stored at once, and their questions go on in the background. Any answer ends the
// silence. Without requests it ends by itself: the first one after a pause waits for a newer document again.

import { withDeadline } from '../../../build/shared/concurrency/with-deadline.ts';

/** How long a client waits for a document newer than the stored one. */
export const patienceMs = 2000;
const silentMs = 30_000;

export class Silence {
  #untilMs = 0;

  /** As `asking`, or `stored()` if that takes too long. `asking` goes on, and calls `heard` or `lasts`. */
  within<Value>(asking: Promise<Value>, stored: () => Value, now: () => number): Promise<Value> {
    if (this.#isOn(now())) return Promise.resolve(stored());
    return withDeadline(asking, patienceMs, () => {
      this.#untilMs = now() + silentMs;
      return stored();
    });
  }

  heard(): void {
    this.#untilMs = 0;
  }

  /** A request failed: a silence goes on. */
  lasts(nowMs: number): void {
    if (this.#isOn(nowMs)) this.#untilMs = nowMs + silentMs;
  }

  /** A time far in the future is a clock that was set back. */
  #isOn(nowMs: number): boolean {
    return this.#untilMs > nowMs && this.#untilMs <= nowMs + silentMs;
  }
}
