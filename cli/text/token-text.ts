// Tokens as the token commands show them to people. Never a secret. Pure.

import { describeLimits, summarizeLimits } from '../../proxy/auth/token-limit-text.ts';
import type { TokenDocument } from '../../proxy/tokens/token-schema.ts';
import { formatFields, formatTable } from '../io/output.ts';
import { authArguments, registryLines } from '../../build/shared/text/install-lines.ts';
import { describeAllowance } from '../../proxy/auth/token-allowance.ts';
import { authDocument, publishLine } from '../../proxy/auth/token-use-text.ts';
import type { TokenKind } from '../../proxy/core/tokens/token-format.ts';

interface TokenUseAdvice {
  /** `limit`: requests an hour; 0: without a limit */
  readonly token: { readonly kind: TokenKind; readonly limit: number };
  /** undefined: a placeholder stands for it */
  readonly secret: string | undefined;
  /** the host of the registry for clients, with its port, or a placeholder */
  readonly host: string;
  /** the address with this host */
  readonly url: string;
  /** explains the address, a sentence */
  readonly remark: string | undefined;
  /** the command that starts this program */
  readonly invocation: string;
}

/** The lines that put a token to use: Composer's command, auth.json, and what its limit allows. Pure. */
export function tokenUseLines({ token, secret: shown, host, url, remark, invocation }: TokenUseAdvice): string[] {
  const secret = shown ?? 'TOKEN';
  return [
    '',
    'Give Composer the token, for all projects of this user (without --global: for the project in this folder):',
    `  composer config --global ${authArguments(host, secret)}`,
    'Or write auth.json; in a CI job, the variable COMPOSER_AUTH takes the same:',
    `  ${authDocument(host, secret)}`,
    'Name the registry in a project:',
    ...registryLines(url).map((line) => `  ${line}`),
    ...(token.kind === 'write'
      ? ['Publish with it, in the folder of a package:', `  ${publishLine(secret, url, invocation)}`]
      : []),
    ...(shown === undefined
      ? ['TOKEN stands for the token, which standard output has. At a terminal, these lines contain it.']
      : []),
    ...(remark === undefined ? [] : [remark]),
    '',
    describeAllowance(token.limit),
  ];
}

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
