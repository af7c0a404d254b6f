// The rules of accounts at identity providers once more, as a pure model: who gets in with which role, and who is
// refused for which reason. Tests compare the program with it, for each combination of the axes.

import type { Role } from '../../proxy/core/tokens/person.ts';
import type { IdentityProvider } from '../../proxy/sso/model/provider.ts';
import type { SignInRefusalReason } from '../../proxy/sso/model/refusal.ts';
import { standardProvider } from './sso-provider.ts';

export const groupSets = {
  admins: ['ops'],
  maintainers: ['developers'],
  viewers: ['everyone'],
  several: ['everyone', 'ops', 'others'],
  'no mapped group': ['others'],
  'no group': [],
  missing: undefined,
  'too many': 'overage',
} as const;

/** How the provider names the e-mail address and the groups. */
export const providerKinds = {
  plain: { id: 'plain', title: 'Plain', issuer: 'https://plain.example' },
  keycloak: {
    id: 'keycloak',
    title: 'Keycloak',
    issuer: 'https://login.example/realms/acme',
    claims: { email: 'email', name: 'name', roles: 'realm_access.roles' },
  },
  /** its claim for the address is another than `email`, so `email_verified` does not speak of it */
  entra: {
    id: 'entra',
    title: 'Entra',
    issuer: 'https://login.example/tenant/v2.0',
    claims: { email: 'upn', name: 'name', roles: 'groups' },
  },
} as const;

/** What is there before the sign-in. `own`: found by issuer and subject; `mail`: has the e-mail address. */
export const accountKinds = {
  nothing: {},
  'own account': { own: 'active' },
  'own account, disabled': { own: 'disabled' },
  'own account, the last admin': { own: 'active', isLastAdmin: true },
  'own account, while another has the address': { own: 'active', mail: 'active' },
  'local account': { mail: 'active' },
  'local account with two factors': { mail: 'active', hasTwoFactor: true },
  'local account, invited': { mail: 'invited' },
  'local account, disabled': { mail: 'disabled' },
  'local account, the last admin': { mail: 'active', isLastAdmin: true },
  'account of another subject': { mail: 'active', mailBelongsTo: 'same issuer' },
  'local account, linked to another issuer': { mail: 'active', mailBelongsTo: 'other issuer' },
  'account that another issuer made': { mail: 'active', mailBelongsTo: 'other issuer', isMadeByProvider: true },
  'own account, a named admin': { own: 'active', isNamedAdmin: true },
  'local account, a named admin': { mail: 'active', isNamedAdmin: true },
} as const satisfies Record<string, Accounts>;

export interface Accounts {
  readonly own?: 'active' | 'disabled';
  readonly mail?: 'active' | 'disabled' | 'invited';
  readonly mailBelongsTo?: 'same issuer' | 'other issuer';
  /** a sign-in made it, so nobody chose a password for it */
  readonly isMadeByProvider?: boolean;
  readonly isLastAdmin?: boolean;
  /** an admin whom the setting localSignIn names */
  readonly isNamedAdmin?: boolean;
  readonly hasTwoFactor?: boolean;
}

export interface Situation {
  readonly groups: keyof typeof groupSets;
  readonly provider: keyof typeof providerKinds;
  readonly linkByEmail: boolean;
  /** the claim `email_verified` */
  readonly verified: boolean | undefined;
  readonly accounts: keyof typeof accountKinds;
}

export type Expected =
  | { readonly enters: 'own' | 'mail' | 'new account'; readonly role: Role }
  | { readonly refused: SignInRefusalReason };

const groupNames = Object.keys(groupSets) as Situation['groups'][];
const providerNames = Object.keys(providerKinds) as Situation['provider'][];
const accountNames = Object.keys(accountKinds) as Situation['accounts'][];

export const situations: readonly Situation[] = groupNames.flatMap((groups) =>
  providerNames.flatMap((provider) =>
    [false, true].flatMap((linkByEmail) =>
      [true, false, undefined].flatMap((verified) =>
        accountNames.map((accounts) => ({ groups, provider, linkByEmail, verified, accounts })),
      ),
    ),
  ),
);

export function providerOf({ provider, linkByEmail }: Situation): IdentityProvider {
  return { ...standardProvider, ...providerKinds[provider], linkByEmail };
}

/** Of the ID token. */
export function claimsOf(
  { groups, provider, verified }: Situation,
  sub: string,
  email: string,
): Record<string, unknown> {
  const found = groupSets[groups];
  const place = provider === 'keycloak' ? { realm_access: { roles: found } } : { groups: found };
  return {
    sub,
    ...(provider === 'entra' ? { upn: email } : { email }),
    ...(verified !== undefined && { email_verified: verified }),
    ...(found === 'overage' ? overage[provider] : found === undefined ? {} : place),
  };
}

/** Only Entra ID leaves groups out, and says so. */
const overage = {
  plain: { hasgroups: true },
  keycloak: { _claim_names: { 'realm_access.roles': 'src1' } },
  entra: { _claim_names: { groups: 'src1' }, _claim_sources: { src1: { endpoint: 'https://graph.example' } } },
} as const;

const roleOf: Readonly<Record<Situation['groups'], Role | SignInRefusalReason>> = {
  admins: 'admin',
  maintainers: 'maintainer',
  viewers: 'viewer',
  several: 'admin',
  'no mapped group': 'no mapped group',
  'no group': 'no mapped group',
  missing: 'no group claim',
  'too many': 'too many groups',
};

export function expectedOf({ groups, provider, linkByEmail, verified, accounts }: Situation): Expected {
  const role = roleOf[groups];
  if (role !== 'admin' && role !== 'maintainer' && role !== 'viewer') return { refused: role };
  const kind: Accounts = accountKinds[accounts];
  const { own, mail, mailBelongsTo, isMadeByProvider } = kind;
  const keepsAdmin = role !== 'admin' && (kind.isLastAdmin === true || kind.isNamedAdmin === true);
  const kept = { refused: kind.isNamedAdmin === true ? 'named admin' : 'last admin' } as const;
  if (own === 'disabled') return { refused: 'not active' };
  if (own !== undefined) return keepsAdmin ? kept : { enters: 'own', role };
  if (mail === undefined) return { enters: 'new account', role };
  if (mailBelongsTo === 'same issuer') return { refused: 'other subject' };
  if (mail === 'disabled') return { refused: 'not active' };
  if (isMadeByProvider === true) return { refused: 'other provider' };
  const proven = linkByEmail && verified === true && provider !== 'entra';
  if (!proven) return { refused: 'e-mail address taken' };
  return keepsAdmin ? kept : { enters: 'mail', role };
}
