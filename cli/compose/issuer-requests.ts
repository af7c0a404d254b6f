// Requests to the issuers of ID tokens, CI systems and identity providers alike, through the guard of all egress.

import { createAddressPolicy } from '../../build/egress/address-policy.ts';
import { createGuardedAgent, resolveBySystem } from '../../build/egress/guarded-agent.ts';
import { createFetchIssuer, type FetchIssuer } from '../../proxy/oidc/fetch-issuer.ts';
import { createGuardedFetch, type GuardedFetch } from '../../proxy/oidc/guarded-fetch.ts';
import type { Config } from '../config/config.ts';
import { version } from '../io/version.ts';

const connectTimeoutMs = 5000;

export interface IssuerRequests {
  readonly fetch: GuardedFetch;
  readonly fetchIssuer: FetchIssuer;
  readonly close: () => void;
}

/** Throws BuildRefused for an invalid range in egress.allow. */
export function composeIssuerRequests({ egressAllow }: Pick<Config, 'egressAllow'>): IssuerRequests {
  const policy = createAddressPolicy(egressAllow.value);
  const agent = createGuardedAgent(policy, resolveBySystem, { connectTimeoutMs });
  const fetch = createGuardedFetch({ policy, agent }, `Libretto/${version}`);
  return { fetch, fetchIssuer: createFetchIssuer(fetch), close: () => agent.destroy() };
}
