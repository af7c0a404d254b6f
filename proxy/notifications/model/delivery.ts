// A delivery: one event for one endpoint, with its attempts. A second row says when the next attempt is due.

import { z } from 'zod';
import type { JsonObject, JsonValue } from '../../../build/contract/json.ts';
import { parseEvent, type RegistryEvent } from '../../events/registry-event.ts';
import { rowParser, type RowOf } from '../../state/rows.ts';
import type { EndpointId } from './endpoint.ts';

/** `hidden`: the limits of the endpoint's token changed, and do not show the event any more. */
export const deliveryStates = ['pending', 'delivered', 'failed', 'hidden'] as const;
export interface DeliveryAttempt {
  /** RFC 3339 UTC */
  readonly at: string;
  /** of the receiver's answer; null: there was none */
  readonly status: number | null;
  readonly milliseconds: number;
  /** why it failed; null: it was delivered */
  readonly error: string | null;
}

const deliveryRecord = z.object({
  endpoint: z.custom<EndpointId>((value) => typeof value === 'string'),
  event: z.custom<RegistryEvent>((value) => Boolean(parseEvent(value as JsonValue))),
  state: z.enum(deliveryStates),
  /** of the present series: a replay starts another one */
  failures: z.number(),
  /** the last ones, oldest first */
  attempts: z.array(z.custom<DeliveryAttempt>()),
  /** when the next attempt is due; null: none is */
  next_at: z.string().nullable(),
  /** when the event was handed to the endpoint */
  created_at: z.string(),
});
export type DeliveryRecord = RowOf<typeof deliveryRecord>;

export const keptAttempts = 12;

export const deliveryFamily = 'notify-delivery/';
export const dueFamily = 'notify-due/';

export function deliveryPrefix(endpoint: EndpointId): string {
  return `${deliveryFamily}${endpoint}/`;
}

export function duePrefix(endpoint: EndpointId): string {
  return `${dueFamily}${endpoint}/`;
}

/** Orders the deliveries of an endpoint by the time of their events. */
export function deliveryKey({ endpoint, event }: Pick<DeliveryRecord, 'endpoint' | 'event'>): string {
  return `${deliveryPrefix(endpoint)}${placeOf(event)}`;
}

/** Orders waiting deliveries by the time of their next attempt. */
export function dueKey({ endpoint, event }: Pick<DeliveryRecord, 'endpoint' | 'event'>, nextAt: string): string {
  return `${duePrefix(endpoint)}${millis(Date.parse(nextAt))}-${placeOf(event)}`;
}

/** The time of a due row, epoch milliseconds, and the key of its delivery. */
export function parseDueKey(endpoint: EndpointId, key: string): { readonly atMs: number; readonly delivery: string } {
  const rest = key.slice(duePrefix(endpoint).length);
  return { atMs: Number(rest.slice(0, 15)), delivery: `${deliveryPrefix(endpoint)}${rest.slice(16)}` };
}

function placeOf({ at, id }: RegistryEvent): string {
  return `${millis(Date.parse(at))}-${id}`;
}

function millis(ms: number): string {
  return String(ms).padStart(15, '0');
}

interface Rows {
  readonly puts: readonly { readonly key: string; readonly value: JsonValue }[];
}

/** The rows of a delivery that waits for its first attempt, or for another series of attempts. */
export function waitingRows(record: DeliveryRecord & { readonly next_at: string }): Rows {
  return {
    puts: [
      { key: deliveryKey(record), value: { ...record } as unknown as JsonObject },
      { key: dueKey(record, record.next_at), value: true },
    ],
  };
}

/** Throws StateError for a value that is no delivery. */
export const parseDeliveryRecord = rowParser(deliveryRecord, 'The record of a delivery');
