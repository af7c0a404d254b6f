// An identity provider as the operator configures it: where it is, how this registry names itself there, and which of
// its groups give which role here.

import { isLoopback } from '../../../build/contract/loopback.ts';
import { parseUrl } from '../../../build/contract/parse-url.ts';
import type { Role } from '../../core/tokens/person.ts';

/** Where the client secret is. It is never in libretto.json itself, which people commit. */
export type SecretPlace = { readonly env: string } | { readonly file: string };

/** The names of claims: a key, a path with dots (`realm_access.roles`), or a JSON pointer (`/realm_access/roles`). */
export interface ClaimNames {
  readonly email: string;
  readonly name: string;
  readonly roles: string;
}

export interface IdentityProvider {
  /** short, for addresses: `/ui/sso/<id>` */
  readonly id: string;
  /** for the button of the sign-in page */
  readonly title: string;
  /** exactly as the claim `iss` has it */
  readonly issuer: string;
  readonly clientId: string;
  /** undefined: a public client, which PKCE alone protects */
  readonly clientSecret: SecretPlace | undefined;
  readonly scopes: readonly string[];
  readonly claims: ClaimNames;
  /** group of the provider → role here; a person gets the highest of their groups */
  readonly roles: Readonly<Record<string, Role>>;
  /** true: a verified e-mail address opens an account that exists here already */
  readonly linkByEmail: boolean;
  /** a session ends after so many hours at the latest */
  readonly sessionHours: number;
  /** true: signing out here also offers to sign out at the provider */
  readonly logout: boolean;
  /** what confirms dangerous actions */
  readonly confirmBy: ConfirmBy;
}

/**
 * `auth_time`: this claim proves that the password was entered again. `sign-in`: a new sign-in of the same person is
 * enough, for providers that never send the claim.
 */
export const waysToConfirm = ['auth_time', 'sign-in'] as const;
export type ConfirmBy = (typeof waysToConfirm)[number];

export const standardScopes: readonly string[] = ['openid', 'profile', 'email'];
export const standardClaims: ClaimNames = { email: 'email', name: 'name', roles: 'groups' };
export const longestSessionHours = 12;

export const providerIdPattern = '^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$';
/** For schemas; `isIssuerAddress` also checks that the address is encrypted. */
export const issuerAddressPattern = String.raw`^https?://[^\s?#@]+$`;

/** What came without TLS could be anybody's, unless it comes from this machine. */
export function isIssuerAddress(text: string): boolean {
  const url = parseUrl(text);
  if (url === undefined || /[?#@\s]/.test(text)) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
}
