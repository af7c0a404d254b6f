// Limits a wait: after the time limit the caller gets a known value, or an error.

/** Settles as `work` does, or after `withinMs` as `otherwise()` does, which never throws: it may return a rejection. */
export function withDeadline<Value>(
  work: Promise<Value>,
  withinMs: number,
  otherwise: () => Value | Promise<Value>,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(otherwise()), withinMs);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** How long a request waits if the server has an older value to serve. */
export const patienceMs = 1000;
