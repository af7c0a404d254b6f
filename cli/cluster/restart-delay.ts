// The delay before the restart of a worker that ended. Pure.

/** A worker that lived longer failed for a new reason, so its successor does not wait for earlier failures. */
const healthyMs = 60_000;
const firstMs = 100;
const longestMs = 30_000;

export interface Restart {
  /** short-lived workers in a row, this one included */
  readonly failures: number;
  readonly delayMs: number;
}

/** `failures`: before this one; `livedMs`: the time for which this worker served, 0 if it never did. */
export function nextRestart(failures: number, livedMs: number): Restart {
  const count = livedMs >= healthyMs ? 1 : failures + 1;
  return { failures: count, delayMs: Math.min(longestMs, firstMs * 2 ** Math.min(count - 1, 30)) };
}
