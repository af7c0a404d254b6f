// Reads cached rows again after a lost connection, because Redis does not report which rows other processes changed. So
// a token without recent use is cached for the next outage too. Unconfirmed rows are never returned (last-known.ts).

import type { KnownRow, LastKnown, Reading } from './last-known.ts';
import type { RedisRows } from './redis-rows.ts';

/** The batch of one turn: requests that arrive during the refresh wait for only a few reads. */
const batchSize = 200;

export interface RefreshOptions {
  readonly known: LastKnown;
  readonly rows: RedisRows;
  /** the generation that Redis has reached at least */
  readonly reached: () => number;
  readonly isAway: () => boolean;
}

/**
 * Reads the unconfirmed rows, and stops if Redis becomes unreachable. Call it after a reply of Redis. One call at a
 * time reads; concurrent calls return immediately.
 */
export function createRefresh({ known, rows, reached, isAway }: RefreshOptions): () => Promise<void> {
  let running = false;
  const learn = (reading: Reading): Promise<unknown> =>
    'key' in reading
      ? known.learnRow(reading.key, reached(), (): Promise<KnownRow | undefined> => rows.row(reading.key))
      : known.learnRange(reading.prefix, reading.options, reached(), () => rows.range(reading.prefix, reading.options));
  return async () => {
    if (running) return;
    running = true;
    try {
      while (!isAway() && known.staleCount() > 0) {
        const batch = known.takeStale(batchSize);
        const outcomes = await Promise.allSettled(batch.map(learn));
        const failed = batch.filter((_, index) => outcomes[index]?.status === 'rejected');
        known.markStale(failed);
        if (failed.length > 0) return;
      }
    } finally {
      running = false;
    }
  };
}
