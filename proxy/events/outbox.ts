// Events that are stored in the commit of the change that they tell about. They wait here until they are handed to
// their receivers. An event is therefore neither lost by a kill, nor sent for a change that did not happen.

import type { JsonObject } from '../../build/contract/json.ts';
import type { StateStore } from '../core/state/state-store.ts';
import { eventId, type EventSubject, type EventType, type RegistryEvent } from './registry-event.ts';

export const outboxPrefix = 'event-outbox/';

/** The rows of one subject: no more than this many wait while no server hands them on. */
const mostWaiting = 20;

export interface OutboxChange {
  readonly puts: readonly { readonly key: string; readonly value: JsonObject }[];
  readonly deletes: readonly string[];
}

export interface OutboxEvent {
  readonly type: EventType;
  /** id of the changed object, such as `repo_…` */
  readonly subject: string;
  readonly atMs: number;
  readonly data: JsonObject;
  /** the package that it tells about; default: none */
  readonly about?: EventSubject | null;
}

/** The part of a commit that stores an event, and removes older ones of its subject that nobody took. */
export async function storeEvent(
  state: Pick<StateStore, 'range'>,
  { type, subject, atMs, data, about = null }: OutboxEvent,
): Promise<OutboxChange> {
  const prefix = `${outboxPrefix}${subject}/`;
  const waiting = await state.range(prefix);
  const surplus = waiting.slice(0, Math.max(0, waiting.length + 1 - mostWaiting)).map(({ key }) => key);
  const id = eventId(type, subject, atMs);
  const event: RegistryEvent = { id, type, at: new Date(atMs).toISOString(), data, subject: about };
  const key = `${prefix}${String(atMs).padStart(15, '0')}-${id}`;
  return {
    puts: [{ key, value: { ...event } as unknown as JsonObject }],
    deletes: surplus.filter((one) => one !== key),
  };
}
