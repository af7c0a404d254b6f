// How often a publisher's jobs exchanged their ID token in the current hour, and the last of these jobs. Counted by
// publisher, because a loop of exchanges gets a new token each time.

import { z } from 'zod';
import { publishedFromSchema } from '../../artifacts/published-from.ts';
import { rowParser, type RowOf } from '../../state/rows.ts';
import type { PublisherId } from './publisher.ts';

const publisherUse = z.object({
  used: z.number(),
  /** when the window of the count ends, epoch milliseconds */
  ends_ms: z.number(),
  last_at: z.string(),
  last: publishedFromSchema,
});
export type PublisherUse = RowOf<typeof publisherUse>;

export const hourMs = 3_600_000;
export const publisherUsePrefix = 'publisher-use/';

export function publisherUseKey(id: PublisherId): string {
  return `${publisherUsePrefix}${id}`;
}

/** Throws StateError for a malformed row. */
export const parsePublisherUse = rowParser(publisherUse, 'The count of a trusted publisher');

/** The exchanges of the current window. A clock that was set back makes no window longer than an hour. */
export function windowAt(
  use: PublisherUse | undefined,
  nowMs: number,
): { readonly used: number; readonly endsMs: number } {
  if (use === undefined || nowMs >= use.ends_ms) return { used: 0, endsMs: nowMs + hourMs };
  return { used: use.used, endsMs: Math.min(use.ends_ms, nowMs + hourMs) };
}
