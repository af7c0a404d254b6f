// An endpoint, and its deliveries, in the management API and in `--json`: without secrets.

import type { StateStore } from '../../core/state/state-store.ts';
import { duePrefix, type DeliveryRecord } from '../model/delivery.ts';
import { isValidAt } from '../../hooks/hook-record.ts';
import type { EndpointRecord } from '../model/endpoint.ts';
import { readStatus } from '../model/endpoint-status.ts';
import type { DeliveryDocument, EndpointDocument } from './endpoint-schema.ts';

/** More waiting deliveries are not counted. */
export const mostCounted = 1000;

export async function endpointDocument(
  state: Pick<StateStore, 'get' | 'range'>,
  record: EndpointRecord,
  nowMs: number,
): Promise<EndpointDocument> {
  const { id, name, form, shown_url, events, packages, stability, view, scheme, disabled, secrets } = record;
  const [status, due] = await Promise.all([readStatus(state, id), state.range(duePrefix(id), { limit: mostCounted })]);
  const valid = secrets.filter((secret) => isValidAt(secret, nowMs));
  return {
    id,
    name,
    form,
    url: shown_url,
    events,
    packages,
    stability,
    view,
    signature: form === 'standard' ? scheme : null,
    secrets: valid.map(({ id: secret, created_at, ends_at, public_key }) => ({
      id: secret,
      created_at,
      ends_at,
      public_key,
    })),
    enabled: disabled === null,
    disabled_reason: disabled,
    waiting: due.length,
    failures: status.failures,
    last_delivered_at: status.delivered_at,
    last_failed_at: status.failed_at,
    last_error: status.failures === 0 ? null : status.error,
    paused_until: status.paused_until !== null && Date.parse(status.paused_until) > nowMs ? status.paused_until : null,
    created_at: record.created_at,
    created_by: record.created_by,
    updated_at: record.updated_at,
  };
}

export function deliveryDocument({ event, state, attempts, next_at }: DeliveryRecord): DeliveryDocument {
  return { id: event.id, type: event.type, at: event.at, state, attempts, next_at, data: event.data };
}
