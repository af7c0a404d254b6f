// Tokens as the token commands show them to people. Never a secret. Pure.

import { describeLimits, summarizeLimits } from '../../proxy/auth/token-limit-text.ts';
import type { TokenDocument } from '../../proxy/tokens/token-schema.ts';
import { formatFields, formatTable } from '../io/output.ts';

export function describeToken(token: TokenDocument): string[] {
  return formatFields([
    ['id', token.id],
    ['description', token.description],
    ['kind', token.kind],
    ['limit', `${describeLimit(token)}${token.rate_limit === null ? ` (the default of ${token.kind} tokens)` : ''}`],
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

function describeLimit({ effective_rate_limit: limit }: TokenDocument): string {
  return limit === 0 ? 'none' : `${limit} an hour`;
}

/** 2027-01-31T00:00:00.000Z → 2027-01-31T00:00:00Z */
function seconds(time: string): string {
  return time.replace(/\.\d+Z$/, 'Z');
}
