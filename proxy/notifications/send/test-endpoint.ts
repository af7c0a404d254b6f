// The test of an endpoint: one event that says that it is a test, sent at once and not again. It appears in the list of
// deliveries. A receiver that wants nothing any more (410) ends nothing here: a person is looking.

import type { JsonObject } from '../../../build/contract/json.ts';
import { eventId, testType, type RegistryEvent } from '../../events/registry-event.ts';
import type { StateChange, StateStore } from '../../core/state/state-store.ts';
import { endpointKey, type EndpointId, type EndpointRecord, findEndpoint } from '../model/endpoint.ts';
import { readStatus, statusKey } from '../model/endpoint-status.ts';
import type { PostOutcome } from './post-events.ts';
import { deliveryKey, type DeliveryRecord } from '../model/delivery.ts';

export interface TestParts {
  readonly state: StateStore;
  readonly post: (endpoint: EndpointRecord, events: readonly RegistryEvent[]) => Promise<PostOutcome>;
  /** epoch milliseconds */
  readonly now: () => number;
}

/** Disabled endpoints are tested too. Throws NOT_FOUND. */
export async function testEndpoint({ state, post, now }: TestParts, text: string): Promise<DeliveryRecord> {
  const { record } = await findEndpoint(state, text);
  const startedMs = now();
  const at = new Date(startedMs).toISOString();
  const event: RegistryEvent = {
    id: eventId(testType, record.id, startedMs),
    type: testType,
    at,
    data: { endpoint_id: record.id, message: `The registry can reach “${record.name}”.` },
    subject: null,
  };
  const outcome = await post(record, [event]);
  const attempt = { at, status: outcome.status, milliseconds: Math.max(0, now() - startedMs), error: outcome.error };
  const delivery: DeliveryRecord = {
    endpoint: record.id,
    event,
    state: outcome.error === null ? 'delivered' : 'failed',
    failures: outcome.error === null ? 0 : 1,
    attempts: [attempt],
    next_at: null,
    created_at: at,
  };
  // the endpoint may have been removed while its receiver thought
  const { revision } = await findEndpoint(state, text);
  await state.commit({
    conditions: [{ key: endpointKey(record.id), revision }],
    puts: [
      { key: deliveryKey(delivery), value: { ...delivery } as unknown as JsonObject },
      ...(outcome.error === null ? [await healthyStatus(state, record.id, now())] : []),
    ],
    deletes: [],
    quiet: true,
  });
  return delivery;
}

/** After a test that arrived, what waits is sent at once. */
async function healthyStatus(state: StateStore, id: EndpointId, nowMs: number): Promise<StateChange['puts'][number]> {
  const status = await readStatus(state, id);
  const value = { ...status, delivered_at: new Date(nowMs).toISOString(), failures: 0, paused_until: null };
  return { key: statusKey(id), value };
}
