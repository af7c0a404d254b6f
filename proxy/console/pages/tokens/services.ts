// What the pages about tokens need, and small questions that several of them ask.

import type { PublishedFrom } from '../../../artifacts/published-from.ts';
import { createCallerTokens, type CallerTokens } from '../../../auth/caller-tokens.ts';
import { readTokenStandings, type TokenUsage } from '../../../auth/token-standings.ts';
import type { TokenId } from '../../../core/tokens/token.ts';
import type { TokenServices } from '../../../tokens/operations.ts';
import type { Catalogue } from '../../../packages/catalogue.ts';
import type { StateStore } from '../../../core/state/state-store.ts';
import type { SignedInRequest } from '../../frame/definitions.ts';

export interface TokenPageServices extends TokenServices {
  readonly catalogue: Catalogue;
  readonly state: Pick<StateStore, 'get' | 'range'>;
  /** undefined: no trusted publisher made the token */
  readonly runOfToken: (id: TokenId) => Promise<PublishedFrom | undefined>;
}

/** The tokens as this visitor may use them. */
export function tokensFor(services: TokenPageServices, { caller }: SignedInRequest): CallerTokens {
  return createCallerTokens(services, caller);
}

/** The token that the path names, with its use. Throws NOT_FOUND. */
export async function readStanding(services: TokenPageServices, request: SignedInRequest): Promise<TokenUsage> {
  const record = await tokensFor(services, request).get(request.param('id'));
  const [standing] = await readTokenStandings(services, [record], request.nowMs);
  if (standing === undefined) throw new Error('a token has no standing');
  return standing;
}

/** The address of a token's page. */
export function tokenPath({ id }: { readonly id: string }): string {
  return `/tokens/${id}`;
}
