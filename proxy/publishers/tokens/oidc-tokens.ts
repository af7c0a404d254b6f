// What CI jobs and admins do with ID tokens: ask for the audience, exchange a token, end the token that it gave, and
// explain. The management API calls this.

import { RegistryError } from '../../../build/contract/errors.ts';
import { isOfPublisher, type TokenId } from '../../core/tokens/token.ts';
import type { Tokens } from '../../auth/tokens.ts';
import type { FailedAuthLimiter } from '../../core/limits/failed-auth-limiter.ts';
import type { Actor } from '../../state/audit.ts';
import type { TokenOrder } from './choose-publisher.ts';
import { exchangeIdToken, type Exchanged, type ExchangeParts } from './exchange.ts';
import { explainIdToken } from './explain-id-token.ts';
import { IssuerUnavailable } from '../../oidc/fetch-issuer.ts';
import { idTokenRefused, noAudience } from './refusals.ts';
import { verifyIdToken, type IdToken, type VerifierParts } from './verify-id-token.ts';

export type OidcTokens = ReturnType<typeof createOidcTokens>;

export interface OidcTokensParts extends ExchangeParts, VerifierParts {
  /** the registry's address for its clients; undefined: it is not known */
  readonly publicUrl: string | undefined;
  readonly failures: FailedAuthLimiter;
  readonly tokensOf: (actor: Actor) => Tokens;
}

export function createOidcTokens(parts: OidcTokensParts) {
  const audience = (): string => {
    if (parts.publicUrl === undefined) throw noAudience();
    return parts.publicUrl;
  };
  return {
    /** The one audience that ID tokens for this registry have. Throws NOT_AVAILABLE. */
    audience,
    /**
     * Throws RegistryError: NOT_AVAILABLE, ID_TOKEN_INVALID, ID_TOKEN_USED, PUBLISHER_MISMATCH, CONFLICT,
     * RATE_LIMIT_EXCEEDED, UPSTREAM_UNAVAILABLE, and TOO_MANY_ATTEMPTS after many failures of one network.
     */
    exchange: async (text: string, wish: TokenOrder, clientAddress: string): Promise<Exchanged> => {
      const expected = audience();
      try {
        return await exchangeIdToken(parts, await verified(parts, text, expected), wish);
      } catch (error) {
        throw failed(parts, error, clientAddress);
      }
    },
    /** Ends a token that an exchange gave. Throws BAD_REQUEST for another one. */
    end: (id: TokenId) => end(parts, id),
    /** Throws NOT_AVAILABLE. */
    explain: (text: string) => explainIdToken(parts, text, audience()),
  };
}

async function verified(parts: OidcTokensParts, text: string, audience: string): Promise<IdToken> {
  try {
    const judged = await verifyIdToken(parts, text, audience);
    if ('onceId' in judged) return judged;
    throw idTokenRefused(judged);
  } catch (error) {
    if (error instanceof IssuerUnavailable)
      throw new RegistryError('UPSTREAM_UNAVAILABLE', { message: error.message, cause: error });
    throw error;
  }
}

const refusals: ReadonlySet<unknown> = new Set(['ID_TOKEN_INVALID', 'ID_TOKEN_USED', 'PUBLISHER_MISMATCH']);

/** Good tokens always pass, so that nobody can lock out the other jobs of a network. */
function failed({ failures, now }: OidcTokensParts, error: unknown, clientAddress: string): unknown {
  if (!(error instanceof RegistryError) || !refusals.has(error.code)) return error;
  const seconds = failures.spend(clientAddress, now());
  return seconds === undefined
    ? error
    : new RegistryError('TOO_MANY_ATTEMPTS', { details: { retry_after_seconds: seconds } });
}

async function end({ tokensOf }: OidcTokensParts, id: TokenId): Promise<void> {
  const tokens = tokensOf(`token:${id}`);
  if (!isOfPublisher(await tokens.get(id)))
    throw new RegistryError('BAD_REQUEST', {
      message: 'This token does not come from an exchange of an ID token. Revoke it with `libretto token revoke`.',
    });
  await tokens.revoke(id);
}
