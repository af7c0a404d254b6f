// Reads a value of the state again after each change of the state. Pure but for the reading.

import type { MaybeAsync } from '../../../build/shared/concurrency/maybe-async.ts';
import type { StateStore } from '../../core/state/state-store.ts';

/** `textOf`: equal for equal values, which stay one object. */
export function readAgain<Value>(
  store: Pick<StateStore, 'generation'>,
  read: () => Promise<Value>,
  textOf: (value: Value) => string,
): () => MaybeAsync<Value> {
  let known: { readonly generation: number; readonly text: string; readonly value: Value } | undefined;
  const load = async (generation: number): Promise<Value> => {
    const value = await read();
    const text = textOf(value);
    known = { generation, text, value: known?.text === text ? known.value : value };
    return known.value;
  };
  return () => {
    // read before the rows, so that any later commit makes them outdated
    const generation = store.generation();
    return known?.generation === generation ? known.value : load(generation);
  };
}
