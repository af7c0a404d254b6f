// One attempt of deliveries of one endpoint, and its result in the state: one commit moves each delivery on, and the
// status of the endpoint with them.

import type { JsonObject } from '../../../build/contract/json.ts';
import type { StateChange, StateEntry, StateStore } from '../../core/state/state-store.ts';
import {
  deliveryKey,
  dueKey,
  keptAttempts,
  parseDeliveryRecord,
  type DeliveryAttempt,
  type DeliveryRecord,
} from '../model/delivery.ts';
import { endpointPauseMs, waitBeforeNext } from '../model/retry-schedule.ts';
import { endpointKey, parseEndpointRecord, type EndpointId, type EndpointRecord } from '../model/endpoint.ts';
import { freshStatus, parseEndpointStatus, statusKey, type EndpointStatus } from '../model/endpoint-status.ts';
import type { PostOutcome } from './post-events.ts';

export interface AttemptEnd {
  readonly outcome: PostOutcome;
  readonly startedMs: number;
  readonly endedMs: number;
  /** 0 ≤ … < 1 */
  readonly random: number;
}

type Put = StateChange['puts'][number];

/** `keys`: of the deliveries. A delivery that was removed in between is passed over. */
export async function settleAttempt(
  state: StateStore,
  endpoint: EndpointId,
  keys: readonly string[],
  end: AttemptEnd,
): Promise<void> {
  for (;;) {
    const [record, status, ...deliveries] = await Promise.all(
      [endpointKey(endpoint), statusKey(endpoint), ...keys].map((key) => state.get(key)),
    );
    if (record === undefined) return; // removed in between, with its deliveries
    const found = deliveries.flatMap((entry) => entry ?? []);
    const rows = found.map(({ value }) => moved(parseDeliveryRecord(value), end));
    const next = nextStatus(status === undefined ? freshStatus : parseEndpointStatus(status.value), end);
    const done = await state.commit({
      conditions: [
        { key: record.key, revision: record.revision },
        { key: statusKey(endpoint), revision: status?.revision ?? null },
        ...found.map(({ key, revision }) => ({ key, revision })),
      ],
      puts: [
        ...rows.flatMap(({ puts }) => puts),
        { key: statusKey(endpoint), value: { ...next } as unknown as JsonObject },
        ...(end.outcome.isGone ? [goneRow(record)] : []),
      ],
      deletes: rows.flatMap(({ deletes }) => deletes),
      // the state of an endpoint that ended must reach every cache
      quiet: !end.outcome.isGone,
    });
    if (done) return;
  }
}

function goneRow({ key, value }: StateEntry): Put {
  const record: EndpointRecord = { ...parseEndpointRecord(value), disabled: 'gone' };
  return { key, value: { ...record } as unknown as JsonObject };
}

interface Rows {
  readonly puts: readonly Put[];
  readonly deletes: readonly string[];
}

function moved(record: DeliveryRecord, end: AttemptEnd): Rows {
  const { outcome, startedMs, endedMs, random } = end;
  const attempt: DeliveryAttempt = {
    at: new Date(startedMs).toISOString(),
    status: outcome.status,
    milliseconds: Math.max(0, endedMs - startedMs),
    error: outcome.error,
  };
  const failures = outcome.error === null ? record.failures : record.failures + 1;
  const wait = outcome.error === null || outcome.isGone ? undefined : waitBeforeNext(failures, random, outcome.askedMs);
  const nextAt = wait === undefined ? null : new Date(endedMs + wait).toISOString();
  const next: DeliveryRecord = {
    ...record,
    state: outcome.error === null ? 'delivered' : nextAt === null ? 'failed' : 'pending',
    failures,
    attempts: [...record.attempts, attempt].slice(-keptAttempts),
    next_at: nextAt,
  };
  return rowsOf(record, next);
}

/** The rows of a delivery that becomes `next`. */
export function rowsOf(record: DeliveryRecord, next: DeliveryRecord): Rows {
  const former = record.next_at === null ? undefined : dueKey(record, record.next_at);
  const due = next.next_at === null ? undefined : dueKey(next, next.next_at);
  return {
    puts: [
      { key: deliveryKey(next), value: { ...next } as unknown as JsonObject },
      ...(due === undefined ? [] : [{ key: due, value: true }]),
    ],
    deletes: former === undefined || former === due ? [] : [former],
  };
}

function nextStatus(status: EndpointStatus, { outcome, endedMs }: AttemptEnd): EndpointStatus {
  const at = new Date(endedMs).toISOString();
  if (outcome.error === null) return { ...status, delivered_at: at, failures: 0, paused_until: null };
  const failures = status.failures + 1;
  const pauseMs = endpointPauseMs(failures, outcome.askedMs);
  const paused = pauseMs === 0 ? null : new Date(endedMs + pauseMs).toISOString();
  return { ...status, failed_at: at, error: outcome.error, failures, paused_until: paused };
}
