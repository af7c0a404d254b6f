// Reads a value once for all decisions in one turn of the event loop: requests that arrive together share one read.

export interface OncePerTick<Value> {
  readonly read: () => Value;
  /** Discards the known value. */
  readonly forget: () => void;
}

/**
 * A turn ends with the sockets that were readable when it began. A request that is sent after a change is read from its
 * socket in a later turn. So an older value never decides it.
 */
export function oncePerTick<Value>(look: () => Value): OncePerTick<Value> {
  let known: { readonly value: Value } | undefined;
  const forget = (): void => {
    known = undefined;
  };
  return {
    read: () => {
      if (known === undefined) {
        known = { value: look() };
        setImmediate(forget);
      }
      return known.value;
    },
    forget,
  };
}
