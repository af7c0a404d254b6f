// Limits the wait for an origin: after the time limit a request gets the known value.

/** Resolves to the result of `work`, or to `otherwise()` after `withinMs`. */
export function withDeadline<Value>(work: Promise<Value>, withinMs: number, otherwise: () => Value): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(otherwise()), withinMs);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** How long a request waits if the server has an older value to serve. */
export const patienceMs = 1000;
