// Lists the deliveries of an endpoint, and sends them again.

import { invalidInput, RegistryError } from '../../../build/contract/errors.ts';
import type { Actor, AuditedStore } from '../../state/audit.ts';
import type { StateEntry, StateStore } from '../../core/state/state-store.ts';
import { type EndpointId, findEndpoint } from '../model/endpoint.ts';
import { deliveryPrefix, dueKey, parseDeliveryRecord, waitingRows, type DeliveryRecord } from '../model/delivery.ts';

export interface DeliveryPage {
  /** newest first */
  readonly deliveries: readonly DeliveryRecord[];
  /** the `before` of the next page; null: this is the last one */
  readonly next: string | null;
}

/** `before`: the `next` of the page before. */
export async function listDeliveries(
  state: Pick<StateStore, 'range'>,
  endpoint: EndpointId,
  { limit, before }: { readonly limit: number; readonly before?: string | undefined },
): Promise<DeliveryPage> {
  const prefix = deliveryPrefix(endpoint);
  const rows = await state.range(prefix, {
    limit: limit + 1,
    reverse: true,
    ...(before === undefined ? {} : { after: `${prefix}${before}` }),
  });
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1)?.key.slice(prefix.length) : undefined;
  return { deliveries: shown.map(({ value }) => parseDeliveryRecord(value)), next: last ?? null };
}

/** The ids of the replayed events, or those of all events from `since` to `until`. */
export interface ReplayRange {
  /** the id of an event */
  readonly event?: string | undefined;
  /** epoch milliseconds, of the events */
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
}

const rowsAtOnce = 200;

/**
 * Sends settled deliveries again, with another series of attempts. Returns their number; deliveries that still wait are
 * due at once. Throws NOT_FOUND for an unknown endpoint or event.
 */
export async function replayDeliveries(
  { store, now, actor }: { readonly store: AuditedStore; readonly now: () => number; readonly actor: Actor },
  endpoint: string,
  range: ReplayRange,
): Promise<number> {
  const { record } = await findEndpoint(store, endpoint);
  if (range.event === undefined && range.sinceMs === undefined)
    throw invalidInput({ path: '', message: 'name an event, or the time from which events are sent again' });
  const found = (await store.range(deliveryPrefix(record.id))).filter(({ value }) => isInRange(value, range));
  if (range.event !== undefined && found.length === 0)
    throw new RegistryError('NOT_FOUND', {
      message: `The endpoint ${record.id} has no delivery of ${JSON.stringify(range.event.slice(0, 80))}.`,
    });
  let count = 0;
  for (let from = 0; from < found.length; from += rowsAtOnce) {
    const keys = found.slice(from, from + rowsAtOnce).map(({ key }) => key);
    count += await replayRows({ store, now, actor }, record.id, keys);
  }
  return count;
}

function isInRange(value: StateEntry['value'], { event: id, sinceMs, untilMs }: ReplayRange): boolean {
  const { event } = parseDeliveryRecord(value);
  const atMs = Date.parse(event.at);
  return (id === undefined || event.id === id) && atMs >= (sinceMs ?? 0) && atMs <= (untilMs ?? Infinity);
}

async function replayRows(
  { store, now, actor }: { readonly store: AuditedStore; readonly now: () => number; readonly actor: Actor },
  endpoint: EndpointId,
  keys: readonly string[],
): Promise<number> {
  for (;;) {
    const entries = (await Promise.all(keys.map((key) => store.get(key)))).flatMap((entry) => entry ?? []);
    const rows = entries.map(({ value }) => anew(parseDeliveryRecord(value), now()));
    const done = await store.commit(
      {
        conditions: entries.map(({ key, revision }) => ({ key, revision })),
        puts: rows.flatMap(({ puts }) => puts),
        deletes: rows.flatMap(({ deletes }) => deletes),
      },
      { actor, action: 'notification.replay', subject: endpoint, details: { deliveries: entries.length } },
    );
    if (done) return entries.length;
  }
}

function anew(
  record: DeliveryRecord,
  nowMs: number,
): { puts: ReturnType<typeof waitingRows>['puts']; deletes: string[] } {
  const next = new Date(nowMs).toISOString();
  const { puts } = waitingRows({ ...record, state: 'pending', failures: 0, next_at: next });
  const former = record.next_at === null ? undefined : dueKey(record, record.next_at);
  const isKept = former === undefined || puts.some(({ key }) => key === former);
  return { puts, deletes: isKept ? [] : [former] };
}
