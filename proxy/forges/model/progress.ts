// How far the refresh of a connection is: a row of the state, so that a killed refresh goes on where it stopped, on any
// host. The rows of the pages keep what a conditional request needs.

import { z } from 'zod';
import { rowParser, type RowOf } from '../../state/rows.ts';
import type { ConnectionId, ForgeId } from '../../sync/forge-place.ts';

/** `idle`: no refresh has begun, or the last one ended. `missing`: it asks for repositories that were not listed. */
export const refreshPhases = ['idle', 'listing', 'missing'] as const;
/** The repositories of a connection by their state, at the end of the last refresh. */
export interface ConnectionCounts {
  readonly registered: number;
  readonly archived: number;
  readonly removed: number;
  readonly skipped: number;
}

const refreshProgress = z.object({
  phase: z.enum(refreshPhases),
  /** the number of the page that is asked next, from 0 */
  page: z.number().int(),
  /** its query; null: the first page */
  query: z.string().nullable(),
  /** RFC 3339 UTC, as all times here: the end of the last complete refresh; null: there was none */
  finished_at: z.string().nullable(),
  /** when the next step is due */
  next_at: z.string(),
  /** why the last step failed; null: it succeeded */
  error: z.string().nullable(),
  /** failures in a row */
  failures: z.number().int(),
  counts: z.custom<ConnectionCounts>((value) => typeof value === 'object' && value !== null),
  /** the webhook of the owner: `installed`; `refused`: each repository has its own; null: not tried yet */
  owner_hook: z.enum(['installed', 'refused']).nullable(),
  /** why the last webhook could not be installed */
  hook_error: z.string().nullable(),
});
export type RefreshProgress = RowOf<typeof refreshProgress>;

const rememberedPage = z.object({
  query: z.string().nullable(),
  etag: z.string().nullable(),
  /** the query of the next page; null: it was the last one */
  next: z.string().nullable(),
  ids: z.array(z.custom<ForgeId>((value) => typeof value === 'string')),
  /** from this time on the page is asked unconditionally, because its repositories are due */
  fresh_until: z.string(),
});
export type RememberedPage = RowOf<typeof rememberedPage>;

export function progressKey(id: ConnectionId): string {
  return `connection-progress/${id}`;
}

export function pagePrefix(id: ConnectionId): string {
  return `connection-page/${id}/`;
}

/** Padded, so that keys sort as numbers. */
export function pageKey(id: ConnectionId, page: number): string {
  return `${pagePrefix(id)}${String(page).padStart(6, '0')}`;
}

/** Of a connection that was never refreshed: it is due at once. */
export const firstProgress: RefreshProgress = {
  phase: 'idle',
  page: 0,
  query: null,
  finished_at: null,
  next_at: '1970-01-01T00:00:00.000Z',
  error: null,
  failures: 0,
  counts: { registered: 0, archived: 0, removed: 0, skipped: 0 },
  owner_hook: null,
  hook_error: null,
};

/** A row as stored. Throws StateError for another value. */
export const parseProgress = rowParser(refreshProgress, 'The progress of a connection');

/** A row as stored. Throws StateError for another value. */
export const parsePage = rowParser(rememberedPage, 'A page of a connection');
