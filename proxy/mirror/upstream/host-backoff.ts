// Decides when a host gets no requests: after a 429 or 503 for the time in its Retry-After, after failures for a time
// that doubles. A dead upstream therefore costs one request now and then, instead of one for each client. One failing
// resource does not stop the requests to its host. The backoff starts when the host cannot be reached, requests a
// pause, or fails for several resources in a row.

const firstPauseMs = 1000;
const longestPauseMs = 30_000;
/** The maximum accepted Retry-After: a wrong one must not switch an upstream off for days. */
const longestRetryAfterMs = 3_600_000;
/** the number of different failing resources, without a success in between */
const suspectFrom = 3;
/** how long a single failed resource is not requested again */
const oneThingMs = 5000;
/** maximum number of remembered origins; archives may come from many */
const maxOrigins = 1000;

interface Pause {
  /** pauses in a row */
  readonly failures: number;
  readonly untilMs: number;
  /** the resources that failed since the last success, limited to the number that matters */
  readonly failed: ReadonlySet<string>;
}

export class HostBackoff {
  readonly #pauses = new Map<string, Pause>();

  /** Epoch milliseconds until which `origin` gets no requests; undefined: requests are allowed. */
  until(origin: string, nowMs: number): number | undefined {
    const untilMs = this.#pauses.get(origin)?.untilMs ?? 0;
    return untilMs > nowMs ? untilMs : undefined;
  }

  succeeded(origin: string): void {
    this.#pauses.delete(origin);
  }

  /**
   * The host as a whole failed, or requests a pause. Returns the end of the backoff. `retryAfter`: the header of its
   * answer.
   */
  failed(origin: string, nowMs: number, retryAfter?: string | undefined): number {
    const askedFor = retryAfterMs(retryAfter, nowMs);
    const before = this.#pauses.get(origin);
    // parallel requests that fail together count as one failure
    if (before !== undefined && before.untilMs > nowMs + (askedFor ?? 0)) return before.untilMs;
    const failures = (before?.failures ?? 0) + 1;
    const pauseMs = askedFor ?? Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(failures - 1, 10));
    this.#set(origin, { failures, untilMs: nowMs + pauseMs, failed: before?.failed ?? new Set() });
    return nowMs + pauseMs;
  }

  /** Records a failure of `what` at this origin. Returns the time of the next allowed request for it. */
  failedFor(origin: string, what: string, nowMs: number): number {
    const before = this.#pauses.get(origin) ?? { failures: 0, untilMs: 0, failed: new Set() };
    const failed = before.failed.size >= suspectFrom ? before.failed : new Set([...before.failed, what]);
    this.#set(origin, { ...before, failed });
    return failed.size < suspectFrom ? nowMs + oneThingMs : this.failed(origin, nowMs);
  }

  #set(origin: string, pause: Pause): void {
    this.#pauses.delete(origin);
    if (this.#pauses.size >= maxOrigins)
      for (const oldest of [...this.#pauses.keys()].slice(0, 100)) this.#pauses.delete(oldest);
    this.#pauses.set(origin, pause);
  }
}

/** Parses seconds or a date (RFC 9110 §10.2.3); undefined if the header is missing or unreadable. */
export function retryAfterMs(
  header: string | undefined,
  nowMs: number,
  longestMs = longestRetryAfterMs,
): number | undefined {
  if (header === undefined) return undefined;
  const ms = /^\s*[0-9]{1,9}\s*$/.test(header) ? Number(header) * 1000 : Date.parse(header) - nowMs;
  return Number.isNaN(ms) ? undefined : Math.min(longestMs, Math.max(0, ms));
}
