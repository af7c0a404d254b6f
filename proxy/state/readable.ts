// Checks for /health/ready that the server can look up tokens and users.

import { StateError } from './state-error.ts';
import type { StateStore } from './state-store.ts';

/**
 * Reads one row below `prefix`. Resolves when the state answers, and while it is out of reach as long as those who are
 * known are honoured; rejects with what is wrong.
 */
export async function assertReadable(store: Pick<StateStore, 'range' | 'generation'>, prefix: string): Promise<void> {
  try {
    await store.range(prefix, { limit: 1 });
  } catch (error) {
    if (!(error instanceof StateError && error.code === 'STATE_UNAVAILABLE')) throw error;
    store.generation(); // throws once what is known is not believed any more
  }
}
