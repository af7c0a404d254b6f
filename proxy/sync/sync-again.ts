// Makes failed repositories due at once, after their connection got other credentials: their interval may be a day.

import type { JsonObject } from '../../build/contract/json.ts';
import type { StateChange, StateStore } from '../core/state/state-store.ts';
import { outcomeKey, parseSyncOutcome, type RepositoryRecord } from './repository.ts';

/** The rows to write: the schedule reads from them when the last attempt was. */
export async function dueAgain(
  store: Pick<StateStore, 'get'>,
  records: readonly RepositoryRecord[],
): Promise<StateChange['puts']> {
  const rows = await Promise.all(records.map(({ id }) => store.get(outcomeKey(id))));
  return rows.flatMap((row) => {
    const outcome = row === undefined ? undefined : parseSyncOutcome(row.value);
    if (row === undefined || outcome?.status !== 'error') return [];
    return [{ key: row.key, value: { ...outcome, attempted_at: new Date(0).toISOString() } as unknown as JsonObject }];
  });
}
