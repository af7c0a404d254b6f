// The way to a provider: the address of its authorization endpoint for this sign-in, with PKCE, state and nonce.

import * as oauth from 'oauth4webapi';
import type { Secret } from '../../../build/shared/text/secret.ts';
import type { Sealer } from '../../keys/sealer.ts';
import type { IdentityProvider } from '../model/provider.ts';
import { openProvider, type ProviderAccess } from './provider-client.ts';
import { sealTransaction, transactionSeconds, type Transaction } from './transaction.ts';

export interface SignInWish extends Pick<Transaction, 'redirectUri' | 'next' | 'confirms'> {
  /** the e-mail address that the person typed, or has; for the provider's own form */
  readonly loginHint?: string | undefined;
  /** true: the person was refused, and may choose another account there */
  readonly choosesAccount?: boolean;
}

export interface BegunSignIn {
  /** where the browser goes */
  readonly address: string;
  /** for the cookie of the browser */
  readonly transaction: Secret;
}

/** Throws SignInRefused: provider unavailable. */
export async function beginSignIn(
  parts: ProviderAccess & { readonly sealer: Sealer },
  provider: IdentityProvider,
  { redirectUri, next, confirms, loginHint, choosesAccount = false }: SignInWish,
): Promise<BegunSignIn> {
  const { server } = await openProvider(parts, provider);
  const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()];
  const verifier = oauth.generateRandomCodeVerifier();
  const address = new URL(server.authorization_endpoint ?? '');
  const parameters = {
    response_type: 'code',
    client_id: provider.clientId,
    redirect_uri: redirectUri,
    scope: provider.scopes.join(' '),
    state,
    nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...(confirms !== undefined && { prompt: 'login', max_age: '0' }),
    ...(choosesAccount && { prompt: accountChoice(server) }),
    ...(loginHint !== undefined && { login_hint: loginHint }),
  };
  for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value);
  const expiresMs = parts.now() + transactionSeconds * 1000;
  return {
    address: address.href,
    transaction: sealTransaction(parts.sealer, {
      provider: provider.id,
      state,
      nonce,
      verifier,
      redirectUri,
      next,
      expiresMs,
      ...(confirms !== undefined && { confirms }),
    }),
  };
}

/** A provider that lists no page for choosing an account asks at least who signs in. */
function accountChoice({ prompt_values_supported: known }: oauth.AuthorizationServer): string {
  return Array.isArray(known) && known.includes('select_account') ? 'select_account' : 'login';
}
