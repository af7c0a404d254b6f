// Reads how far the refresh of a connection is, for callers that only read.

import type { StateStore } from '../../core/state/state-store.ts';
import type { ConnectionId } from '../../sync/forge-place.ts';
import { firstProgress, parseProgress, progressKey, type RefreshProgress } from './progress.ts';

/** A connection without a row is due at once. */
export async function readProgress(state: Pick<StateStore, 'get'>, id: ConnectionId): Promise<RefreshProgress> {
  const entry = await state.get(progressKey(id));
  return entry === undefined ? firstProgress : parseProgress(entry.value);
}
