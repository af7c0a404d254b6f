// The way back from a provider: checks the answer, redeems its code, and returns the claims of the ID token. The
// library checks the issuer of the answer (RFC 9207), state, nonce, audience and times; the signature is checked here,
// with the keys that are kept for each issuer.

import * as oauth from 'oauth4webapi';
import type { JsonObject } from '../../../build/contract/json.ts';
import { asUnavailable, IssuerUnavailable } from '../../oidc/fetch-issuer.ts';
import type { IdentityProvider } from '../model/provider.ts';
import { SignInRefused } from '../model/refusal.ts';
import { clientProof, type ProviderAccess, type ProviderClient } from './provider-client.ts';
import { signatureFault } from './provider-signature.ts';
import { foreignAnswer, providerUnavailable, refusedThere, tokenNotAccepted } from './refused-sign-in.ts';
import type { Transaction } from './transaction.ts';
import { messageOf } from '../../../build/shared/text/message-of.ts';

export interface RedeemedCode {
  /** of the ID token, verified */
  readonly claims: JsonObject;
  readonly accessToken: string;
}

const timeoutMs = 10_000;

/** `answer`: the query of the callback. Throws SignInRefused. */
export function checkAnswer(
  provider: IdentityProvider,
  { server, client }: ProviderClient,
  answer: URLSearchParams,
  { state }: Pick<Transaction, 'state'>,
): URLSearchParams {
  try {
    return oauth.validateAuthResponse(server, client, answer, state);
  } catch (error) {
    if (error instanceof oauth.AuthorizationResponseError)
      throw refusedThere(provider, error.error, error.error_description);
    if (isOAuthError(error)) throw foreignAnswer(provider, error.message, error);
    throw error;
  }
}

/** `checked`: the answer behind `checkAnswer`. Throws SignInRefused. */
export async function redeemCode(
  access: ProviderAccess,
  provider: IdentityProvider,
  opened: ProviderClient,
  { checked, transaction }: { readonly checked: URLSearchParams; readonly transaction: Transaction },
): Promise<RedeemedCode> {
  const { server, client } = opened;
  const { nonce, verifier, redirectUri } = transaction;
  const proof = await clientProof(access, provider, opened);
  try {
    const options = requestOptions(access, server);
    const answer = await oauth.authorizationCodeGrantRequest(
      ...([server, client, proof, checked, redirectUri, verifier, options] as const),
    );
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, answer, {
      expectedNonce: nonce,
      requireIdToken: true,
    });
    await assertSigned(access, provider, tokens.id_token ?? '');
    const claims = oauth.getValidatedIdTokenClaims(tokens) as JsonObject | undefined;
    assertMadeForUs(provider, claims ?? {});
    return { claims: claims ?? {}, accessToken: tokens.access_token };
  } catch (error) {
    throw refusalOf(provider, server.token_endpoint ?? '', error);
  }
}

/** The claims of the userinfo endpoint, about the same subject. Throws SignInRefused. */
export async function fetchUserInfo(
  access: ProviderAccess,
  provider: IdentityProvider,
  { server, client }: ProviderClient,
  { claims, accessToken }: RedeemedCode,
): Promise<JsonObject> {
  try {
    const answer = await oauth.userInfoRequest(server, client, accessToken, requestOptions(access, server));
    return (await oauth.processUserInfoResponse(server, client, String(claims['sub']), answer)) as JsonObject;
  } catch (error) {
    throw refusalOf(provider, server.userinfo_endpoint ?? '', error);
  }
}

function requestOptions({ fetch }: ProviderAccess, { issuer }: oauth.AuthorizationServer) {
  return {
    [oauth.customFetch]: fetch as never,
    // only an issuer on this machine has such addresses
    [oauth.allowInsecureRequests]: issuer.startsWith('http:'),
    signal: () => AbortSignal.timeout(timeoutMs),
  };
}

/** Throws SignInRefused, IssuerUnavailable. */
async function assertSigned({ keys }: ProviderAccess, provider: IdentityProvider, idToken: string): Promise<void> {
  const fault = await signatureFault(keys, provider.issuer, idToken, 'ID token');
  if (fault !== undefined) throw tokenNotAccepted(provider, fault);
}

/** The library asks for `azp` only where the token has several audiences. */
function assertMadeForUs(provider: IdentityProvider, { azp }: JsonObject): void {
  if (azp !== undefined && azp !== provider.clientId)
    throw tokenNotAccepted(provider, 'the ID token was made for another client (claim azp)');
}

function refusalOf(provider: IdentityProvider, address: string, error: unknown): unknown {
  if (error instanceof SignInRefused) return error;
  if (error instanceof IssuerUnavailable) return providerUnavailable(provider, error);
  if (isUnknownClient(error))
    return tokenNotAccepted(provider, 'the provider does not accept the id or the secret of this registry', error);
  if (error instanceof oauth.ResponseBodyError && error.status < 500)
    return tokenNotAccepted(provider, `the provider answered ${error.error}`, error);
  if (error instanceof oauth.ResponseBodyError || isBadAnswer(error))
    return providerUnavailable(provider, new Error(`${address} gave no usable answer: ${messageOf(error)}`));
  if (isOAuthError(error)) return tokenNotAccepted(provider, messageOf(error), error);
  return providerUnavailable(provider, asUnavailable(error, address, timeoutMs));
}

function isUnknownClient(error: unknown): boolean {
  if (error instanceof oauth.WWWAuthenticateChallengeError) return true;
  return error instanceof oauth.ResponseBodyError && ['invalid_client', 'unauthorized_client'].includes(error.error);
}

/** A status of 500 and above, or a body that is no JSON. */
function isBadAnswer(error: unknown): boolean {
  if (!isOAuthError(error)) return false;
  return ['OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_PARSE_ERROR', 'OAUTH_RESPONSE_IS_NOT_JSON'].includes(
    error.code ?? '',
  );
}

function isOAuthError(error: unknown): error is oauth.OperationProcessingError {
  return error instanceof oauth.OperationProcessingError || error instanceof oauth.UnsupportedOperationError;
}
