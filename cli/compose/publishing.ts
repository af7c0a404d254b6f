// The composition root of trusted publishers: their records, and the exchange of ID tokens.

import type { PublishedFrom } from '../../proxy/artifacts/published-from.ts';
import type { TokenId } from '../../proxy/core/tokens/token.ts';
import { createTokens } from '../../proxy/auth/tokens.ts';
import { createFailedAuthLimiter } from '../../proxy/core/limits/failed-auth-limiter.ts';
import type { Issuer } from '../../proxy/publishers/model/issuer.ts';
import { runOfToken } from '../../proxy/publishers/model/token-run.ts';
import { createPublishers, type Publishers } from '../../proxy/publishers/records/publishers.ts';
import { createIssuerKeys } from '../../proxy/oidc/issuer-keys.ts';
import { createOidcTokens, type OidcTokens } from '../../proxy/publishers/tokens/oidc-tokens.ts';
import { createAuditedStore, type Actor } from '../../proxy/state/audit.ts';
import type { StateStore } from '../../proxy/core/state/state-store.ts';
import type { Config } from '../config/config.ts';
import { publicUrlOf } from '../config/public-url.ts';
import type { Context } from '../io/context.ts';
import { composeIssuerRequests } from './issuer-requests.ts';

export interface Publishing {
  readonly publishersOf: (actor: Actor) => Publishers;
  readonly issuers: readonly Issuer[];
  readonly oidc: OidcTokens;
  /** undefined: no trusted publisher made the token */
  readonly runOfToken: (id: TokenId) => Promise<PublishedFrom | undefined>;
}

export interface ComposedPublishing {
  readonly publishing: Publishing;
  readonly close: () => void;
}

/**
 * `processes`: how many share the failed attempts of a network. Throws BuildRefused for an invalid range in
 * egress.allow.
 */
export function composePublishing(
  config: Config,
  { now: clock, randomBytes }: Pick<Context, 'now' | 'randomBytes'>,
  { state, processes }: { readonly state: StateStore; readonly processes?: number | undefined },
): ComposedPublishing {
  const now = (): number => clock().getTime();
  const store = createAuditedStore({ store: state, now });
  const { fetchIssuer, close } = composeIssuerRequests(config);
  const issuers = config.oidcIssuers.value;
  return {
    publishing: {
      issuers,
      publishersOf: (actor) => createPublishers({ store, issuers, now, randomBytes, actor }),
      oidc: createOidcTokens({
        store,
        issuers,
        keys: createIssuerKeys({ fetchIssuer, now }),
        now,
        randomBytes,
        publicUrl: publicUrlOf(config)?.url,
        failures: createFailedAuthLimiter(processes),
        tokensOf: (actor) => createTokens({ store, now, randomBytes, actor }),
      }),
      runOfToken: (id) => runOfToken(state, id),
    },
    close,
  };
}
