// Refreshes connections when they are due: after their interval, after a pause, or when a person asks. The times are
// rows of the state, so that a restart and several processes do not disturb them.

import type { StateStore } from '../../core/state/state-store.ts';
import { listConnections } from '../model/connection.ts';
import { readProgress } from '../model/read-progress.ts';
import type { Refresher } from './refresher.ts';

export interface RefreshScheduleOptions {
  readonly state: StateStore;
  readonly refresher: Refresher;
  /** epoch milliseconds */
  readonly now: () => number;
  readonly onError: (error: unknown) => void;
  /** between two looks; default 5 s */
  readonly everyMs?: number;
}

export type RefreshSchedule = ReturnType<typeof createRefreshSchedule>;

export function createRefreshSchedule(options: RefreshScheduleOptions) {
  const { onError, everyMs = 5000 } = options;
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> = Promise.resolve();
  const look = (): Promise<void> => lookOnce(options, stopping.signal);
  const later = (): void => {
    if (stopping.signal.aborted) return;
    timer = setTimeout(() => {
      looking = look().catch(onError).then(later);
    }, everyMs);
    timer.unref();
  };
  return {
    /** One check: refreshes the due connections, one after the other. */
    look,
    start: later,
    /** Ends a running refresh; a later one goes on. */
    stop: async (): Promise<void> => {
      stopping.abort();
      clearTimeout(timer);
      await looking;
    },
  };
}

async function lookOnce(
  { state, refresher, now, onError }: RefreshScheduleOptions,
  signal: AbortSignal,
): Promise<void> {
  for (const { id } of await listConnections(state)) {
    if (signal.aborted) return;
    const { next_at: due } = await readProgress(state, id);
    // one connection that cannot be refreshed does not stop the others
    if (now() >= Date.parse(due)) await refresher.refresh(id, { actor: 'system:connection', signal }).catch(onError);
  }
}
