// How an endpoint does: its last success, its last failure, and the pause after failures. Written with each attempt, in
// the commit that stores it.

import { z } from 'zod';
import { rowParser, type RowOf } from '../../state/rows.ts';
import type { StateStore } from '../../core/state/state-store.ts';
import type { EndpointId } from './endpoint.ts';

const nullableText = z.string().nullable();

const endpointStatus = z.object({
  /** RFC 3339 UTC; null: never */
  delivered_at: nullableText,
  failed_at: nullableText,
  /** of the last failure */
  error: nullableText,
  /** in a row */
  failures: z.number(),
  /** nothing is sent before this time; null: no pause */
  paused_until: nullableText,
});
export type EndpointStatus = RowOf<typeof endpointStatus>;

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
export const parseEndpointStatus = rowParser(endpointStatus, 'The status of a notification endpoint');

export async function readStatus(state: Pick<StateStore, 'get'>, id: EndpointId): Promise<EndpointStatus> {
  const entry = await state.get(statusKey(id));
  return entry === undefined ? freshStatus : parseEndpointStatus(entry.value);
}
