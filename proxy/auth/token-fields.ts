// Checks the fields of a token before a record stores them. Every function throws a TokenError for the person who gave
// the field.

import type { JsonObject } from '../../build/contract/json.ts';
import { limitNames, parseLimits, uselessConstraints, type TokenLimits } from '../core/views/token-limits.ts';
import { assertExpiry } from './expiry.ts';
import { TokenError } from './token-error.ts';
import { isOfPublisher, type TokenId, type TokenRecord } from '../core/tokens/token.ts';
import type { TokenKind } from '../core/tokens/token-format.ts';
import type { UserId } from '../core/tokens/person.ts';
import type { FieldFault } from '../../build/contract/errors.ts';

/** The given fields as a record keeps them. */
export function checkedFields(
  { description, limit, expiresAt, limits = {} }: TokenPatch,
  nowMs: number,
): Partial<Pick<TokenRecord, 'description' | 'limit' | 'expires_at'> & TokenLimits> {
  return {
    ...checkedLimits(limits),
    ...(description === undefined ? {} : { description: checkedDescription(description) }),
    ...(limit === undefined ? {} : { limit: checkedLimit(limit) }),
    ...(expiresAt === undefined
      ? {}
      : { expires_at: expiresAt === null ? null : assertExpiry(expiresAt, nowMs).toISOString() }),
  };
}

function checkedLimits(given: Readonly<Record<string, unknown>>): Partial<TokenLimits> {
  const parsed = parseLimits(given);
  if ('limits' in parsed) return parsed.limits;
  throw viewInvalid(parsed.issues);
}

/** Checks the limits together, after each was checked alone. */
export function assertUseful(limits: TokenLimits): void {
  const issues = uselessConstraints(limits);
  if (issues.length > 0) throw viewInvalid(issues);
}

function viewInvalid(issues: readonly FieldFault[]): TokenError {
  return new TokenError('VIEW_INVALID', issues.map(({ path, message }) => `${path}: ${message}`).join('\n'), issues);
}

/** The fields that set a limit. */
export function givenLimits(record: TokenLimits): JsonObject {
  return Object.fromEntries(
    limitNames.flatMap((name) => (record[name] === null ? [] : [[name, record[name]]])),
  ) as JsonObject;
}

/** The description in its stored form. Throws TokenError DESCRIPTION_INVALID. */
export function checkedDescription(text: string): string {
  const trimmed = text.trim();
  if (trimmed === '') throw new TokenError('DESCRIPTION_INVALID', 'A token needs a description: its user and purpose.');
  if (trimmed.length > 200)
    throw new TokenError(
      'DESCRIPTION_INVALID',
      `The description is ${trimmed.length} characters long; at most 200 are kept.`,
    );
  if (/\p{Cc}/u.test(trimmed))
    throw new TokenError('DESCRIPTION_INVALID', 'The description must be one line without control characters.');
  return trimmed;
}

function checkedLimit(limit: number | null): number | null {
  if (limit === null || (Number.isSafeInteger(limit) && limit >= 0)) return limit;
  throw new TokenError(
    'LIMIT_INVALID',
    `The limit must be a whole number of requests an hour, 0 for unlimited; it is ${limit}.`,
  );
}

export interface TokenDraft {
  /** left out: a new one. A given id makes a repeated call harmless: the second is refused with TOKEN_EXISTS. */
  readonly id?: TokenId;
  /** 1 to 200 characters on one line: the user of the token, and its purpose */
  readonly description: string;
  readonly kind: TokenKind;
  /** left out: the token is nobody's. The state must not change this person before the commit of the token */
  readonly person?: UserId;
  /** requests an hour, a whole number; 0 = unlimited; null or left out = the default of the kind */
  readonly limit?: number | null;
  /** null: never; left out: `standardExpiry` */
  readonly expiresAt?: Date | null;
  /** the limits of the token, checked here (views/token-limits.ts); null or missing: unlimited */
  readonly limits?: Readonly<Partial<Record<keyof TokenLimits, unknown>>>;
}

/** An absent field stays unchanged. The kind never changes: create another token. */
export type TokenPatch = Partial<Omit<TokenDraft, 'id' | 'kind' | 'person'>>;

/**
 * Throws TOKEN_OF_PUBLISHER: such a token ends within the hour, and keeps the rights that its job had. Throws
 * TOKEN_OF_PERSON: its rights are those of the person, and nobody else has its secret.
 */
export function assertChangeable({
  id,
  created_by: author,
  person,
}: Pick<TokenRecord, 'id' | 'created_by' | 'person'>): void {
  if (person !== undefined)
    throw new TokenError(
      'TOKEN_OF_PERSON',
      `The token ${id} belongs to the person ${person}, who got it by \`libretto login\`. It cannot be changed. Revoke ` +
        'it; the person then runs `libretto login` again.',
    );
  if (!isOfPublisher({ created_by: author })) return;
  throw new TokenError(
    'TOKEN_OF_PUBLISHER',
    `The token ${id} belongs to a CI job of a trusted publisher, and cannot be changed. Revoke it, or change the ` +
      `publisher ${author.slice('publisher:'.length)}.`,
  );
}
