// The settings of the identity provider of tests in libretto.json, without its address.

import type { IdentityProvider } from '../../proxy/sso/model/provider.ts';

export const standardProvider = {
  id: 'acme',
  title: 'Acme login',
  clientId: 'libretto',
  clientSecret: { env: 'ACME_SECRET' },
  scopes: ['openid', 'profile', 'email', 'groups'],
  claims: { email: 'email', name: 'name', roles: 'groups' },
  roles: { ops: 'admin', developers: 'maintainer', everyone: 'viewer' },
  linkByEmail: false,
  sessionHours: 12,
  confirmBy: 'auth_time',
  logout: true,
} as const satisfies Omit<IdentityProvider, 'issuer'>;
