// A provider as the library of OAuth sees it: its description with checked addresses, this registry as its client, and
// the proof of the client.

import * as oauth from 'oauth4webapi';
import type { JsonObject } from '../../../build/contract/json.ts';
import type { Secret } from '../../../build/shared/text/secret.ts';
import { IssuerUnavailable, issuerEndpoint } from '../../oidc/fetch-issuer.ts';
import type { GuardedFetch } from '../../oidc/guarded-fetch.ts';
import type { IssuerKeys } from '../../oidc/issuer-keys.ts';
import type { IdentityProvider } from '../model/provider.ts';
import { providerUnavailable, secretMissing } from './refused-sign-in.ts';

export interface ProviderAccess {
  readonly keys: IssuerKeys;
  readonly fetch: GuardedFetch;
  /** The client secret; undefined: a public client. Rejects with an Error whose message says where it was sought. */
  readonly secretOf: (provider: IdentityProvider) => Promise<Secret | undefined>;
  /** epoch milliseconds */
  readonly now: () => number;
}

export interface ProviderClient {
  readonly server: oauth.AuthorizationServer;
  readonly client: oauth.Client;
  readonly description: JsonObject;
}

/** The clocks of a provider and of this registry may differ by so much. */
export const toleranceSeconds = 60;

/** Throws SignInRefused. */
export async function openProvider({ keys, now }: ProviderAccess, provider: IdentityProvider): Promise<ProviderClient> {
  try {
    const description = await keys.describe(provider.issuer);
    const addresses = Object.fromEntries(
      ['authorization_endpoint', 'token_endpoint', ...optionalEndpoints.filter((name) => name in description)].map(
        (name) => [name, issuerEndpoint(description, name)],
      ),
    );
    return {
      description,
      server: { ...(description as oauth.AuthorizationServer), issuer: provider.issuer, ...addresses },
      client: {
        client_id: provider.clientId,
        // the library asks the clock of the machine
        [oauth.clockSkew]: Math.round((now() - Date.now()) / 1000),
        [oauth.clockTolerance]: toleranceSeconds,
      },
    };
  } catch (error) {
    if (error instanceof IssuerUnavailable) throw providerUnavailable(provider, error);
    throw error;
  }
}

const optionalEndpoints = ['userinfo_endpoint', 'end_session_endpoint'];

/** `client_secret_basic` where the provider takes it, as the standard prefers. Throws SignInRefused. */
export async function clientProof(
  { secretOf }: ProviderAccess,
  provider: IdentityProvider,
  { server }: ProviderClient,
): Promise<oauth.ClientAuth> {
  const secret = await secretOf(provider).catch((error: unknown) => {
    throw secretMissing(provider, error);
  });
  if (secret === undefined) return oauth.None();
  const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  return methods.includes('client_secret_basic') || !methods.includes('client_secret_post')
    ? oauth.ClientSecretBasic(secret.reveal())
    : oauth.ClientSecretPost(secret.reveal());
}
