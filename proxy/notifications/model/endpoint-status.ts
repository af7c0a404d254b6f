// How an endpoint does: its last success, its last failure, and the pause after failures. Written with each attempt, in
// the commit that stores it.

import { isJsonObject, type JsonValue } from '../../../build/contract/json.ts';
import { malformedRecord } from '../../core/state/state-error.ts';
import type { StateStore } from '../../core/state/state-store.ts';
import type { EndpointId } from './endpoint.ts';

export interface EndpointStatus {
  /** RFC 3339 UTC; null: never */
  readonly delivered_at: string | null;
  readonly failed_at: string | null;
  /** of the last failure */
  readonly error: string | null;
  /** in a row */
  readonly failures: number;
  /** nothing is sent before this time; null: no pause */
  readonly paused_until: string | null;
}

export const freshStatus: EndpointStatus = {
  delivered_at: null,
  failed_at: null,
  error: null,
  failures: 0,
  paused_until: null,
};

export function statusKey(id: EndpointId): string {
  return `notify-status/${id}`;
}

/** Throws StateError for a value that is no status. */
export function parseEndpointStatus(value: JsonValue): EndpointStatus {
  const times = ['delivered_at', 'failed_at', 'error', 'paused_until'];
  if (
    isJsonObject(value) &&
    typeof value['failures'] === 'number' &&
    times.every((name) => value[name] === null || typeof value[name] === 'string')
  )
    return value as unknown as EndpointStatus;
  throw malformedRecord('The status of a notification endpoint');
}

export async function readStatus(state: Pick<StateStore, 'get'>, id: EndpointId): Promise<EndpointStatus> {
  const entry = await state.get(statusKey(id));
  return entry === undefined ? freshStatus : parseEndpointStatus(entry.value);
}
