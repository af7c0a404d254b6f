// Checks for /health/ready that the server can look up tokens and users.

import { StateError } from '../core/state/state-error.ts';
import type { StateStore } from '../core/state/state-store.ts';

/**
 * Reads one row below `prefix`. Resolves when the state answers, and during an outage while known clients are accepted.
 * Rejects with the fault.
 */
export async function assertReadable(store: Pick<StateStore, 'range' | 'generation'>, prefix: string): Promise<void> {
  try {
    await store.range(prefix, { limit: 1 });
  } catch (error) {
    if (!(error instanceof StateError && error.code === 'STATE_UNAVAILABLE')) throw error;
    store.generation(); // throws once the cached rows are no longer valid
  }
}
