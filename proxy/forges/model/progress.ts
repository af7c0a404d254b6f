// How far the refresh of a connection is: a row of the state, so that a killed refresh goes on where it stopped, on any
// host. The rows of the pages keep what a conditional request needs.

import { isJsonObject, type JsonValue } from '../../../build/contract/json.ts';
import { malformedRecord } from '../../core/state/state-error.ts';
import type { ConnectionId, ForgeId } from '../../sync/forge-place.ts';

/** `idle`: no refresh has begun, or the last one ended. `missing`: it asks for repositories that were not listed. */
export const refreshPhases = ['idle', 'listing', 'missing'] as const;
export type RefreshPhase = (typeof refreshPhases)[number];

/** The repositories of a connection by their state, at the end of the last refresh. */
export interface ConnectionCounts {
  readonly registered: number;
  readonly archived: number;
  readonly removed: number;
  readonly skipped: number;
}

export interface RefreshProgress {
  readonly phase: RefreshPhase;
  /** the number of the page that is asked next, from 0 */
  readonly page: number;
  /** its query; null: the first page */
  readonly query: string | null;
  /** RFC 3339 UTC, as all times here: the end of the last complete refresh; null: there was none */
  readonly finished_at: string | null;
  /** when the next step is due */
  readonly next_at: string;
  /** why the last step failed; null: it succeeded */
  readonly error: string | null;
  /** failures in a row */
  readonly failures: number;
  readonly counts: ConnectionCounts;
  /** the webhook of the owner: `installed`; `refused`: each repository has its own; null: not tried yet */
  readonly owner_hook: 'installed' | 'refused' | null;
  /** why the last webhook could not be installed */
  readonly hook_error: string | null;
}

export interface RememberedPage {
  readonly query: string | null;
  readonly etag: string | null;
  /** the query of the next page; null: it was the last one */
  readonly next: string | null;
  readonly ids: readonly ForgeId[];
  /** from this time on the page is asked unconditionally, because its repositories are due */
  readonly fresh_until: string;
}

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
export function parseProgress(value: JsonValue): RefreshProgress {
  if (isJsonObject(value)) {
    const { phase, page, query, finished_at: finished, next_at: next, error, failures, counts } = value;
    const isText = (text: JsonValue | undefined): boolean => text === null || typeof text === 'string';
    const isWhole = [page, failures].every((number) => Number.isSafeInteger(number));
    const isPhase = refreshPhases.some((one) => one === phase);
    const texts = [query, finished, error, value['owner_hook'], value['hook_error']].every(isText);
    if (isPhase && isWhole && texts && typeof next === 'string' && isJsonObject(counts))
      return value as unknown as RefreshProgress;
  }
  throw malformedRecord('The progress of a connection');
}

/** A row as stored. Throws StateError for another value. */
export function parsePage(value: JsonValue): RememberedPage {
  if (isJsonObject(value) && Array.isArray(value['ids']) && typeof value['fresh_until'] === 'string')
    return value as unknown as RememberedPage;
  throw malformedRecord('A page of a connection');
}
