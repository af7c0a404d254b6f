// Tests that an operation on packages, repositories, webhooks and connections is the same in each way
// (test/util/operation-matrix.ts).

import { createHmac } from 'node:crypto';
import { realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, expect } from 'vitest';

import type { FakeForge } from '../util/forges/fake-forge.ts';
import { startGitHub } from '../util/forges/fake-github.ts';
import { testMatrix, type Noun } from '../util/operation-matrix.ts';
import { libraryTree, writeTree } from '../util/package-tree.ts';
import type { RemoteTerminal } from '../util/remote-terminal.ts';

/** A package of its own for each way. */
const packages: Noun = {
  name: 'packages',
  documents: '/api/packages/{vendor}/{package}',
  lesser: 'viewer',
  names: async ({ folder, host }, way) => {
    for (const one of way === 'http' ? ['http', 'command', 'remote', 'form'] : [])
      writeTree(folder.at(`more/${one}`), libraryTree(`acme/of-${one}`, { version: '1.0.0' }));
    if (way === 'http') await host('build', folder.at('more'));
    return { vendor: 'acme', package: `of-${way}`, version: '1.0.0' };
  },
  rows: [
    {
      api: 'DELETE /api/packages/{vendor}/{package}/versions/{version}',
      command: 'package withdraw {vendor}/{package} {version}',
      form: '/packages/{vendor}/{package}/withdraw?version={version}',
    },
  ],
};

const repositories: Noun = {
  name: 'repositories',
  documents: '/api/repositories',
  lesser: 'viewer',
  names: async ({ folder }) => {
    writeTree(folder.at('sources/hello'), libraryTree('other/hello', { version: '1.0.0' }));
    return { place: folder.at('sources') };
  },
  // the last sync goes on in the background
  settled: ({ id, type, url, interval, only, minimum_stability: least }) => ({ id, type, url, interval, only, least }),
  rows: [
    {
      api: 'POST /api/repositories',
      body: { type: 'directory', url: '{place}', only: ['other/*'] },
      command: 'repository add {place} --type directory --only other/*',
      form: '/repositories/new',
      fields: { type: 'directory', url: '{place}', only: 'other/*', interval: '' },
      formAlso: { event: 'repository.sync', until: ({ status }) => status === 'active' },
      remote: 'done',
      wrong: { path: 'only', value: ['..'], add: '--only ..' },
    },
    // before the interval, which may start a sync too
    {
      api: 'POST /api/repositories/{id}/sync',
      command: 'repository sync {id}',
      form: '/repositories/{id}/sync',
      remote: 'done',
      until: ({ status }) => status === 'active',
    },
    {
      api: 'PATCH /api/repositories/{id}',
      body: { interval: 900, minimum_stability: 'beta', only: null },
      command: 'repository update {id} --interval 15m --minimum-stability beta --without only',
      form: '/repositories/{id}/edit',
      fields: { interval: '900', minimum_stability: 'beta', only: '' },
      wrong: { path: 'except', value: ['..'], add: '--except ..' },
    },
    {
      api: 'DELETE /api/repositories/{id}?confirm={id}',
      command: 'repository remove {id} --yes',
      form: '/repositories/{id}/remove',
    },
  ],
};

const upstream = { type: 'composer', url: 'https://packages.example.org' };

const mirrored: Noun = {
  name: 'repositories with credentials',
  documents: '/api/repositories',
  lesser: 'viewer',
  names: async ({ folder }) => {
    writeFileSync(folder.at('secret'), 'hunter2\n');
    return {};
  },
  // the form has tried a sync
  settled: ({ id, type, url, interval, credentials }) => ({ id, type, url, interval, credentials }),
  rows: [
    {
      api: 'POST /api/repositories',
      body: { ...upstream, credentials: { token: 'hunter2' } },
      command: `repository add ${upstream.url} --type composer --token-file secret`,
      form: '/repositories/new',
      fields: { ...upstream, auth: 'bearer', secret: 'hunter2', anyway: 'on', interval: '' },
      formAlso: { event: 'repository.sync', until: ({ status }) => status === 'error' },
      remote: 'done',
    },
    {
      api: 'PATCH /api/repositories/{id}',
      body: { credentials: { username: 'me', password: 'hunter2' } },
      command: 'repository update {id} --username me --password-file secret',
      form: '/repositories/{id}/credentials',
      secrets: { auth: 'basic', username: 'me', secret: 'hunter2' },
    },
    {
      api: 'DELETE /api/repositories/{id}?confirm={id}',
      command: 'repository remove {id} --yes',
      form: '/repositories/{id}/remove',
    },
  ],
};

/** Makes the webhook, and sends a delivery to it. */
async function delivered({ host, url }: RemoteTerminal, path: string, target: string): Promise<string> {
  const secret = (await host('repository', 'hook', target)).trim();
  const body = JSON.stringify({ repository: { clone_url: 'https://git.example.org/acme/web.git' } });
  const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  const about = { 'x-github-event': 'push', 'x-github-delivery': secret.slice(-8), 'content-type': 'application/json' };
  const headers = { ...about, 'x-hub-signature-256': signature };
  expect((await fetch(`${url}${path}`, { method: 'POST', body, headers })).status).toBeLessThan(300);
  const { deliveries } = JSON.parse(await host('repository', 'hook', target, '--json')) as { deliveries: Named[] };
  return deliveries[0]?.id ?? '';
}

interface Named {
  readonly id: string;
}

const hookRows = (rotation: string, removal: string, target: string, form: string): Noun['rows'] => [
  {
    api: rotation,
    body: { drop_old: true },
    command: `repository hook ${target} --rotate --drop-old`,
    form: `${form}/secret`,
    fields: { drop_old: 'on' },
  },
  { api: removal, command: `repository hook ${target} --remove`, form: `${form}/remove` },
];

const withoutDeliveries: Noun['settled'] = ({ deliveries: _deliveries, ...document }) => document;

let repo = '';
const hook: Noun = {
  name: 'the webhook of a repository',
  documents: '/api/repositories/{repo}/hook',
  lesser: 'viewer',
  settled: withoutDeliveries,
  names: async (terminal) => {
    const add = ['repository', 'add', terminal.folder.at('sources'), '--type', 'directory', '--json'];
    if (repo === '') repo = (JSON.parse(await terminal.host(...add)) as Named).id;
    return { repo, delivery: await delivered(terminal, `/hooks/${repo}`, repo) };
  },
  rows: [
    {
      api: 'POST /api/repositories/{repo}/hook/deliveries/{delivery}/replay',
      command: 'repository hook {repo} --replay {delivery}',
      form: '/repositories/{repo}/hook/{delivery}/replay',
      remote: 'done',
    },
    ...hookRows(
      'POST /api/repositories/{repo}/hook',
      'DELETE /api/repositories/{repo}/hook',
      '{repo}',
      '/repositories/{repo}/hook',
    ),
  ],
};

const sharedHook: Noun = {
  name: 'the webhook for all repositories',
  documents: '/api/hook',
  lesser: 'viewer',
  settled: withoutDeliveries,
  rows: [
    { api: 'POST /api/hook', body: {}, command: 'repository hook --all', form: '/repositories/hook/secret' },
    ...hookRows('POST /api/hook', 'DELETE /api/hook', '--all', '/repositories/hook'),
  ],
};

let forge: FakeForge;
beforeAll(async () => void (forge = await startGitHub()));
afterAll(() => forge[Symbol.asyncDispose]());

const connections: Noun = {
  name: 'connections',
  documents: '/api/connections',
  lesser: 'viewer',
  names: async ({ folder }) => {
    writeFileSync(folder.at('token'), forge.token);
    return { url: forge.url, owner: forge.owner, token: forge.token };
  },
  // a refresh goes on in the background
  settled: ({ id, owner, credentials, only, forks, interval, sync_interval }) => ({
    id,
    owner,
    credentials,
    only,
    forks,
    interval,
    sync_interval,
  }),
  rows: [
    {
      api: 'POST /api/connections',
      body: { forge: 'github', url: '{url}', owner: '{owner}', only: ['a-*', 'b'], credentials: { token: '{token}' } },
      command: 'connection add github --forge-url {url} --owner {owner} --only a-* --only b --token-file token',
      form: '/connections/new',
      fields: { forge: 'github', url: '{url}', owner: '{owner}', only: 'a-*\nb' },
      secrets: { token: '{token}' },
      wrong: { path: 'only', value: ['a b'], add: '--only a~b' },
    },
    // first: a change makes a refresh due, which the server may do at the same moment
    {
      api: 'POST /api/connections/{id}/refresh',
      command: 'connection refresh {id}',
      form: '/connections/{id}/refresh',
      remote: 'done',
    },
    {
      api: 'PATCH /api/connections/{id}',
      body: { interval: 900, forks: true },
      command: 'connection update {id} --interval 15m --forks',
      form: '/connections/{id}/edit',
      fields: { interval: '900', forks: 'on' },
      wrong: { path: 'except', value: ['a b'], add: '--except a~b' },
    },
    {
      api: 'PATCH /api/connections/{id}',
      body: { credentials: { token: '{token}' } },
      command: 'connection update {id} --token-file token',
      form: '/connections/{id}/credentials',
      secrets: { token: '{token}' },
    },
    {
      api: 'DELETE /api/connections/{id}?confirm={id}',
      command: 'connection remove {id} --yes',
      form: '/connections/{id}/remove',
    },
  ],
};

testMatrix('operation-surfaces-sources', [packages, repositories, mirrored, hook, sharedHook, connections], {
  egress: { allow: ['127.0.0.0/8'] },
  sourceRoots: [realpathSync(tmpdir())],
});
