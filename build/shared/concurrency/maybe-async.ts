// Values that are mostly available synchronously. The hot path of a request usually waits for nothing. A promise at
// each step would cost it a turn of the microtask queue each time.

export type MaybeAsync<Value> = Value | Promise<Value>;

/**
 * `use` of the value: at once where it is there, later where it is a promise. `otherwise`: of the reason, where that
 * promise is rejected.
 */
export function andThen<Value, Result>(
  value: MaybeAsync<Value>,
  use: (value: Value) => MaybeAsync<Result>,
  otherwise?: (reason: unknown) => MaybeAsync<Result>,
): MaybeAsync<Result> {
  return value instanceof Promise ? value.then(use, otherwise) : use(value);
}
