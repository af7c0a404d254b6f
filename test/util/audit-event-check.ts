// A state that checks that each change has its audit event (I8), except for changes that no person decides.

import type { StateStore } from '../../proxy/core/state/state-store.ts';

/**
 * Counts, last uses, events with their deliveries, received hooks, used sign-ins at providers, and results of syncs
 * that were requested in a commit with its event, or by schedule.
 */
const bookkeeping =
  /^(?:attempt|device-code|device-request|token-use|downloads|download-day|download-total|download-versions|installs|install-day|install-total|install-versions|counters|job|repository-active|repository-sync|hook-delivery|hook-pending|hook-refusal|hook-seen|lease|connection-page|connection-progress|connection-seen|connection-token|event-outbox|mail-status|mail-waiting|notify-cursor|notify-delivery|notify-due|notify-status|sso-state|project|usage|used|used-by|used-rows)\//;

/** `note` gets the keys of each commit that should have had an event. */
export function checkAuditEvents(store: StateStore, note: (keys: readonly string[]) => void): StateStore {
  return {
    ...store,
    commit: (change) => {
      const keys = [...change.puts.map(({ key }) => key), ...change.deletes];
      if (!keys.includes('audit/head') && keys.some((key) => !bookkeeping.test(key))) note(keys);
      return store.commit(change);
    },
  };
}
