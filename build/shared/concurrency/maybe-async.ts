// Values that are mostly available synchronously. The hot path of a request usually waits for nothing. A promise at
// each step would cost it a turn of the microtask queue each time.

export type MaybeAsync<Value> = Value | Promise<Value>;

/**
 * Calls `use` with the value: immediately, or later for a promise. Calls `otherwise` with the reason if that promise
 * rejects.
 */
export function andThen<Value, Result>(
  value: MaybeAsync<Value>,
  use: (value: Value) => MaybeAsync<Result>,
  otherwise?: (reason: unknown) => MaybeAsync<Result>,
): MaybeAsync<Result> {
  return value instanceof Promise ? value.then(use, otherwise) : use(value);
}
