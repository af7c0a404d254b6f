// Events about things that are newly there: an abandoned package, a version that was left out, an advisory, a token
// that ends. The state remembers the things that were there at the last look. The first look remembers, and tells
// only what surely came after the first endpoint.

import { isJsonObject, type JsonObject, type JsonValue } from '../../../build/contract/json.ts';
import type { RegistryEvent } from '../../events/registry-event.ts';
import { listEndpoints } from '../model/endpoint.ts';
import { chunksOf, commitEvents, cursorPrefix, type Collecting } from './collecting.ts';

export interface Noticed {
  /** names the thing: equal for the same thing at every look */
  readonly id: string;
  readonly event: () => RegistryEvent;
  /** when it came, epoch milliseconds; absent: unknown */
  readonly cameMs?: number;
}

/**
 * Hands over the events of things that are new since the last look, and remembers all that are there. `isGone`: true
 * for a remembered id that the present list would name if the thing were still there.
 */
export async function collectNew(
  collecting: Collecting,
  kind: string,
  present: readonly Noticed[],
  isGone: (id: string) => boolean = () => true,
): Promise<void> {
  const key = `${cursorPrefix}${kind}`;
  const ids = new Set(present.map(({ id }) => id));
  for (;;) {
    const entry = await collecting.state.get(key);
    const stored = entry === undefined ? undefined : parseKnown(entry.value);
    const known = stored ?? (await beforeEndpoints(collecting, present));
    const added = present.filter(({ id }) => !known.has(id));
    const [chunk = []] = chunksOf(added);
    const isLast = chunk.length === added.length;
    const stays = [...known].filter((id) => ids.has(id) || !isGone(id));
    const next = isLast ? [...new Set([...stays, ...ids])] : [...stays, ...chunk.map(({ id }) => id)];
    if (stored !== undefined && added.length === 0 && next.length === known.size) return;
    const value: JsonObject = { known: next.toSorted() };
    const events = chunk.map(({ event }) => event());
    const done = await commitEvents(collecting, events, { key, revision: entry?.revision ?? null }, value);
    // otherwise another commit came between: the things are still new, and looked at again
    if (done && isLast) return;
  }
}

/** What did not surely come after the first endpoint. `published-time` has whole seconds: its second counts as after. */
async function beforeEndpoints({ state }: Collecting, present: readonly Noticed[]): Promise<ReadonlySet<string>> {
  const [first] = await listEndpoints(state);
  const sinceMs = first === undefined ? Number.POSITIVE_INFINITY : Date.parse(first.created_at) - 999;
  const before = present.filter(({ cameMs = Number.NEGATIVE_INFINITY }) => cameMs < sinceMs);
  return new Set(before.map(({ id }) => id));
}

/** A row that another version wrote otherwise counts as none: the next look remembers anew. */
function parseKnown(value: JsonValue): ReadonlySet<string> | undefined {
  const known = isJsonObject(value) ? value['known'] : undefined;
  return Array.isArray(known) ? new Set(known.filter((id) => typeof id === 'string')) : undefined;
}
