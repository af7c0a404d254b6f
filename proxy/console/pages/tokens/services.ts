// What the pages about tokens need, and small questions that several of them ask.

import { actorOf } from '../../../auth/caller.ts';
import { createCallerTokens, type CallerTokens, type CallerTokensOptions } from '../../../auth/caller-tokens.ts';
import type { People } from '../../../auth/people.ts';
import { readTokenStandings, type TokenStanding, type TokenStandingParts } from '../../../auth/token-standings.ts';
import type { TokenRecord } from '../../../auth/token.ts';
import type { Catalogue } from '../../../packages/catalogue.ts';
import type { SignedInRequest } from '../../frame/definitions.ts';

export interface TokenPageServices extends CallerTokensOptions, TokenStandingParts {
  readonly catalogue: Catalogue;
  readonly people: People;
}

/** The tokens as this visitor may use them. */
export function tokensFor(services: TokenPageServices, { caller }: SignedInRequest): CallerTokens {
  return createCallerTokens(services, caller);
}

/** The token that the path names, with its use. Throws NOT_FOUND. */
export async function readStanding(services: TokenPageServices, request: SignedInRequest): Promise<TokenStanding> {
  const record = await tokensFor(services, request).get(request.param('id'));
  const [standing] = await readTokenStandings(services, [record], request.nowMs);
  if (standing === undefined) throw new Error('a token has no standing');
  return standing;
}

/** The address of a token's page. */
export function tokenPath({ id }: Pick<TokenRecord, 'id'>): string {
  return `/tokens/${id}`;
}

/** Names the author of a change: `you`, an email, a token, the command line, or `another person` without more rights. */
export async function readAuthors(
  { people }: Pick<TokenPageServices, 'people'>,
  { caller, may }: SignedInRequest,
): Promise<(author: string) => string> {
  const users = may('listUsers') ? await people.usersOf(actorOf(caller)).list() : [];
  const emails = new Map(users.map(({ id, email }) => [`user:${id}`, email]));
  return (author) => {
    if (author === actorOf(caller)) return 'you';
    const [, command] = /^cli:(.*)$/.exec(author) ?? [];
    if (command !== undefined) return `${command} (command line)`;
    const [, token] = /^token:(.*)$/.exec(author) ?? [];
    if (token !== undefined) return `the token ${token}`;
    return emails.get(author) ?? (may('listUsers') ? 'a person who was removed' : 'another person');
  };
}
