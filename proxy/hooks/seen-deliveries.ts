// Remembers the deliveries of the last 24 hours, so that a repeated one asks for nothing. A row belongs to the day of
// its arrival. Its key begins with that day, so that the rows of past days are found without reading the others.

import { createHash } from 'node:crypto';
import type { JsonValue } from '../../build/contract/json.ts';
import { parseTimeRow } from '../state/rows.ts';
import type { StateChange, StateStore } from '../core/state/state-store.ts';
import { hookPath } from './hook-record.ts';
import type { ReceivedDelivery } from './inbox.ts';

export const seenPrefix = 'hook-seen/';

const dayMs = 86_400_000;
/** The rows of past days that each delivery removes: more than it adds, so that none stay for long. */
const prunedAtOnce = 4;

/**
 * The conditions and changes under which this delivery is new. `repeated`: it was received in the last 24 hours. A
 * clock of another host may be in the next day or the last one already.
 */
export async function seenChange(
  state: Pick<StateStore, 'get' | 'range'>,
  delivery: Pick<ReceivedDelivery, 'hook' | 'provider' | 'id'>,
  nowMs: number,
): Promise<StateChange | 'repeated'> {
  const today = Math.floor(nowMs / dayMs);
  const keys = [today - 1, today, today + 1].map((day) => seenKey(day, delivery));
  const entries = await Promise.all(keys.map((key) => state.get(key)));
  const times = entries.flatMap((entry) => (entry === undefined ? [] : [parseSeenTime(entry.value)]));
  if (times.some((at) => nowMs - at < dayMs)) return 'repeated';
  const oldest = await state.range(seenPrefix, { limit: prunedAtOnce });
  return {
    conditions: keys.map((key, index) => ({ key, revision: entries[index]?.revision ?? null })),
    puts: [{ key: seenKey(today, delivery), value: new Date(nowMs).toISOString() }],
    deletes: oldest.map(({ key }) => key).filter((key) => key < `${seenPrefix}${dayText(today - 1)}`),
  };
}

function seenKey(day: number, { hook, provider, id }: Pick<ReceivedDelivery, 'hook' | 'provider' | 'id'>): string {
  const digest = createHash('sha256')
    .update(`${hookPath(hook)}\n${provider}\n${id}`)
    .digest('hex');
  return `${seenPrefix}${dayText(day)}/${digest}`;
}

function dayText(day: number): string {
  return String(day).padStart(6, '0');
}

/** Epoch milliseconds. Throws StateError for a value that is no time. */
export function parseSeenTime(value: JsonValue): number {
  return parseTimeRow(value, 'The time of a delivery');
}
