// The row of a sync that hooks asked for. It is written before the hook is answered, and stays until a sync that began
// later has ended. So a killed server forgets no hook, and any number of hooks cost one sync under way and one waiting.

import { z } from 'zod';
import type { StateChange, StateEntry } from '../core/state/state-store.ts';
import { rowParser, type RowOf } from '../state/rows.ts';
import { waitBeforeRetry } from './temporary-fault.ts';
import { hostOfRepository, type RepositoryId, type RepositoryRecord } from './repository.ts';

const pendingSync = z.object({
  repository_id: z.custom<RepositoryId>((value) => typeof value === 'string'),
  /** the host of the repository; '' for this machine */
  host: z.string(),
  /** when the first of the hooks arrived, RFC 3339 UTC */
  asked_at: z.string(),
  /** the ids of the deliveries that asked for it, the last ones */
  deliveries: z.array(z.string()),
  /** its syncs failed for a temporary reason, and the next one waits; missing: none did. A new hook ends the wait. */
  retry: z.object({ failures: z.number(), not_before: z.string() }).exactOptional(),
});
export type PendingSync = RowOf<typeof pendingSync>;

export const pendingPrefix = 'hook-pending/';
const mostDeliveries = 20;

export function pendingKey(repository: RepositoryId): string {
  return `${pendingPrefix}${repository}`;
}

/** `entry`: the present row, if there is one. */
export function askSync(
  record: RepositoryRecord,
  entry: StateEntry | undefined,
  asked: { readonly at: string; readonly delivery: string },
): PendingSync {
  const before = entry === undefined ? undefined : parsePendingSync(entry.value);
  return {
    repository_id: record.id,
    host: hostOfRepository(record),
    asked_at: before?.asked_at ?? asked.at,
    deliveries: [...(before?.deliveries ?? []), asked.delivery].slice(-mostDeliveries),
  };
}

/** True if its sync may begin. */
export function isDue({ retry }: PendingSync, nowMs: number): boolean {
  return retry === undefined || Date.parse(retry.not_before) <= nowMs;
}

/** The end of a sync, for the hooks that asked for it. */
export interface AnsweredDeliveries {
  /** the deliveries that had asked before the sync began */
  readonly answered: readonly string[];
  /** RFC 3339 UTC */
  readonly at: string;
  /** the sync failed, and a later one may succeed */
  readonly isTemporary: boolean;
}

/** Changes the row at the end of a sync. Hooks that asked during the sync need another one. */
export function settlePending(
  entry: StateEntry | undefined,
  { answered, at, isTemporary }: AnsweredDeliveries,
): Pick<StateChange, 'conditions' | 'puts' | 'deletes'> {
  if (entry === undefined) return { conditions: [], puts: [], deletes: [] };
  const { key, revision } = entry;
  const pending = parsePendingSync(entry.value);
  const left = pending.deliveries.filter((id) => !answered.includes(id));
  const conditions = [{ key, revision }];
  if (left.length === 0) {
    const retry = isTemporary ? nextRetry(pending, at) : undefined;
    if (retry === undefined) return { conditions, puts: [], deletes: [key] };
    return { conditions, puts: [{ key, value: { ...pending, retry } }], deletes: [] };
  }
  const { repository_id, host } = pending;
  const rest: PendingSync = { repository_id, host, asked_at: at, deliveries: left };
  return { conditions, puts: [{ key, value: { ...rest } }], deletes: [] };
}

function nextRetry({ retry }: PendingSync, at: string): { failures: number; not_before: string } | undefined {
  const failures = (retry?.failures ?? 0) + 1;
  const waitMs = waitBeforeRetry(failures);
  return waitMs === undefined ? undefined : { failures, not_before: new Date(Date.parse(at) + waitMs).toISOString() };
}

/** Throws StateError for a value that is no row of a pending sync. */
export const parsePendingSync = rowParser(pendingSync, 'A row of a pending sync');
