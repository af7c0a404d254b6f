// Records status, headers and body of every operation of the management API, with at least one success and one error
// each.

import { rmSync } from 'node:fs';
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, it } from 'vitest';
import { expectRecorded } from './recorder/recording.ts';
import { packageZip, writeConfiguration, writeDated, writeSources } from './recorder/sources.ts';
import { libraryTree } from '../util/package-tree.ts';
import { openTranscript, type Answer, type Transcript } from './recorder/transcript.ts';
import { openWorkspace, type Running } from './recorder/workspace.ts';
import { itInSeries } from '../util/series.ts';

const workspace = openWorkspace();
const serve = ['serve', '--listen', '127.0.0.1:4000', '--log', 'none'];
const password = 'correct horse battery staple';
let server: Running;
let admin = '';
let writeToken = '';
let limitedToken = '';

beforeAll(async () => {
  writeSources(workspace);
  writeConfiguration(workspace, { sourceRoots: [workspace.at('roots')], egress: { allow: ['127.0.0.0/8'] } });
  writeDated(workspace.at('roots/team'), libraryTree('team/lib', { version: '1.0.0' }));
  await workspace.run(['build']);
  writeToken = (
    await workspace.json<{ readonly token: string }>('token', 'create', '--description', 'writer', '--kind', 'write')
  ).token;
  limitedToken = (
    await workspace.json<{ readonly token: string }>(
      'token',
      'create',
      '--description',
      'limited',
      '--package',
      'acme/hello:<1.1',
    )
  ).token;
  server = await workspace.start(serve, { says: 'libretto user create' });
});
afterAll(() => workspace[Symbol.asyncDispose]());

const as = (token: string): Record<string, string> => ({ Authorization: `Bearer ${token}` });
type Ask = (line: string, body?: unknown) => Promise<Answer>;
const askAs =
  (transcript: Transcript, token: () => string): Ask =>
  (line, body) =>
    transcript.ask(line, { headers: as(token()), body });
const idOf = (answer: Answer): string => answer.json<{ readonly id: string }>().id;
const confirmationOf = (answer: Answer): string =>
  encodeURIComponent(answer.json<{ readonly details: { readonly confirm: string } }>().details.confirm);
const none = (prefix: string): string => `${prefix}_0000000000000000`;

it('setup, logins, sessions and two-factor authentication answer as recorded', async () => {
  const transcript = openTranscript(workspace);
  const post = (path: string, body: unknown) => transcript.ask(`POST /api/auth/${path}`, { body });
  const code = /setup\?code=(\w+)/.exec(server.said())?.[1] ?? '';
  await post('setup', { setup_code: 'set_wrong', email: 'ada@example.org', password });
  await post('setup', { setup_code: code, email: 'ada@example.org', password: 'short' });
  await post('setup', { setup_code: code, email: 'ada@example.org', name: 'Ada', password });
  await post('setup', { setup_code: code, email: 'eve@example.org', password });
  await post('login', { email: 'ada@example.org', password: 'wrong wrong wrong' });
  await post('login', { email: 'nobody@example.org', password });
  await post('login', '{"email":');
  const login = async (more = {}): Promise<string> =>
    (await post('login', { email: 'ada@example.org', password, ...more })).json<{ readonly token: string }>().token;
  admin = await login();
  const ask = askAs(transcript, () => admin);
  for (const line of ['GET /api/auth/me', 'GET /api/auth/sessions', `DELETE /api/auth/sessions/${none('ses')}`]) {
    await ask(line);
    await transcript.ask(line);
  }
  const other = await login();
  const sessions = (await ask('GET /api/auth/sessions?limit=1')).json<{
    readonly data: readonly { readonly id: string }[];
  }>();
  await ask(`DELETE /api/auth/sessions/${sessions.data[0]?.id ?? ''}`);
  await transcript.ask('GET /api/auth/me', { headers: as(other) });
  await ask('PATCH /api/auth/me', { name: 'Ada Lovelace' });
  await ask('PATCH /api/auth/me', { name: 7 });
  await ask('POST /api/auth/password', {
    current_password: 'wrong wrong wrong',
    new_password: 'another staple for batteries',
  });
  for (const [current, next] of [
    [password, `${password} 2`],
    [`${password} 2`, password],
  ]) {
    admin = (await ask('POST /api/auth/password', { current_password: current, new_password: next })).json<{
      readonly token: string;
    }>().token;
  }
  await ask('POST /api/auth/2fa/setup', { password: 'wrong' });
  await ask('POST /api/auth/2fa/enable', { code: '000000' });
  const { secret } = (await ask('POST /api/auth/2fa/setup', { password })).json<{ readonly secret: string }>();
  const sixDigits = (): string =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: workspace.nowMs() });
  await ask('POST /api/auth/2fa/enable', { code: sixDigits() });
  workspace.pass(60);
  await post('login', { email: 'ada@example.org', password });
  admin = await login({ code: sixDigits() });
  workspace.pass(60);
  await ask('POST /api/auth/2fa/recovery-codes', { password, code: '000000' });
  await ask('POST /api/auth/2fa/recovery-codes', { password, code: sixDigits() });
  workspace.pass(60);
  await ask('POST /api/auth/2fa/disable', { password: 'wrong', code: sixDigits() });
  workspace.pass(60);
  await ask('POST /api/auth/2fa/disable', { password, code: sixDigits() });
  const third = await login();
  await transcript.ask('POST /api/auth/logout', { headers: as(third) });
  await transcript.ask('POST /api/auth/logout', { headers: as(third) });
  admin = await login();
  expectRecorded('management/authentication', transcript.text());
});

it('the operations for users answer as recorded', async () => {
  const transcript = openTranscript(workspace);
  const ask = askAs(transcript, () => admin);
  const bob = await ask('POST /api/users', { email: 'bob@example.org', name: 'Bob', role: 'maintainer' });
  const { invitation } = bob.json<{ readonly invitation: { readonly token: string } }>();
  await transcript.ask('POST /api/auth/invitations/accept', { body: { token: 'inv_wrong', password } });
  await transcript.ask('POST /api/auth/invitations/accept', {
    body: { token: invitation?.token ?? '', password, name: 'Bobby' },
  });
  const maintainer = (
    await transcript.ask('POST /api/auth/login', { body: { email: 'bob@example.org', password } })
  ).json<{ readonly token: string }>().token;
  for (const line of [
    'GET /api/users',
    'GET /api/users?limit=1',
    'GET /api/users?limit=0',
    `GET /api/users/${idOf(bob)}`,
    `GET /api/users/${none('usr')}`,
  ])
    await ask(line);
  for (const line of ['GET /api/users', 'GET /api/audit', 'GET /api/settings', 'GET /api/purged-versions'])
    await transcript.ask(line, { headers: as(maintainer) });
  await ask('POST /api/users', { email: 'bob@example.org', role: 'viewer' });
  await ask('POST /api/users', { email: 'carol@example.org', role: 'owner' });
  await ask(`PATCH /api/users/${idOf(bob)}`, { name: 'Robert', role: 'viewer' });
  await ask(`PATCH /api/users/${idOf(bob)}`, { invite: true });
  await ask(`PATCH /api/users/${none('usr')}`, { status: 'disabled' });
  await ask(`DELETE /api/users/${idOf(bob)}`);
  await ask(`DELETE /api/users/${idOf(bob)}`);
  await transcript.ask('GET /api/auth/me', { headers: as(maintainer) });
  expectRecorded('management/users', transcript.text());
});

it('the operations for tokens answer as recorded', async () => {
  const transcript = openTranscript(workspace);
  const ask = askAs(transcript, () => admin);
  const made = await ask('POST /api/tokens', {
    description: 'CI',
    kind: 'read',
    rate_limit: 100,
    expires_at: '2024-05-01T00:00:00Z',
    packages: ['acme/*'],
    constraints: { 'acme/hello': '<1.1' },
    stability: 'beta',
    not_after: '2024-01-31',
    networks: ['127.0.0.0/8'],
  });
  for (const body of [
    { kind: 'read' },
    { description: 'x', kind: 'odd' },
    { description: 'x', kind: 'read', packages: ['Acme'], expires_at: '2020-01-01T00:00:00Z' },
  ])
    await ask('POST /api/tokens', body);
  const path = `/api/tokens/${idOf(made)}`;
  for (const line of [
    'GET /api/tokens',
    'GET /api/tokens?limit=1',
    'GET /api/tokens?cursor=wrong',
    `GET ${path}`,
    `GET /api/tokens/${none('tok')}`,
    'GET /api/tokens/odd',
    `GET ${path}/explain?package=acme/hello`,
    `GET ${path}/explain?package=acme/hello&version=1.1.0&from=192.0.2.1`,
    `GET ${path}/explain`,
  ])
    await ask(line);
  await ask(`PATCH ${path}`, { description: 'CI 2', rate_limit: null, packages: null, constraints: null });
  await ask(`PATCH ${path}`, { kind: 'write' });
  await ask(`POST ${path}/rotate`, { grace_seconds: 3600 });
  await ask(`POST ${path}/rotate`, { grace_seconds: -1 });
  await ask(`DELETE ${path}`);
  await ask(`DELETE ${path}`);
  await ask(`PATCH ${path}`, { description: 'late' });
  await ask(`DELETE /api/tokens/${none('tok')}`);
  await transcript.ask('GET /api/tokens', { headers: as(writeToken) });
  expectRecorded('management/tokens', transcript.text());
});

it('the operations for settings, status and the audit log answer as recorded', async () => {
  const transcript = openTranscript(workspace);
  const ask = askAs(transcript, () => admin);
  await ask('GET /api/settings');
  await ask('PATCH /api/settings', {
    limits: { read: 500 },
    infos: [{ message: 'Hello', versions: '*' }],
    metadata_url: '/p2/%package%.json',
  });
  await ask('PATCH /api/settings', { limits: { read: -1 } });
  await ask('PATCH /api/settings', { unheard: true });
  await ask('GET /packages.json');
  await ask('PATCH /api/settings', { limits: { read: null }, metadata_url: null });
  for (const line of [
    'GET /api/status',
    'GET /api/audit',
    'GET /api/audit?limit=2',
    'GET /api/audit?action=settings.update',
    'GET /api/audit?since=never',
    'GET /api/openapi.json',
    'GET /api/swagger',
    'GET /api/swagger/swagger-ui.css',
    'GET /api/swagger/none.js',
  ])
    await ask(line);
  for (const path of ['/health', '/health/ready', '/api/openapi.json', '/api/swagger'])
    await ask(`GET ${path}`, 'a body');
  for (const line of [
    'GET /api/status',
    'GET /api/audit',
    'GET /api/settings',
    'GET /api/openapi.json',
    'HEAD /api/openapi.json',
    'POST /api/openapi.json',
    'POST /api/swagger',
    'GET /api/none',
  ])
    await transcript.ask(line);
  for (const line of [
    'GET /api/status',
    'GET /api/packages',
    'GET /api/packages/acme/hello',
    'GET /api/packages/acme/tool',
    'GET /api/packages/acme/hello/statistics',
  ])
    await transcript.ask(line, { headers: as(limitedToken) });
  expectRecorded('management/whole', transcript.text());
});

it('the operations for repositories answer as recorded', async () => {
  const transcript = openTranscript(workspace);
  const ask = askAs(transcript, () => admin);
  const team = await ask('POST /api/repositories', {
    type: 'directory',
    url: workspace.at('roots/team'),
    only: ['team/*'],
  });
  writeDated(workspace.at('roots/gone'), libraryTree('gone/lib', { version: '1.0.0' }));
  const gone = await ask('POST /api/repositories', { type: 'directory', url: workspace.at('roots/gone') });
  rmSync(workspace.at('roots/gone'), { recursive: true });
  const git = await ask('POST /api/repositories', {
    type: 'git',
    url: 'https://127.0.0.1:4099/acme/none.git',
    credentials: { username: 'ci', password: 'very secret' },
    branches: ['main'],
  });
  for (const body of [
    { type: 'directory', url: workspace.at('packages') },
    { type: 'directory', url: workspace.at('roots/team') },
    { type: 'git', url: 'file:///etc' },
    { type: 'git', url: 'https://10.0.0.1/x.git' },
    { type: 'svn', url: 'x' },
  ])
    await ask('POST /api/repositories', body);
  const path = `/api/repositories/${idOf(team)}`;
  for (const line of [
    'GET /api/repositories',
    'GET /api/repositories?limit=1',
    `GET ${path}`,
    `GET /api/repositories/${none('repo')}`,
    `POST ${path}/verify`,
    `GET /api/repositories/${idOf(git)}`,
    `POST /api/repositories/${idOf(gone)}/verify`,
    `POST /api/repositories/${none('repo')}/verify`,
  ])
    await ask(line);
  const sync = async (repository: string): Promise<string> => {
    const job = idOf(await ask(`POST ${repository}/sync`));
    await transcript.wait(
      `GET ${repository}/jobs/${job}`,
      { headers: as(admin) },
      (answer) => !/"state":"(?:queued|running)"/.test(answer.bytes.toString()),
    );
    await ask(`GET ${repository}/jobs/${job}`);
    return job;
  };
  await sync(path);
  await sync(`/api/repositories/${idOf(gone)}`);
  for (const line of [
    `POST /api/repositories/${none('repo')}/sync`,
    `GET ${path}/jobs`,
    `GET ${path}/jobs?limit=none`,
    `GET ${path}/jobs/${none('job')}`,
    `GET ${path}`,
  ])
    await ask(line);
  await ask(`PATCH ${path}`, { only: ['team/*', 'other/*'] });
  await ask(`PATCH ${path}`, { type: 'git' });
  await ask(`PATCH /api/repositories/${none('repo')}`, { only: ['a/*'] });
  const confirm = confirmationOf(await ask(`DELETE ${path}`));
  for (const line of [
    `DELETE ${path}?confirm=wrong`,
    `DELETE ${path}?confirm=${confirm}`,
    `DELETE ${path}?confirm=${confirm}`,
  ])
    await ask(line);
  await transcript.ask('GET /api/repositories');
  await transcript.ask('POST /api/repositories', {
    headers: as(writeToken),
    body: { type: 'git', url: 'https://git.example/x.git' },
  });
  expectRecorded('management/repositories', transcript.text());
});

it('the operations for packages and artifacts answer as recorded', async () => {
  const transcript = openTranscript(workspace);
  const ask = askAs(transcript, () => admin);
  const lines = [
    '/api/packages',
    '/api/packages?limit=2&sort=name',
    '/api/packages?search=tool&type=library',
    '/api/packages?sort=odd',
    '/api/packages/acme/tool',
    '/api/packages/acme/none',
    ...['hello/readme', 'shop/readme', 'tool/changelog', 'none/changelog'].map((one) => `/api/packages/acme/${one}`),
    '/api/packages/acme/hello/statistics?days=2',
    '/api/packages/acme/hello/statistics?days=0',
    '/api/packages/acme/hello/usage?constraint=^1.0&since=2026-01-31',
    '/api/packages/acme/hello/usage?since=today',
    '/api/exposures',
    '/api/search?q=hello+1.1',
    '/api/search',
  ];
  for (const line of lines) await ask(`GET ${line}`);
  for (const more of [{ preview: true }, {}, { subject: '' }])
    await ask('POST /api/packages/acme/hello/usage/messages', { subject: 'Ends', text: 'Update', ...more });
  await transcript.ask('GET /api/exposures', {});
  await ask('POST /api/projects?project=site', { packages: [{ name: 'acme/hello', version: '1.1.0' }] });
  const { data } = (await ask('GET /api/projects?q=SITE')).json<{ data: readonly { id: string }[] }>();
  for (const more of ['?limit=0', `/${data[0]?.id}`, '/prj_1']) await ask(`GET /api/projects${more}`);
  for (const name of ['site', '']) await ask(`POST /api/projects?project=${name}`, { packages: [] });
  const upload = (query: string, bytes: Buffer | string, more = {}) =>
    transcript.ask(`POST /api/artifacts${query}`, {
      headers: { ...as(writeToken), 'Content-Type': 'application/zip', ...more },
      body: bytes,
    });
  const sent = await upload('', packageZip('acme/sent', '1.0.0'));
  await upload('', packageZip('acme/sent', '1.0.0'));
  await upload('', packageZip('acme/sent', '1.0.0', { homepage: 'https://changed.example' }));
  await upload('?name=acme/sent&version=dev-main', packageZip('acme/sent', 'dev-main'));
  await upload('?version=2.0.0', 'no ZIP');
  await upload('', 'text', { 'Content-Type': 'text/plain' });
  await transcript.ask('POST /api/artifacts', { body: 'x', headers: { 'Content-Type': 'application/zip' } });
  for (const line of [
    '/api/artifacts',
    '/api/artifacts?name=acme/sent&limit=1',
    '/api/artifacts?limit=0',
    `/api/artifacts/${idOf(sent)}`,
    `/api/artifacts/${none('art')}`,
  ])
    await ask(`GET ${line}`);
  for (const id of [idOf(sent), idOf(sent), none('art')]) await ask(`DELETE /api/artifacts/${id}`);
  for (const body of [{}, { retention_days: 0, dry_run: false }, { retention_days: -1 }])
    await ask('POST /api/artifacts/cleanup', body);
  expectRecorded('management/packages', transcript.text());
});

itInSeries('withdrawals and purges of versions answer as recorded', async () => {
  const transcript = openTranscript(workspace);
  const ask = askAs(transcript, () => admin);
  for (const line of [
    'DELETE /api/packages/acme/hello/versions/1.1.0',
    'DELETE /api/packages/acme/hello/versions/1.1.0',
    'DELETE /api/packages/acme/none/versions/1.0.0',
    'GET /api/purged-versions',
  ])
    await ask(line);
  const purge = 'POST /api/packages/acme/tool/versions/1.0.0/purge';
  const confirm = confirmationOf(await ask(purge, { reason: 'secret' }));
  await ask(`${purge}?confirm=${confirm}`, { reason: 'bored' });
  await ask(`${purge}?confirm=${confirm}`, { reason: 'secret', note: 'a key' });
  await ask(`POST /api/packages/acme/tool/versions/9.0.0/purge?confirm=true`, { reason: 'secret' });
  for (const line of [
    'GET /api/purged-versions',
    'GET /api/purged-versions?limit=0',
    'GET /dist/acme/tool/v1.0.0.zip',
    'GET /api/packages/acme/hello',
  ])
    await ask(line);
  await transcript.ask(`${purge}?confirm=true`, { headers: as(writeToken), body: { reason: 'secret' } });
  await transcript.stop(serve.join(' '), server);
  await transcript.run('audit list --limit 100');
  await transcript.run('package statistics acme/tool --json');
  expectRecorded('management/purge', transcript.text());
});
