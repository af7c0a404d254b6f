// Saves in-process counts over a clean restart, because a restart must not grant the hour's requests a second time. The
// save is bookkeeping without an audit event.

import type { JsonValue } from '../../../build/contract/json.ts';
import type { StateStore } from '../state/state-store.ts';
import type { SavedWindow } from './memory-counters.ts';

export const savedCountersKey = 'counters/saved';

/** Called at the end of the process. Replaces the counts of an earlier process. */
export async function saveCounters(store: StateStore, snapshot: readonly SavedWindow[]): Promise<void> {
  await store.commit({ conditions: [], puts: [{ key: savedCountersKey, value: snapshot }], deletes: [] });
}

/**
 * Called at the start of the process. Omits windows that ended in between, and malformed ones: a lost count is no
 * reason to refuse the start.
 */
export async function loadCounters(store: StateStore, nowMs: number): Promise<readonly SavedWindow[]> {
  const value = (await store.get(savedCountersKey))?.value;
  if (!Array.isArray(value)) return [];
  return value.flatMap((row: JsonValue) => {
    const window = parseWindow(row);
    return window !== undefined && nowMs < window[2] ? [window] : [];
  });
}

export function parseWindow(row: JsonValue): SavedWindow | undefined {
  if (!Array.isArray(row)) return undefined;
  const [key, used, endsAtMs]: readonly unknown[] = row;
  if (typeof key !== 'string' || typeof used !== 'number' || typeof endsAtMs !== 'number') return undefined;
  return Number.isSafeInteger(used) && used >= 0 && Number.isFinite(endsAtMs) ? [key, used, endsAtMs] : undefined;
}
