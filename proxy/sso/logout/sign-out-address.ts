// The address at which a person signs out at their provider as well (OpenID Connect RP-Initiated Logout 1.0). The
// parameter id_token_hint is left out, because this registry stores no ID token; the provider asks its person instead.

import { openProvider, type ProviderAccess } from '../flow/provider-client.ts';
import type { IdentityProvider } from '../model/provider.ts';

/** `returnTo`: exactly as the provider knows it. undefined: the provider offers no sign-out. Throws SignInRefused. */
export async function signOutAddress(
  access: ProviderAccess,
  provider: IdentityProvider,
  returnTo: string,
): Promise<string | undefined> {
  if (!provider.logout) return undefined;
  const { server } = await openProvider(access, provider);
  if (server.end_session_endpoint === undefined) return undefined;
  const address = new URL(server.end_session_endpoint);
  address.searchParams.set('client_id', provider.clientId);
  address.searchParams.set('post_logout_redirect_uri', returnTo);
  return address.href;
}
