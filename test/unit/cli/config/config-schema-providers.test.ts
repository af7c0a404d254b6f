// Tests the identity providers of libretto.json against its schema and the program.

import { checkConfigs } from '../../../util/config-check.ts';

const provider = { id: 'acme', title: 'Acme login', issuer: 'https://login.example.org', clientId: 'libretto' };

checkConfigs({
  accepted: [
    { identityProviders: [] },
    {
      identityProviders: [
        provider,
        {
          ...provider,
          id: 'keycloak',
          issuer: 'http://localhost:8081/realms/acme',
          clientSecret: { env: 'SECRET' },
          scopes: ['openid', 'groups'],
          claims: { roles: 'realm_access.roles' },
          roles: { developers: 'maintainer', everyone: 'viewer' },
          linkByEmail: true,
          sessionHours: 8,
          logout: false,
          confirmBy: 'sign-in',
        },
      ],
    },
  ],
  refused: [
    [
      { identityProviders: [{ ...provider, id: 'Acme', isuer: 1, roles: { ops: 'owner' } }, { id: 'b' }] },
      'identityProviders[0].id is "Acme"; allowed: at most 32 lower case letters, digits and hyphens, such as "keycloak".',
      'identityProviders[0].isuer is not a field of a provider; did you mean issuer?',
      'identityProviders[0].roles["ops"] is "owner"; allowed: admin, maintainer or viewer.',
      'identityProviders[1] has no title.',
      'identityProviders[1] has no issuer.',
      'identityProviders[1] has no clientId.',
    ],
    [
      { identityProviders: [{ ...provider, clientSecret: 'hunter2', sessionHours: 13, claims: { group: 'x' } }] },
      'identityProviders[0].clientSecret is not the place of a secret; allowed: {"env": "NAME"} or {"file": "PATH"}: the secret itself does not belong into this file.',
      'identityProviders[0].sessionHours is 13; allowed: a whole number from 1 to 12.',
      'identityProviders[0].claims.group is not a field of claims; it has email, name or roles.',
    ],
  ],
  onlyProgramRefuses: [],
});
