// The delay before the restart of a worker that ended. Pure.

/** One that lived so long ended for a reason of its own: the next one is not made to wait for those before. */
const healthyMs = 60_000;
const firstMs = 100;
const longestMs = 30_000;

export interface Fall {
  /** how many in a row did not live long, this one included */
  readonly failures: number;
  readonly delayMs: number;
}

/** `failures` before this one; `livedMs`: for how long this one served, 0 where it never did. */
export function nextFall(failures: number, livedMs: number): Fall {
  const count = livedMs >= healthyMs ? 1 : failures + 1;
  return { failures: count, delayMs: Math.min(longestMs, firstMs * 2 ** Math.min(count - 1, 30)) };
}
