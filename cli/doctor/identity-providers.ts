// The check of identity providers: the registry knows its own address, each provider answers, its client secret is
// there, and some group gives a role. Nobody signs in.

import { IssuerUnavailable, issuerEndpoint } from '../../proxy/oidc/fetch-issuer.ts';
import type { IdentityProvider } from '../../proxy/sso/model/provider.ts';
import { readClientSecret } from '../compose/client-secret.ts';
import { composeIssuerRequests, type IssuerRequests } from '../compose/issuer-requests.ts';
import type { Config } from '../config/config.ts';
import { publicUrlOf } from '../config/public-url.ts';
import type { Context } from '../io/context.ts';
import { failed, ok, warning, type Finding } from './finding.ts';

/** Returns no finding if no provider is configured. */
export async function check(config: Config, context: Context): Promise<readonly Finding[]> {
  const providers = config.identityProviders.value;
  if (providers.length === 0) return [];
  const requests = composeIssuerRequests(config);
  try {
    const each = await Promise.all(providers.map((provider) => checkOne(provider, requests, context)));
    return [...unknownAddress(config), ...each.flat()];
  } finally {
    requests.close();
  }
}

/** A provider sends people back to the addresses that it knows, and to no other. */
function unknownAddress(config: Config): readonly Finding[] {
  if (publicUrlOf(config) !== undefined) return [];
  return [
    warning(
      'sso',
      'identity providers are configured, but not the address of the registry, to which they send people back',
      'Set "publicUrl" in libretto.json. Register publicUrl and /ui/sso/ID/callback at each provider.',
    ),
  ];
}

async function checkOne(
  provider: IdentityProvider,
  requests: IssuerRequests,
  context: Context,
): Promise<readonly Finding[]> {
  const problems = [
    ...withoutRoles(provider),
    ...(await missingSecret(provider, context)),
    ...(await silent(provider, requests)),
  ];
  if (problems.length > 0) return problems;
  const groups = Object.keys(provider.roles).length;
  const counted = groups === 1 ? '1 group gives a role' : `${groups} groups give roles`;
  return [ok('sso', `${provider.id} (${provider.issuer}) answers; ${counted}`)];
}

function withoutRoles({ id, roles }: IdentityProvider): readonly Finding[] {
  if (Object.keys(roles).length > 0) return [];
  return [
    failed(
      'sso',
      `no group of ${id} gives a role, so that nobody comes in with it`,
      'Set "roles" of the provider in libretto.json, such as {"developers": "maintainer"}.',
    ),
  ];
}

async function missingSecret(provider: IdentityProvider, { environment }: Context): Promise<readonly Finding[]> {
  try {
    await readClientSecret(provider, environment);
    return [];
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const message = error.message.replace(/\.$/, '');
    return [
      failed(
        'sso',
        message.charAt(0).toLowerCase() + message.slice(1),
        'Set it, or remove "clientSecret" for a public client. This command needs the environment of the server.',
      ),
    ];
  }
}

async function silent({ id, issuer }: IdentityProvider, requests: IssuerRequests): Promise<readonly Finding[]> {
  try {
    const { description } = await requests.fetchIssuer(issuer);
    for (const name of ['authorization_endpoint', 'token_endpoint']) issuerEndpoint(description, name);
    return [];
  } catch (error) {
    if (!(error instanceof IssuerUnavailable)) throw error;
    return [
      failed(
        'sso',
        `${id} cannot be asked, so that nobody new signs in with it: ${error.message}`,
        'Sessions that run stay open. Check its address (issuer), and whether this host can reach it.',
      ),
    ];
  }
}
