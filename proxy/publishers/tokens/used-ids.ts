// The ids of the exchanged ID tokens, so that each works once. A row stays until its ID token has expired everywhere.

import type { JsonValue } from '../../../build/contract/json.ts';
import { parseTimeRow } from '../../state/rows.ts';
import { leewayMs } from './verify-id-token.ts';

export const usedIdPrefix = 'oidc-jti/';

/** `onceId`: the hash of the issuer and the id. */
export function usedIdKey(onceId: string): string {
  return `${usedIdPrefix}${onceId}`;
}

/** The time until which the row is needed. The clocks of several hosts may differ by the leeway, too. */
export function usedIdValue(expiresMs: number): string {
  return new Date(Math.ceil(expiresMs) + 2 * leewayMs).toISOString();
}

/** Epoch milliseconds. Throws StateError for a value that is no time. */
export function parseUsedId(value: JsonValue): number {
  return parseTimeRow(value, 'The id of an exchanged ID token');
}
