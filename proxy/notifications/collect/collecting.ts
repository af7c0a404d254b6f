// What each source of events needs: the state, the clock, and the receivers. A source stores the rows of the receivers
// in the commit that moves its own cursor on. Events are therefore handed over (I22), and by one host alone.

import type { JsonObject, JsonValue } from '../../../build/contract/json.ts';
import type { RegistryEvent } from '../../events/registry-event.ts';
import type { StateChange, StateStore } from '../../core/state/state-store.ts';

/** The part of a commit that hands these events to all who are subscribed to them. */
export type Receive = (events: readonly RegistryEvent[]) => Promise<Pick<StateChange, 'conditions' | 'puts'>>;

export interface Collecting {
  readonly state: StateStore;
  readonly receive: Receive;
  /** epoch milliseconds */
  readonly now: () => number;
}

export interface CursorRow {
  readonly key: string;
  /** null: there is no row yet */
  readonly revision: number | null;
}

const eventsAtOnce = 200;

/**
 * Stores events with the cursor that they move. False: another process was faster, or an endpoint was removed; the next
 * look begins again with the stored cursor.
 */
export async function commitEvents(
  { state, receive }: Collecting,
  events: readonly RegistryEvent[],
  cursor: CursorRow,
  value: JsonObject,
  deletes: readonly string[] = [],
): Promise<boolean> {
  const { conditions, puts } = await receive(events);
  return state.commit({
    conditions: [{ key: cursor.key, revision: cursor.revision }, ...conditions],
    puts: [...puts, { key: cursor.key, value }],
    deletes,
    // not quiet: what must be sent has to survive the loss of a primary Redis
    quiet: puts.length === 0,
  });
}

/** In the order of the events, so many at once that a commit stays small. */
export function chunksOf<Item>(items: readonly Item[], size = eventsAtOnce): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
}

export const cursorPrefix = 'notify-cursor/';

/** The number in a field of a cursor's row; undefined: it has none. */
export function numberIn(value: JsonValue | undefined, name: string): number | undefined {
  const found =
    typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject)[name] : undefined;
  return typeof found === 'number' ? found : undefined;
}
