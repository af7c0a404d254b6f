// A signal that ends after a time, or with others. Node 20 may collect an AbortSignal.timeout that only AbortSignal.any
// refers to, and it then never ends (nodejs/node#54614). A timer of its own keeps this one.

export interface TimedSignal {
  readonly signal: AbortSignal;
  /** Ends the timer, when the work is over. */
  readonly clear: () => void;
}

/** `afterMs`: the signal then ends with a TimeoutError, like that of AbortSignal.timeout. */
export function timedSignal(afterMs: number, ...others: readonly AbortSignal[]): TimedSignal {
  const late = new AbortController();
  const timer = setTimeout(
    () => late.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError')),
    afterMs,
  );
  timer.unref();
  return { signal: AbortSignal.any([late.signal, ...others]), clear: () => clearTimeout(timer) };
}
