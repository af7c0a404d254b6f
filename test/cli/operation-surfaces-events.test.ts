// Tests that an operation on publishers, and on endpoints for notifications, is the same whoever calls it
// (test/util/operation-matrix.ts).

import { afterAll, beforeAll } from 'vitest';

import { testMatrix, type Noun } from '../util/operation-matrix.ts';
import { startReceiver, type WebhookReceiver } from '../util/webhook-receiver.ts';

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

testMatrix('operation-surfaces-events', [publishers, endpoints], { egress: { allow: ['127.0.0.0/8'] } });
