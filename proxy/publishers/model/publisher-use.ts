// How often a publisher's jobs exchanged their ID token in the current hour, and the last of these jobs. Counted by
// publisher, because a loop of exchanges gets a new token each time.

import { isJsonObject, type JsonValue } from '../../../build/contract/json.ts';
import { parsePublishedFrom, type PublishedFrom } from '../../artifacts/published-from.ts';
import { malformedRecord } from '../../core/state/state-error.ts';
import type { PublisherId } from './publisher.ts';

export interface PublisherUse {
  readonly used: number;
  /** when the window of the count ends, epoch milliseconds */
  readonly ends_ms: number;
  readonly last_at: string;
  readonly last: PublishedFrom;
}

export const hourMs = 3_600_000;
export const publisherUsePrefix = 'publisher-use/';

export function publisherUseKey(id: PublisherId): string {
  return `${publisherUsePrefix}${id}`;
}

/** Throws StateError for a malformed row. */
export function parsePublisherUse(value: JsonValue): PublisherUse {
  const { used, ends_ms, last_at, last = null } = isJsonObject(value) ? value : {};
  if (typeof used === 'number' && typeof ends_ms === 'number' && typeof last_at === 'string')
    return { used, ends_ms, last_at, last: parsePublishedFrom(last) };
  throw malformedRecord('The count of a trusted publisher');
}

/** The exchanges of the current window. A clock that was set back makes no window longer than an hour. */
export function windowAt(
  use: PublisherUse | undefined,
  nowMs: number,
): { readonly used: number; readonly endsMs: number } {
  if (use === undefined || nowMs >= use.ends_ms) return { used: 0, endsMs: nowMs + hourMs };
  return { used: use.used, endsMs: Math.min(use.ends_ms, nowMs + hourMs) };
}
