// The record of a token in the state: everything except its secret text.

import type { Branded } from '../../../build/contract/brand.ts';
import { isJsonObject, type JsonValue } from '../../../build/contract/json.ts';
import { idsOf } from '../../../build/shared/text/base62.ts';
import { malformedRecord } from '../state/state-error.ts';
import { noLimits, parseLimits, type TokenLimits } from '../views/token-limits.ts';
import type { TokenHash, TokenKind } from './token-format.ts';
import { isUserId, type UserId } from './person.ts';

/** `tok_` and 16 base62 characters. It is no secret, and names a token in lists, logs and the audit log. */
export type TokenId = Branded<string, 'TokenId'>;

export interface TokenRecord extends TokenLimits {
  readonly id: TokenId;
  readonly description: string;
  /** never changes: a token that grows rights would do so in every place it was copied to */
  readonly kind: TokenKind;
  /** requests an hour; 0 = unlimited; null = the default of its kind at the time of the request */
  readonly limit: number | null;
  /** RFC 3339 UTC, as all times here */
  readonly created_at: string;
  readonly created_by: string;
  /** the person whose token it is: it has their role and their view, and ends with them; absent: it is nobody's */
  readonly person?: UserId;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  readonly hash: TokenHash;
  /** the hash that it had in another registry, also after a rotation */
  readonly foreign_hash?: TokenHash;
  /** the hash of the secret before the last rotation, valid until `previous_expires_at` */
  readonly previous_hash: TokenHash | null;
  readonly previous_expires_at: string | null;
}

/** Requests an hour, unless the operator sets another limit (service interface, section Limits). */
export const defaultLimits: Readonly<Record<TokenKind, number>> = { read: 1000, write: 500 };

/** The limit in force: requests an hour, 0 = unlimited. */
export function effectiveLimit(
  token: Pick<TokenRecord, 'kind' | 'limit'>,
  defaults: Readonly<Record<TokenKind, number>> = defaultLimits,
): number {
  return token.limit ?? defaults[token.kind];
}

/**
 * `revoked` and `expired` tokens are invalid; `nowMs` in epoch milliseconds. A token is expired from the instant
 * `expires_at` on.
 */
export function tokenStatus(
  token: Pick<TokenRecord, 'expires_at' | 'revoked_at'>,
  nowMs: number,
): 'active' | 'expired' | 'revoked' {
  if (token.revoked_at !== null) return 'revoked';
  return token.expires_at !== null && nowMs >= Date.parse(token.expires_at) ? 'expired' : 'active';
}

/** True for a token that a CI job got for its ID token. */
export function isOfPublisher({ created_by: author }: Pick<TokenRecord, 'created_by'>): boolean {
  return author.startsWith('publisher:');
}

/**
 * True for a token that can only be revoked: a CI job or a person has it, and it keeps the rights that it came with.
 */
export function isFixed(record: Pick<TokenRecord, 'created_by' | 'person'>): boolean {
  return record.person !== undefined || isOfPublisher(record);
}

const dayMs = 86_400_000;
/** The end of a token is near twice: so many days before it. */
const nearDays = [2, 14] as const;

/**
 * So near is the end of an active token that somebody should change it: 2 or 14 days. undefined: it is further away, the
 * token was made for a shorter time, or its holder gets the next one without anybody.
 */
export function daysBeforeEnd(record: TokenRecord, nowMs: number): (typeof nearDays)[number] | undefined {
  if (record.expires_at === null || isFixed(record) || tokenStatus(record, nowMs) !== 'active') return undefined;
  const [endMs, madeMs] = [Date.parse(record.expires_at), Date.parse(record.created_at)];
  return nearDays.find((days) => nowMs >= endMs - days * dayMs && endMs - madeMs > days * dayMs);
}

export const { mint: mintTokenId, is: isTokenId, parse: parseTokenId } = idsOf<TokenId>('tok');

export const tokenKeyPrefix = 'token/';

export function tokenKey(id: TokenId): string {
  return `${tokenKeyPrefix}${id}`;
}

/** The key of the row that leads from a token's hash to its id. */
export function tokenHashKey(hash: TokenHash): string {
  return `token-hash/${hash}`;
}

/** Rows of secrets that other registries made: texts without the form of a token are looked up while such rows exist. */
export const foreignSecretPrefix = 'token-foreign/';

export function foreignSecretKey(hash: TokenHash): string {
  return `${foreignSecretPrefix}${hash}`;
}

/** The token id that a hash leads to. Throws StateError for a value that is no token id. */
export function parseTokenPointer(value: JsonValue): TokenId {
  if (!isTokenId(value)) throw malformedRecord('A row that leads to a token');
  return value;
}

/**
 * A record as stored. Throws for any other value: another program wrote the state, and its rows must not grant access.
 */
export function parseTokenRecord(value: JsonValue): TokenRecord {
  // a record of before rotation existed has no former secret; one of before there were views sees all
  const record = isJsonObject(value)
    ? { previous_hash: null, previous_expires_at: null, ...noLimits, ...value }
    : undefined;
  if (record !== undefined && isRecord(record)) return record;
  throw malformedRecord('A token record');
}

function isRecord(value: object): value is TokenRecord {
  const record = value as Partial<Record<keyof TokenRecord, unknown>>;
  const texts = [record.id, record.description, record.created_at, record.created_by, record.hash];
  const times = [record.expires_at, record.revoked_at, record.previous_expires_at].every(
    (time) => time === null || (typeof time === 'string' && !Number.isNaN(Date.parse(time))),
  );
  const limit = record.limit === null || (Number.isSafeInteger(record.limit) && (record.limit as number) >= 0);
  const limits = 'limits' in parseLimits(record);
  return (
    limits &&
    isPersonsOrNobodys(record) &&
    texts.every((text) => typeof text === 'string') &&
    (record.kind === 'read' || record.kind === 'write') &&
    (record.previous_hash === null || typeof record.previous_hash === 'string') &&
    times &&
    limit
  );
}

/** A token of a person only reads, and the person alone decides about its view. */
function isPersonsOrNobodys({ person, kind, packages }: Partial<Record<keyof TokenRecord, unknown>>): boolean {
  if (person === undefined) return true;
  return isUserId(person) && kind === 'read' && packages === null;
}
