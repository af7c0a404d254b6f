// Tests that an operation on teams, users, tokens and settings is the same whoever calls it (test/util/operation-matrix.ts).

import { testMatrix, type Noun } from '../util/operation-matrix.ts';

const teams: Noun = {
  name: 'teams',
  documents: '/api/teams',
  // the first team of a registry changes a setting
  names: async ({ host }) => {
    if (!(await host('team', 'list')).includes('Everybody'))
      await host('team', 'create', 'Everybody', '--package', '*');
    const { id } = JSON.parse(await host('user', 'show', 'viewer@example.org', '--json')) as { id: string };
    return { user: id };
  },
  rows: [
    {
      api: 'POST /api/teams',
      body: { name: 'Shop', packages: ['acme/Shop', 'acme/*'] },
      command: ['team', 'create', 'Shop', '--package', 'acme/Shop', '--package', 'acme/*'],
      form: '/teams/new',
      fields: { name: 'Shop', packages: 'acme/Shop\nacme/*' },
      wrong: {
        path: 'packages',
        body: { name: 'Shop', packages: ['not a pattern'] },
        command: ['team', 'create', 'Shop', '--package', 'not a pattern'],
        flag: '--package: ',
        fields: { name: 'Shop', packages: 'not a pattern' },
      },
    },
    {
      api: 'PATCH /api/teams/{id}',
      body: { packages: ['acme/web'] },
      command: ['team', 'update', 'Shop', '--package', 'acme/web'],
      form: '/teams/{id}/edit',
      fields: { packages: 'acme/web' },
      wrong: {
        path: 'name',
        body: { name: 'tea_x' },
        command: ['team', 'update', 'Shop', '--name', 'tea_x'],
        flag: 'the name: ',
        fields: { name: 'tea_x' },
      },
    },
    {
      api: 'POST /api/teams/{id}/members',
      body: { members: ['viewer@example.org'] },
      command: ['team', 'add-member', '{id}', 'viewer@example.org'],
      form: '/teams/{id}/members/add',
      fields: { members: 'viewer@example.org' },
      wrong: {
        path: 'members',
        body: { members: ['nobody@example.org'] },
        command: ['team', 'add-member', '{id}', 'nobody@example.org'],
        flag: '--member: ',
        fields: { members: 'nobody@example.org' },
      },
    },
    {
      api: 'DELETE /api/teams/{id}/members/{user}',
      command: ['team', 'remove-member', '{id}', 'viewer@example.org'],
      form: '/teams/{id}/members/{user}/remove',
    },
    {
      api: 'DELETE /api/teams/{id}',
      command: ['team', 'remove', '{id}', '--yes'],
      form: '/teams/{id}/remove',
    },
  ],
};

const users: Noun = {
  name: 'users',
  documents: '/api/users',
  rows: [
    {
      api: 'POST /api/users',
      body: { email: 'eve@example.org', name: 'Eve', role: 'maintainer' },
      command: ['user', 'create', '--email', 'eve@example.org', '--name', 'Eve', '--role', 'maintainer', '--invite'],
      form: '/people/invite',
      fields: { email: 'eve@example.org', name: 'Eve', role: 'maintainer' },
      wrong: {
        path: 'email',
        body: { email: 'nonsense', role: 'viewer' },
        command: ['user', 'create', '--email', 'nonsense', '--invite'],
        flag: 'The email ',
        fields: { email: 'nonsense' },
      },
    },
    {
      api: 'PATCH /api/users/{id}',
      body: { role: 'viewer' },
      command: ['user', 'update', 'eve@example.org', '--role', 'viewer'],
      form: '/people/{id}/role',
      fields: { role: 'viewer' },
    },
    {
      api: 'PATCH /api/users/{id}',
      body: { policy_editor: true },
      command: ['user', 'update', 'eve@example.org', '--policy-editor'],
      form: '/people/{id}/policy-right',
    },
    {
      api: 'PATCH /api/users/{id}',
      body: { name: 'Eva' },
      command: ['user', 'update', '{id}', '--name', 'Eva'],
      remote: 'host',
      wrong: {
        path: 'name',
        body: { name: 'a\u0007b' },
        command: ['user', 'update', '{id}', '--name', 'a\u0007b'],
        flag: 'The name ',
      },
    },
    {
      api: 'PATCH /api/users/{id}',
      body: { status: 'disabled' },
      command: ['user', 'disable', 'eve@example.org'],
      form: '/people/{id}/disable',
    },
    {
      api: 'PATCH /api/users/{id}',
      body: { status: 'active' },
      command: ['user', 'update', 'eve@example.org', '--enable'],
      form: '/people/{id}/enable',
    },
    {
      api: 'PATCH /api/users/{id}',
      body: { invite: true },
      command: ['user', 'update', 'eve@example.org', '--invite'],
      form: '/people/{id}/reset-link',
    },
    {
      api: 'PATCH /api/users/{id}',
      body: { reset_two_factor: true },
      command: ['user', 'update', 'eve@example.org', '--reset-two-factor'],
      form: '/people/{id}/reset-two-factor',
    },
    { api: 'DELETE /api/users/{id}', form: '/people/{id}/delete' },
  ],
};

const day = new Date(Date.now() + 200 * 86_400_000).toISOString().slice(0, 10);

const tokens: Noun = {
  name: 'tokens',
  documents: '/api/tokens',
  rows: [
    {
      api: 'POST /api/tokens',
      body: {
        description: 'Shop',
        kind: 'write',
        packages: ['acme/*'],
        constraints: { 'acme/*': '^1' },
        rate_limit: 50,
        expires_at: `${day}T23:59:59.000Z`,
      },
      command: [
        'token create --description Shop --kind write --package acme/*:^1 --limit 50'.split(' '),
        ['--expires', day],
      ].flat(),
      form: '/tokens/new',
      fields: {
        description: 'Shop',
        kind: 'write',
        packages: 'acme/*',
        rule_packages: 'acme/*',
        rule_versions: '^1',
        rate_limit: '50',
        expires: 'date',
        expires_on: day,
      },
      lesser: 'viewer',
      wrong: {
        path: 'packages',
        body: { description: 'Shop', kind: 'read', packages: ['not a pattern'] },
        command: ['token', 'create', '--description', 'Shop', '--package', 'not a pattern'],
        flag: '--package: ',
        fields: { description: 'Shop', packages: 'not a pattern' },
      },
    },
    {
      api: 'PATCH /api/tokens/{id}',
      body: { rate_limit: null, packages: null, constraints: null, networks: ['10.0.0.0/8'] },
      command: ['token', 'update', '{id}', '--limit', 'default', '--clear', 'packages', '--network', '10.0.0.0/8'],
      form: '/tokens/{id}/edit',
      fields: { rate_limit: '', packages: '', rule_packages: '', rule_versions: '', networks: '10.0.0.0/8' },
      lesser: 'viewer',
      wrong: {
        path: 'networks',
        body: { networks: ['everywhere'] },
        command: ['token', 'update', '{id}', '--network', 'everywhere'],
        flag: '--network: ',
        fields: { networks: 'everywhere' },
      },
    },
    {
      api: 'POST /api/tokens/{id}/rotate',
      body: { grace_seconds: 1800 },
      command: ['token', 'rotate', '{id}', '--grace', '30m'],
      form: '/tokens/{id}/rotate',
      fields: { grace_seconds: '1800' },
      lesser: 'viewer',
    },
    {
      api: 'DELETE /api/tokens/{id}',
      command: ['token', 'revoke', '{id}'],
      form: '/tokens/{id}/revoke',
      lesser: 'viewer',
    },
  ],
};

const settings: Noun = {
  name: 'settings',
  documents: '/api/settings',
  rows: [
    {
      api: 'PATCH /api/settings',
      body: { limits: { read: 2500 } },
      command: ['settings', 'set', 'limits.read', '2500'],
      form: '/settings/limits.read',
      fields: { value: '2500' },
      wrong: {
        path: 'limits.read',
        body: { limits: { read: 9_999_999_999 } },
        command: ['settings', 'set', 'limits.read', '9999999999'],
        flag: 'limits.read ',
        fields: { value: '9999999999' },
        at: 'value',
      },
    },
    {
      api: 'PATCH /api/settings',
      body: { limits: { read: null } },
      command: ['settings', 'unset', 'limits.read'],
      form: '/settings/limits.read/reset',
    },
    ...Object.entries({
      'mirroring.enabled': [true, 'true', 'on'],
      'mirroring.allow': [['acme/*', 'symfony/*'], '["acme/*","symfony/*"]', 'acme/*\nsymfony/*'],
      warnings: [
        [{ versions: '<2.5', message: 'Update: now' }],
        '[{"versions":"<2.5","message":"Update: now"}]',
        '<2.5: Update: now',
      ],
      advertise: [['search', 'list'], '["search","list"]', ['search', 'list']],
    } as const).flatMap(([key, [value, argument, shown]]) => {
      const [group = '', name] = key.split('.');
      const body = (given: unknown) => ({ [group]: name === undefined ? given : { [name]: given } });
      return [
        {
          api: 'PATCH /api/settings',
          body: body(value),
          command: ['settings', 'set', key, argument],
          form: `/settings/${key}`,
          fields: { value: shown },
        },
        {
          api: 'PATCH /api/settings',
          body: body(null),
          command: ['settings', 'unset', key],
          form: `/settings/${key}/reset`,
        },
      ];
    }),
  ],
};

testMatrix('operation-surfaces-people', [teams, users, tokens, settings]);
