// The fields of the forms that make and edit a token: from the form to the token service, and from a token to the form.
// Pure.

import { parseExpiry, standardExpiry } from '../../../auth/expiry.ts';
import { TokenError } from '../../../auth/token-error.ts';
import { checkedDescription, type TokenPatch } from '../../../auth/token-fields.ts';
import type { TokenKind } from '../../../core/tokens/token-format.ts';
import type { TokenId, TokenRecord } from '../../../core/tokens/token.ts';
import type { TokenLimits } from '../../../core/views/token-limits.ts';
import { fieldFaults, type FormFields } from '../../request/form-fields.ts';
import { fieldsOfLimits, limitsOfFields } from './limit-fields.ts';
import type { FieldFault } from '../../../../build/contract/errors.ts';

export interface DraftFields {
  readonly description: string;
  readonly kind: TokenKind;
  /** requests an hour; null: the default of the kind */
  readonly limit: number | null;
  /** null: never; undefined: as it is */
  readonly expiresAt: Date | null | undefined;
  readonly limits: TokenLimits;
}

/** The choices of the expiry with a meaning of their own; every other one is a span such as `90d`. */
export const expiryChoices = { keep: 'keep', never: 'never', date: 'date' } as const;

/** What the fields of a new token begin with, by its purpose. */
export const purposes = {
  ci: { label: 'CI', example: 'CI of acme/shop', fields: {} },
  customer: {
    label: 'Customer',
    example: 'Contoso, licence of 2027',
    fields: { expires: '365d', stability: 'stable' },
  },
  person: { label: 'Person', example: 'The laptop of Ada', fields: { expires: '30d' } },
} as const;
export type Purpose = keyof typeof purposes;

export function purposeOf(text: string | null): Purpose {
  return text !== null && Object.hasOwn(purposes, text) ? (text as Purpose) : 'ci';
}

/** The fields of a new token. `id`: of the token that the form makes. */
export function newFields(id: TokenId, purpose: string | null): URLSearchParams {
  return new URLSearchParams({
    id,
    for: purposeOf(purpose),
    kind: 'read',
    expires: standardExpiry,
    ...purposes[purposeOf(purpose)].fields,
  });
}

export function fieldsOfToken(record: TokenRecord): URLSearchParams {
  return new URLSearchParams([
    ['description', record.description],
    ['kind', record.kind],
    ['rate_limit', record.limit === null ? '' : String(record.limit)],
    ['expires', record.expires_at === null ? expiryChoices.never : expiryChoices.keep],
    ...fieldsOfLimits(record),
  ]);
}

/** Throws INVALID_INPUT with every faulty field. */
export function parseTokenDraft(fields: FormFields, nowMs: number): DraftFields {
  const issues: FieldFault[] = [];
  const noting = <Value>(path: string, read: () => Value): Value | undefined => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof TokenError)) throw error;
      issues.push({ path, message: error.message });
      return undefined;
    }
  };
  const description = noting('description', () => checkedDescription(fields.text('description')));
  const limit = noting('rate_limit', () => parseRateLimit(fields.text('rate_limit')));
  const expiresAt = noting(fields.text('expires') === expiryChoices.date ? 'expires_on' : 'expires', () =>
    parseExpires(fields, nowMs),
  );
  const parsed = limitsOfFields(fields);
  if ('issues' in parsed) issues.push(...parsed.issues);
  if (issues.length > 0 || description === undefined || limit === undefined || 'issues' in parsed)
    throw fieldFaults(issues);
  const kind = fields.text('kind') === 'write' ? 'write' : 'read';
  return { description, kind, limit, expiresAt, limits: parsed.limits };
}

/** What a draft changes in a token; undefined: nothing. */
export function tokenChanges(record: TokenRecord, { description, limit, expiresAt, limits }: DraftFields) {
  const changed = (Object.keys(limits) as (keyof TokenLimits)[]).filter(
    (name) => JSON.stringify(limits[name]) !== JSON.stringify(record[name]),
  );
  const patch: TokenPatch = {
    ...(description === record.description ? {} : { description }),
    ...(limit === record.limit ? {} : { limit }),
    ...(expiresAt === undefined || (expiresAt === null && record.expires_at === null) ? {} : { expiresAt }),
    ...(changed.length === 0 ? {} : { limits: Object.fromEntries(changed.map((name) => [name, limits[name]])) }),
  };
  return Object.keys(patch).length === 0 ? undefined : patch;
}

/** Empty: null. Throws TokenError. */
function parseRateLimit(text: string): number | null {
  if (text === '') return null;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new TokenError('LIMIT_INVALID', `"${text}" is not a whole number of requests an hour, such as 1000.`);
}

/** Throws TokenError. */
function parseExpires(fields: FormFields, nowMs: number): Date | null | undefined {
  const chosen = fields.text('expires');
  if (chosen === expiryChoices.never) return null;
  if (chosen === expiryChoices.keep) return undefined;
  return parseExpiry(chosen === expiryChoices.date ? fields.text('expires_on') : chosen, nowMs);
}
