// The request of a terminal to sign a person in, as the state stores it for ten minutes. The state has only hashes of
// its codes.

import { z } from 'zod';
import type { JsonValue } from '../../build/contract/json.ts';
import { isUserId, type UserId } from '../core/tokens/person.ts';
import { malformedRecord } from '../core/state/state-error.ts';
import { rowParser, type RowOf } from '../state/rows.ts';

/** The one client, which this program ships. */
export const clientId = 'libretto-cli';

export const requestMs = 600_000;
export const standardInterval = 5;
export const longestInterval = 60;
export const standardDays = 30;
export const longestDays = 90;
export const longestMachine = 100;

const signInRequest = z.strictObject({
  client_id: z.string(),
  /** hex SHA-256 of the code that the person types */
  user_code: z.string().regex(/^[0-9a-f]{64}$/),
  /** what the terminal says of its machine; anybody can say anything */
  machine: z.string(),
  /** lifetime of the token */
  days: z.number().int().min(1).max(longestDays),
  /** the client address of the terminal */
  address: z.string(),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
  /** seconds that the terminal waits between two questions */
  interval: z.number().int().min(1),
  /** epoch milliseconds; null: it did not ask yet */
  asked_ms: z.number().nullable(),
  /** null: the person did not decide yet */
  decision: z.strictObject({ by: z.custom<UserId>(isUserId), approved: z.boolean(), at: z.iso.datetime() }).nullable(),
});
export type SignInRequest = RowOf<typeof signInRequest>;

/** Throws StateError for a malformed row. */
export const parseSignInRequest = rowParser(signInRequest, 'The request of a terminal to sign in');

export const requestPrefix = 'device-request/';

/** `hash`: of the device code. */
export function requestKey(hash: string): string {
  return `${requestPrefix}${hash}`;
}

/** The key of the row that leads from the hash of the user code to the hash of the device code. */
export function userCodeKey(hash: string): string {
  return `device-code/${hash}`;
}

/** Throws StateError for a malformed row. */
export function parseCodePointer(value: JsonValue): string {
  if (typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)) return value;
  throw malformedRecord('A row that leads to the request of a terminal');
}

export function isOver({ expires_at }: Pick<SignInRequest, 'expires_at'>, nowMs: number): boolean {
  return nowMs >= Date.parse(expires_at);
}
