// A token as the token commands show it, for scripts and for people. Never its secret. Pure.

import type { TokenKind } from '../../proxy/core/tokens/token-format.ts';
import type { TokenUse } from '../../proxy/core/tokens/token-uses.ts';
import { tokenStatus, type TokenRecord } from '../../proxy/core/tokens/token.ts';
import { limitNames, type TokenLimits } from '../../proxy/core/views/token-limits.ts';
import { describeLimits, summarizeLimits } from '../../proxy/auth/token-limit-text.ts';
import { formatFields, formatTable } from '../io/output.ts';

export interface TokenView {
  /** hourly limits of tokens without their own limit */
  readonly defaultLimits: Readonly<Record<TokenKind, number>>;
  readonly nowMs: number;
  /** the last one, as far as the servers have written it down */
  readonly use: TokenUse | undefined;
}

/** The `--json` document of a token; part of the interface to scripts. */
export interface TokenDocument extends TokenLimits {
  readonly id: string;
  readonly description: string;
  readonly kind: TokenKind;
  /** requests an hour in force; 0 = no limit */
  readonly limit: number;
  readonly limit_is_default: boolean;
  readonly status: 'active' | 'expired' | 'revoked';
  readonly created_at: string;
  readonly created_by: string;
  /** the person whose token it is, by `libretto login`; null: it is nobody's */
  readonly person: string | null;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  /** until then the secret before the last rotation opens as well */
  readonly previous_expires_at: string | null;
  readonly last_used_at: string | null;
  readonly last_used_from: string | null;
}

export function tokenDocument(record: TokenRecord, { defaultLimits, nowMs, use }: TokenView): TokenDocument {
  const {
    id,
    description,
    kind,
    limit,
    created_at,
    created_by,
    expires_at,
    revoked_at,
    previous_expires_at: previous,
  } = record;
  return {
    id,
    description,
    kind,
    limit: limit ?? defaultLimits[kind],
    limit_is_default: limit === null,
    status: tokenStatus(record, nowMs),
    created_at,
    created_by,
    person: record.person ?? null,
    expires_at,
    revoked_at,
    previous_expires_at: previous !== null && nowMs < Date.parse(previous) ? previous : null,
    last_used_at: use === undefined ? null : new Date(use.atMs).toISOString(),
    last_used_from: use?.from ?? null,
    ...(Object.fromEntries(limitNames.map((name) => [name, record[name]])) as unknown as TokenLimits),
  };
}

export function describeToken(token: TokenDocument): string[] {
  return formatFields([
    ['id', token.id],
    ['description', token.description],
    ['kind', token.kind],
    ['limit', `${describeLimit(token)}${token.limit_is_default ? ` (the default of ${token.kind} tokens)` : ''}`],
    ['status', token.status],
    ['created', `${seconds(token.created_at)} by ${token.created_by}`],
    ...(token.person === null ? [] : [['person', `${token.person}, by \`libretto login\``] as const]),
    ['expires', token.expires_at === null ? 'never' : seconds(token.expires_at)],
    ...describeLimits(token),
    ...(token.previous_expires_at === null
      ? []
      : [['former secret', `valid until ${seconds(token.previous_expires_at)}`] as const]),
    [
      'last used',
      token.last_used_at === null ? 'never' : `${seconds(token.last_used_at)} from ${token.last_used_from ?? ''}`,
    ],
    ...(token.revoked_at === null ? [] : [['revoked', seconds(token.revoked_at)] as const]),
  ]);
}

export function describeTokens(tokens: readonly TokenDocument[]): string[] {
  const rows = tokens.map((token) => [
    token.id,
    token.kind,
    token.status,
    describeLimit(token),
    token.expires_at === null ? 'never' : seconds(token.expires_at),
    token.person === null ? summarizeLimits(token) : `as ${token.person}`,
    token.description,
  ]);
  return formatTable(['ID', 'KIND', 'STATUS', 'LIMIT', 'EXPIRES', 'SEES', 'DESCRIPTION'], rows);
}

function describeLimit({ limit }: TokenDocument): string {
  return limit === 0 ? 'none' : `${limit} an hour`;
}

/** 2027-01-31T00:00:00.000Z → 2027-01-31T00:00:00Z */
function seconds(time: string): string {
  return time.replace(/\.\d+Z$/, 'Z');
}
