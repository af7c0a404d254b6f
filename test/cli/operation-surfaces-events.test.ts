// Tests that an operation on publishers, and on endpoints for notifications, is the same whoever calls it
// (test/util/operation-matrix.ts).

import { afterAll, beforeAll } from 'vitest';

import { testMatrix, type Noun } from '../util/operation-matrix.ts';
import { startReceiver, type WebhookReceiver } from '../util/webhook-receiver.ts';

const publishers: Noun = {
  name: 'publishers',
  documents: '/api/publishers',
  rows: [
    {
      api: 'POST /api/publishers',
      body: {
        issuer: 'github',
        purpose: 'read',
        repository: 'acme/app',
        packages: ['acme/*'],
        constraints: { 'acme/*': '^1' },
        claims: { runner_environment: 'self-hosted' },
        token_minutes: 5,
      },
      command: [
        'publisher add --issuer github --purpose read --repository acme/app --package acme/*:^1 --minutes 5'.split(' '),
        ['--claim', 'runner_environment=self-hosted'],
      ].flat(),
      form: '/publishers/new',
      fields: {
        issuer: 'https://token.actions.githubusercontent.com',
        purpose: 'read',
        repository: 'acme/app',
        packages: 'acme/*',
        constraints: 'acme/* = ^1',
        claims: 'runner_environment = self-hosted',
        token_minutes: '5',
      },
      wrong: {
        path: 'packages',
        body: { issuer: 'github', purpose: 'publish', repository: 'acme/app', packages: ['not a pattern'] },
        command: ['publisher', 'add', '--issuer', 'github', '--repository', 'acme/app', '--package', 'not a pattern'],
        flag: '--package: ',
        fields: { purpose: 'publish', repository: 'acme/app', packages: 'not a pattern' },
      },
    },
    {
      api: 'PATCH /api/publishers/{id}',
      body: { workflow: 'release.yml', claims: {} },
      command: ['publisher', 'update', '{id}', '--workflow', 'release.yml', '--clear', 'claims'],
      form: '/publishers/{id}/edit',
      fields: { workflow: 'release.yml', claims: '' },
      wrong: {
        path: 'repository',
        body: { repository: 'acme' },
        command: ['publisher', 'update', '{id}', '--repository', 'acme'],
        flag: '--repository: ',
        fields: { repository: 'acme' },
      },
    },
    {
      api: 'DELETE /api/publishers/{id}',
      command: ['publisher', 'remove', '{id}', '--yes'],
      form: '/publishers/{id}/remove',
    },
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
      command: 'notify add {url}/here --name Here --event advisory.published --package acme/*'.split(' '),
      form: '/notifications/new',
      fields: { name: 'Here', events: 'advisory.published', packages: 'acme/*' },
      secrets: { url: '{url}/here' },
      wrong: {
        path: 'packages',
        body: { url: '{url}/here', packages: ['not a pattern'] },
        command: ['notify', 'add', '{url}/here', '--package', 'not a pattern'],
        flag: '--package: ',
        fields: { packages: 'not a pattern' },
      },
    },
    {
      api: 'PATCH /api/notifications/{id}',
      body: { name: 'There', stability: 'beta', packages: null },
      command: ['notify', 'update', '{id}', '--name', 'There', '--stability', 'beta', '--no-packages'],
      form: '/notifications/{id}/edit',
      fields: { name: 'There', stability: 'beta', packages: '' },
      wrong: {
        path: 'name',
        body: { name: 'a\u0007b' },
        command: ['notify', 'update', '{id}', '--name', 'a\u0007b'],
        flag: '--name: ',
        fields: { name: 'a\u0007b' },
      },
    },
    {
      api: 'POST /api/notifications/{id}/secret',
      body: { drop_old: true },
      command: ['notify', 'update', '{id}', '--rotate', '--drop-old'],
      form: '/notifications/{id}/secret',
      fields: { drop_old: 'on' },
    },
    {
      api: 'POST /api/notifications/{id}/test',
      command: ['notify', 'test', '{id}'],
      form: '/notifications/{id}/test',
      remote: 'done',
    },
    {
      api: 'POST /api/notifications/{id}/replay',
      body: { since },
      command: ['notify', 'deliveries', '{id}', '--replay-since', since],
      form: '/notifications/{id}/replay',
      fields: { since: since.slice(0, 19) },
      remote: 'done',
    },
    {
      api: 'PATCH /api/notifications/{id}',
      body: { enabled: false },
      command: ['notify', 'update', '{id}', '--disable'],
      form: '/notifications/{id}/off',
    },
    {
      api: 'PATCH /api/notifications/{id}',
      body: { enabled: true },
      command: ['notify', 'update', '{id}', '--enable'],
      form: '/notifications/{id}/on',
    },
    {
      api: 'DELETE /api/notifications/{id}',
      command: ['notify', 'remove', '{id}', '--yes'],
      form: '/notifications/{id}/remove',
    },
  ],
};

testMatrix('operation-surfaces-events', [publishers, endpoints], { egress: { allow: ['127.0.0.0/8'] } });
