// Tests that an operation on teams, users, tokens, settings, publishers and endpoints for notifications is the same in
// each way (test/util/operation-matrix.ts). `npm test` plays teams.

import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect } from 'vitest';

import { settingPage } from '../../proxy/settings/setting-groups.ts';
import { testMatrix, type Noun } from '../util/operation-matrix.ts';
import { startReceiver, type WebhookReceiver } from '../util/webhook-receiver.ts';
import { firstOf } from '../util/series.ts';

const teams: Noun = {
  name: 'teams',
  documents: '/api/teams',
  // the first team of a registry changes a setting
  names: async ({ host }) => {
    if (!(await host('team', 'list')).includes('All')) await host('team', 'create', 'All', '--package', '*');
    const { id } = JSON.parse(await host('user', 'show', 'viewer@example.org', '--json')) as { id: string };
    return { user: id };
  },
  rows: [
    {
      api: 'POST /api/teams',
      body: { name: 'Shop', packages: ['acme/Shop', 'acme/*'] },
      command: 'team create Shop --package acme/Shop --package acme/*',
      form: '/teams/new',
      fields: { name: 'Shop', packages: 'acme/Shop\nacme/*' },
      wrong: { path: 'packages', value: ['..'], add: '--package ..' },
    },
    {
      api: 'PATCH /api/teams/{id}',
      body: { packages: ['acme/web'] },
      command: 'team update Shop --package acme/web',
      form: '/teams/{id}/edit',
      fields: { packages: 'acme/web' },
      wrong: { path: 'name', value: 'tea_x', add: '--name tea_x', flag: 'the name: ' },
    },
    {
      api: 'POST /api/teams/{id}/members',
      body: { members: ['viewer@example.org'] },
      command: 'team add-member {id} viewer@example.org',
      form: '/teams/{id}/members/add',
      fields: { members: 'viewer@example.org' },
      wrong: { path: 'members', value: ['nobody@example.org'], add: 'nobody@example.org', flag: '--member: ' },
    },
    {
      api: 'DELETE /api/teams/{id}/members/{user}',
      command: 'team remove-member {id} viewer@example.org',
      form: '/teams/{id}/members/{user}/remove',
    },
    { api: 'DELETE /api/teams/{id}', command: 'team remove {id} --yes', form: '/teams/{id}/remove' },
  ],
};

const userChanges = [
  [{ role: 'viewer' }, 'update {id} --role viewer', 'role', { role: 'viewer' }],
  [{ policy_editor: true }, 'update {id} --policy-editor', 'policy-right'],
  [{ policy_editor: false }, 'update {id} --no-policy-editor', 'policy-right'],
  [{ status: 'disabled' }, 'disable eve@example.org', 'disable'],
  [{ status: 'active' }, 'update eve@example.org --enable', 'enable'],
  [{ invite: true }, 'update {id} --invite', 'reset-link'],
  [{ reset_two_factor: true }, 'update {id} --reset-two-factor', 'reset-two-factor'],
] as const;

const users: Noun = {
  name: 'users',
  documents: '/api/users',
  rows: [
    {
      api: 'POST /api/users',
      body: { email: 'eve@example.org', name: 'Eve', role: 'maintainer' },
      command: 'user create --email eve@example.org --name Eve --role maintainer --invite',
      form: '/people/invite',
      fields: { email: 'eve@example.org', name: 'Eve', role: 'maintainer' },
      wrong: { path: 'email', value: 'nonsense', add: '--email nonsense', flag: 'The email ' },
    },
    {
      api: 'PATCH /api/users/{id}',
      body: { name: 'Eva' },
      command: 'user update {id} --name Eva',
      remote: 'host',
      wrong: { path: 'name', value: 'a\u0007b', add: '--name a\u0007b', flag: 'The name ' },
    },
    ...userChanges.map(([body, command, form, fields]) => ({
      api: 'PATCH /api/users/{id}',
      body,
      command: `user ${command}`,
      form: `/people/{id}/${form}`,
      ...(fields && { fields }),
    })),
    { api: 'DELETE /api/users/{id}', form: '/people/{id}/delete' },
  ],
};

const day = new Date(Date.now() + 200 * 86_400_000).toISOString().slice(0, 10);
const draft = { description: 'Shop', kind: 'write', packages: ['acme/*'] };

const tokens: Noun = {
  name: 'tokens',
  documents: '/api/tokens',
  lesser: 'viewer',
  rows: [
    {
      api: 'POST /api/tokens',
      body: { ...draft, constraints: { 'acme/*': '^1' }, rate_limit: 50, expires_at: `${day}T23:59:59.000Z` },
      command: `token create --description Shop --kind write --package acme/*:^1 --limit 50 --expires ${day}`,
      form: '/tokens/new',
      fields: {
        ...draft,
        rule_packages: 'acme/*',
        rule_versions: '^1',
        rate_limit: '50',
        expires: 'date',
        expires_on: day,
      },
      wrong: { path: 'packages', value: ['..'], add: '--package ..' },
    },
    {
      api: 'PATCH /api/tokens/{id}',
      body: { rate_limit: null, packages: null, constraints: null, stability: 'beta' },
      command: 'token update {id} --limit default --clear packages --stability beta',
      form: '/tokens/{id}/edit',
      fields: { rate_limit: '', packages: '', rule_packages: '', rule_versions: '', stability: 'beta' },
      wrong: { path: 'networks', value: ['everywhere'], add: '--network everywhere' },
    },
    {
      api: 'POST /api/tokens/{id}/rotate',
      body: { grace_seconds: 1800 },
      command: 'token rotate {id} --grace 30m',
      form: '/tokens/{id}/rotate',
      fields: { grace_seconds: '1800' },
    },
    { api: 'DELETE /api/tokens/{id}', command: 'token revoke {id}', form: '/tokens/{id}/revoke' },
  ],
};

const values: Readonly<Record<string, readonly [value: unknown, shown: string | readonly string[]]>> = {
  'limits.read': [2500, '2500'],
  'mirroring.enabled': [true, 'on'],
  'mirroring.abandoned': ['warn', 'warn'],
  metadata_url: ['/p2/%package%.json', '/p2/%package%.json'],
  'mirroring.allow': [['acme/*', 'symfony/*'], 'acme/*\nsymfony/*'],
  warnings: [[{ versions: '<2.5', message: 'Update: now' }], '<2.5: Update: now'],
  advertise: [
    ['search', 'list'],
    ['search', 'list'],
  ],
};

const tooMany = {
  path: 'limits.read',
  value: 9_999_999_999,
  command: 'settings set limits.read 9999999999',
  flag: 'limits.read ',
  at: 'limits.read',
};

const settings: Noun = {
  name: 'settings',
  documents: '/api/settings',
  rows: Object.entries(values).flatMap(([key, [value, shown]]) => {
    const [group = '', name] = key.split('.');
    const body = (given: unknown) => ({ [group]: name === undefined ? given : { [name]: given } });
    const argument = (typeof value === 'string' ? value : JSON.stringify(value)).replaceAll(' ', '~');
    const row = { api: 'PATCH /api/settings', body: body(value), command: `settings set ${key} ${argument}` };
    return [
      { ...row, form: settingPage(key), fields: { [key]: shown }, ...(key === 'limits.read' && { wrong: tooMany }) },
      {
        ...row,
        body: body(null),
        command: `settings unset ${key}`,
        form: settingPage(key),
        fields: { [`reset.${key}`]: 'on' },
      },
    ];
  }),
};

const reading = { purpose: 'read', repository: 'acme/app', packages: ['acme/*'] };

const publishers: Noun = {
  name: 'publishers',
  documents: '/api/publishers',
  rows: [
    {
      api: 'POST /api/publishers',
      body: { ...reading, issuer: 'github', constraints: { 'acme/*': '^1' }, claims: { job: 'x' }, token_minutes: 5 },
      command:
        'publisher add --issuer github --purpose read --repository acme/app --package acme/*:^1 --claim job=x --minutes 5',
      form: '/publishers/new',
      fields: {
        ...reading,
        issuer: 'https://token.actions.githubusercontent.com',
        constraints: 'acme/* = ^1',
        claims: 'job = x',
        token_minutes: '5',
      },
      wrong: { path: 'packages', value: ['..'], add: '--package ..' },
    },
    {
      api: 'PATCH /api/publishers/{id}',
      body: { workflow: 'release.yml', claims: {} },
      command: 'publisher update {id} --workflow release.yml --clear claims',
      form: '/publishers/{id}/edit',
      fields: { workflow: 'release.yml', claims: '' },
      wrong: { path: 'repository', value: 'acme', add: '--repository acme' },
    },
    { api: 'DELETE /api/publishers/{id}', command: 'publisher remove {id} --yes', form: '/publishers/{id}/remove' },
  ],
};

let receiver: WebhookReceiver;
beforeAll(async () => void (receiver = await startReceiver()));
afterAll(() => receiver[Symbol.asyncDispose]());

const since = '2020-01-31T00:00:00.000Z';

const endpoints: Noun = {
  name: 'notification endpoints',
  documents: '/api/notifications',
  names: async () => ({ url: receiver.url }),
  // a timer sends what waits
  settled: (document) => ({ ...document, waiting: 0 }),
  rows: [
    {
      api: 'POST /api/notifications',
      body: { name: 'Here', url: '{url}/here', events: ['advisory.published'], packages: ['acme/*'] },
      command: 'notify add {url}/here --name Here --event advisory.published --package acme/*',
      form: '/notifications/new',
      fields: { name: 'Here', events: 'advisory.published', packages: 'acme/*' },
      secrets: { url: '{url}/here' },
      wrong: { path: 'packages', value: ['..'], add: '--package ..' },
    },
    {
      api: 'PATCH /api/notifications/{id}',
      body: { name: 'There', stability: 'beta', packages: null },
      command: 'notify update {id} --name There --stability beta --no-packages',
      form: '/notifications/{id}/edit',
      fields: { name: 'There', stability: 'beta', packages: '' },
      wrong: { path: 'name', value: 'a\u0007b', add: '--name a\u0007b' },
    },
    {
      api: 'POST /api/notifications/{id}/secret',
      body: { drop_old: true },
      command: 'notify update {id} --rotate --drop-old',
      form: '/notifications/{id}/secret',
      fields: { drop_old: 'on' },
    },
    {
      api: 'POST /api/notifications/{id}/test',
      command: 'notify test {id}',
      form: '/notifications/{id}/test',
      remote: 'done',
    },
    {
      api: 'POST /api/notifications/{id}/replay',
      body: { since },
      command: `notify deliveries {id} --replay-since ${since}`,
      form: '/notifications/{id}/replay',
      fields: { since: since.slice(0, 19) },
      remote: 'done',
    },
    ...[
      { enabled: false, command: 'disable', form: 'off' },
      { enabled: true, command: 'enable', form: 'on' },
    ].map(({ enabled, command, form }) => ({
      api: 'PATCH /api/notifications/{id}',
      body: { enabled },
      command: `notify update {id} --${command}`,
      form: `/notifications/{id}/${form}`,
    })),
    { api: 'DELETE /api/notifications/{id}', command: 'notify remove {id} --yes', form: '/notifications/{id}/remove' },
  ],
};

const telling: Noun = {
  name: 'messages to users of a package',
  documents: '/api/packages/acme/lib/usage',
  lesser: 'viewer',
  names: async ({ there, folder }) => {
    writeFileSync(folder.at('composer.lock'), JSON.stringify({ packages: [{ name: 'acme/lib', version: '1.0.0' }] }));
    expect((await there('report', 'composer.lock', '--project', 'shop')).exitCode).toBe(0);
    return { vendor: 'acme', package: 'lib' };
  },
  rows: [
    {
      api: 'POST /api/packages/{vendor}/{package}/usage/messages',
      body: { constraint: '^1', subject: 'Ends', text: 'Update' },
      command: 'tell acme/lib ^1 --subject Ends --text Update --yes',
      form: '/packages/acme/lib/tell?constraint=%5E1',
      fields: { subject: 'Ends', text: 'Update' },
      secrets: { send: '1' },
      wrong: {
        path: 'subject',
        value: 'a\u0007b',
        command: 'tell acme/lib --subject a\u0007b --text Update --yes',
        flag: '--subject: ',
      },
    },
  ],
};

const mail = 'smtp://127.0.0.1:9'; // nothing listens: the mails wait
const egress = { allow: ['127.0.0.0/8'] };

testMatrix('operation-surfaces-access', firstOf([teams, users, tokens, settings, publishers, endpoints, telling], 1), {
  egress,
  mail,
  publicUrl: 'http://127.0.0.1:9',
});
