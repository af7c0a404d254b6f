// The state of a command that may be the first one of a registry. Its first commit makes the data folder and the state,
// so a refused command leaves neither.

import { createMemoryStore } from '../../proxy/core/state/memory-store.ts';
import type { StateStore } from '../../proxy/core/state/state-store.ts';
import type { Config } from '../config/config.ts';
import { openState, openStateIfAny } from './open-state.ts';

/**
 * The existing state; otherwise an empty one, which its first commit makes. `onMade`: called then. Rejects as
 * openState.
 */
export async function openStateToChange(config: Config, onMade: () => void = () => undefined): Promise<StateStore> {
  const make = (): Promise<StateStore> =>
    openState(config).then((state) => {
      onMade();
      return state;
    });
  return (await openStateIfAny(config)) ?? madeByFirstCommit(make);
}

function madeByFirstCommit(make: () => Promise<StateStore>): StateStore {
  const empty = createMemoryStore();
  let made: StateStore | undefined;
  let making: Promise<StateStore> | undefined;
  const current = (): StateStore => made ?? empty;
  return {
    get identity() {
      return current().identity;
    },
    get: (key) => current().get(key),
    range: (prefix, options) => current().range(prefix, options),
    commit: async (change) => {
      making ??= make();
      made = await making;
      return made.commit(change);
    },
    generation: () => current().generation(),
    close: async () => {
      await empty.close();
      await made?.close();
    },
  };
}
