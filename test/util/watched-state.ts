// A state that lets nothing be changed without its audit event (I8), but for what nobody decides.

import type { StateStore } from '../../proxy/state/state-store.ts';

/** Counts, last uses, and what became of a sync that was asked for in a commit with its event, or by the clock. */
const bookkeeping =
  /^(?:attempt|token-use|downloads|download-total|download-versions|installs|install-total|install-versions|counters|job|repository-active|repository-sync|lease)\//;

/** `note` hears the keys of each commit that should have had an event. */
export function watchState(store: StateStore, note: (keys: readonly string[]) => void): StateStore {
  return {
    ...store,
    commit: (change) => {
      const keys = [...change.puts.map(({ key }) => key), ...change.deletes];
      if (!keys.includes('audit/head') && keys.some((key) => !bookkeeping.test(key))) note(keys);
      return store.commit(change);
    },
  };
}
