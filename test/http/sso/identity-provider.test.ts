// The identity provider of the tests behaves as a real one, and has the faults that the tests ask for. A client of its
// own checks that, so that a test of the registry never passes because of a broken provider.

import * as oauth from 'oauth4webapi';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProviderVisitor } from '../../util/identity-provider-visitor.ts';
import { ada, clientSecret, startIdentityProvider, type IdentityProvider } from '../../util/identity-provider.ts';

const origin = 'http://127.0.0.1:9';
const redirectUri = `${origin}/ui/sso/acme/callback`;
const insecure = { [oauth.allowInsecureRequests]: true };

let provider: IdentityProvider;
beforeAll(async () => {
  provider = await startIdentityProvider({ path: '/realms/acme' });
  await provider.register(origin, 'acme');
});
afterAll(() => provider[Symbol.asyncDispose]());

async function discover(): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(provider.url);
  return oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure));
}

/** Signs in as Ada, and returns the claims of the ID token. */
async function signIn(login = 'ada'): Promise<oauth.IDToken> {
  const [server, client] = [await discover(), { client_id: 'libretto' }];
  const [verifier, state, nonce] = [oauth.generateRandomCodeVerifier(), 'a state', 'a nonce'];
  const start = new URL(server.authorization_endpoint!);
  for (const [name, value] of Object.entries({
    client_id: 'libretto',
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'openid email profile',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    nonce,
  }))
    start.searchParams.set(name, value);
  await using visitor = createProviderVisitor();
  const back = await visitor.signInAt(start.href, login);
  expect(back.href).toContain(redirectUri);
  const parameters = oauth.validateAuthResponse(server, client, back, state);
  const answer = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.ClientSecretBasic(clientSecret),
    parameters,
    redirectUri,
    verifier,
    insecure,
  );
  const result = await oauth.processAuthorizationCodeResponse(server, client, answer, { expectedNonce: nonce });
  await oauth.validateApplicationLevelSignature(server, answer, insecure);
  return oauth.getValidatedIdTokenClaims(result)!;
}

describe('the identity provider of the tests', () => {
  it('signs a person in, and tells the claims that the test set', async () => {
    provider.people.set('grace', { sub: 'subject-of-grace', claims: { hasgroups: true, email: 'grace@example.org' } });
    expect(await signIn()).toMatchObject({ sub: ada.sub, ...ada.claims, aud: 'libretto', iss: provider.url });
    expect(await signIn('grace')).toMatchObject({ sub: 'subject-of-grace', hasgroups: true });
  });

  it('does not sign in a person whom it does not know', async () => {
    await expect(signIn('nobody')).rejects.toThrow('Unknown person');
  });

  it('rotates its keys', async () => {
    const keys = async (): Promise<unknown> => (await fetch(`${provider.url}/jwks`)).json();
    const before = await keys();
    await provider.rotate();
    expect(await keys()).not.toEqual(before);
    expect(await signIn()).toMatchObject({ sub: ada.sub });
  });

  it('leaves out the parameter iss, or names another issuer', async () => {
    provider.change({ issParameter: 'left out' });
    await expect(signIn()).rejects.toThrow('response parameter "iss" (issuer) missing');
    provider.change({ issParameter: { text: 'https://other.example' } });
    await expect(signIn()).rejects.toThrow('unexpected "iss" (issuer) response parameter value');
    provider.change(undefined);
  });

  it('has a wrong clock, and signs other claims', async () => {
    provider.change({ clockAhead: -3600 });
    await expect(signIn()).rejects.toThrow('unexpected JWT "exp"');
    provider.change({ idToken: (claims) => ({ ...claims, nonce: 'another' }) });
    await expect(signIn()).rejects.toThrow('unexpected ID Token "nonce" claim value');
    provider.change(undefined);
  });

  it('is down, unreachable, or answers with no JSON', async () => {
    for (const fault of ['down', 'unreachable', 'garbage'] as const) {
      provider.fail(fault, ['/realms/acme/.well-known']);
      await expect(signIn()).rejects.toThrow();
    }
    provider.fail(undefined);
  });
});
