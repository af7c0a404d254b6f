// When an origin is not to be asked: after a 429 or 503 as long as it says (Retry-After), after failures for a time that doubles. So a dead upstream
// costs one request now and then, and not one for each client.

const firstPauseMs = 1000;
const longestPauseMs = 30_000;
/** Retry-After is believed up to this: a wrong one must not switch an upstream off for days. */
const longestRetryAfterMs = 3_600_000;
/** origins that are remembered; archives may come from many */
const maxOrigins = 1000;

interface Pause {
  readonly failures: number;
  readonly untilMs: number;
}

export class Pauses {
  readonly #pauses = new Map<string, Pause>();

  /** Epoch milliseconds until which `origin` is not to be asked; undefined: it may be asked now. */
  until(origin: string, nowMs: number): number | undefined {
    const untilMs = this.#pauses.get(origin)?.untilMs ?? 0;
    return untilMs > nowMs ? untilMs : undefined;
  }

  succeeded(origin: string): void {
    this.#pauses.delete(origin);
  }

  /** Returns when it may be asked again. `retryAfter`: the header of its answer. */
  failed(origin: string, nowMs: number, retryAfter?: string | undefined): number {
    const askedFor = retryAfterMs(retryAfter, nowMs);
    const before = this.#pauses.get(origin);
    // many requests that were under way fail together: that is one failure
    if (before !== undefined && before.untilMs > nowMs + (askedFor ?? 0)) return before.untilMs;
    const failures = (before?.failures ?? 0) + 1;
    const pauseMs = askedFor ?? Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(failures - 1, 10));
    this.#pauses.delete(origin);
    if (this.#pauses.size >= maxOrigins) for (const oldest of [...this.#pauses.keys()].slice(0, 100)) this.#pauses.delete(oldest);
    this.#pauses.set(origin, { failures, untilMs: nowMs + pauseMs });
    return nowMs + pauseMs;
  }
}

/** Seconds or a date (RFC 9110 §10.2.3); undefined where there is none that can be read. */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  const ms = /^\s*[0-9]{1,9}\s*$/.test(header) ? Number(header) * 1000 : Date.parse(header) - nowMs;
  return Number.isNaN(ms) ? undefined : Math.min(longestRetryAfterMs, Math.max(0, ms));
}
