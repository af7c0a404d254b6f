// Records `libretto login` and `logout`, the commands and operations about teams, and the operations about passkeys,
// terminals and own tokens, each with a success and an error.

import { afterAll, beforeAll, it } from 'vitest';
import { softAuthenticator, type PasskeyQuestion } from '../util/passkey-authenticator.ts';
import { expectRecorded } from './recorder/recording.ts';
import { writeConfiguration, writeDirectories } from './recorder/sources.ts';
import { withoutRandomness } from './recorder/stable.ts';
import { openTranscript, type Transcript } from './recorder/transcript.ts';
import { consoleOrigin, openVisitor, type Visitor } from './recorder/visitor.ts';
import { openWorkspace, type Running } from './recorder/workspace.ts';

const workspace = openWorkspace();
afterAll(() => workspace[Symbol.asyncDispose]());

const url = 'http://127.0.0.1:4000';
const serve = ['serve', '--listen', '127.0.0.1:4000', '--log', 'none'];
const ada = { email: 'ada@example.org', password: 'correct horse battery staple' };
const formType = { 'Content-Type': 'application/x-www-form-urlencoded' };

beforeAll(async () => {
  writeDirectories(workspace);
  writeConfiguration(workspace, { sources: ['packages'] });
  await workspace.run(['build']);
  for (const [email, role] of [
    [ada.email, 'admin'],
    ['bob@example.org', 'viewer'],
  ] as const)
    await workspace.run(['user', 'create', '--role', role, '--email', email, '--password-stdin'], {
      input: `${ada.password}\n`,
    });
});

/** The console, as Ada sees it. */
async function adaAtConsole(transcript: Transcript): Promise<Visitor> {
  const visitor = openVisitor(transcript);
  await visitor.post('/sign-in', ada);
  return visitor;
}

async function sessionOfAda(transcript: Transcript, code?: string): Promise<Readonly<Record<string, string>>> {
  const body = { ...ada, ...(code === undefined ? {} : { code }) };
  const { token } = (await transcript.fetch('POST /api/auth/login', { body })).json<{ token: string }>();
  return { Authorization: `Bearer ${token}` };
}

it('the commands about teams behave as recorded', async () => {
  const { run, text, expectSaid } = openTranscript(workspace);
  await run('team list');
  await run("team create Tools --package acme/tool --package 'acme/hello' --member bob@example.org");
  await run('team create Tools --package acme');
  await run('team create Shop --package acme/shop --json');
  await run('team list');
  await run('team list --token x');
  await run('team show tools');
  await run('team show none');
  await run('team update Tools --package acme/*');
  await run('team update Tools');
  await run('team add-member Shop ada@example.org bob@example.org');
  await run('team add-member Shop eve@example.org');
  await run('user list');
  for (const user of ['bob@example.org', 'bob@example.org --json', 'eve@example.org']) await run(`user show ${user}`);
  await run('team remove-member Shop ada@example.org');
  await run('team remove-member none ada@example.org');
  await run('team remove Shop');
  await run('team remove Shop --yes');
  expectSaid({
    'team create Tools': [
      'people without a team see no packages, except admins.',
      'a pattern has a vendor, a slash and a name.',
    ],
    'team show none': 'There is no team "none". `libretto team list` shows all of them.',
    'team remove Shop --yes': 'Removed the team ',
  });
  expectRecorded('commands/teams', withoutRandomness(text()));
});

it('the operations on teams answer as recorded', async () => {
  const server = await workspace.start(serve);
  const transcript = openTranscript(workspace);
  const headers = await sessionOfAda(transcript);
  const ask = (line: string, body?: unknown) => transcript.ask(line, { headers, body });
  const draft = { name: 'Shop', packages: ['acme/shop'], members: [ada.email] };
  const { id, members } = (await ask('POST /api/teams', draft)).json<{ id: string; members: { id: string }[] }>();
  await ask('POST /api/teams', draft);
  for (const query of ['', '?limit=0']) await ask(`GET /api/teams${query}`);
  for (const one of [id, 'tea_0']) await ask(`GET /api/teams/${one}`);
  for (const body of [{ packages: ['acme/*'] }, {}]) await ask(`PATCH /api/teams/${id}`, body);
  for (const member of ['bob@example.org', 'eve@example.org'])
    await ask(`POST /api/teams/${id}/members`, { members: [member] });
  for (let turn = 0; turn < 2; turn += 1) await ask(`DELETE /api/teams/${id}/members/${members[0]?.id ?? ''}`);
  await ask(`DELETE /api/teams/tea_0000000000000000/members/${members[0]?.id ?? ''}`);
  for (let turn = 0; turn < 2; turn += 1) await ask(`DELETE /api/teams/${id}`);
  await transcript.stop(serve.join(' '), server);
  expectRecorded('management/teams', withoutRandomness(transcript.text()));
});

it('libretto login and logout behave as recorded', async () => {
  const server = await workspace.start(serve);
  const transcript = openTranscript(workspace);
  const { run, end, stop, text, expectSaid } = transcript;
  const environment = { XDG_CONFIG_HOME: workspace.at('config'), COMPOSER_HOME: workspace.at('composer') };
  const visitor = await adaAtConsole(transcript);
  const login = ['login', url, '--composer'];
  const signIn = async (decision: 'approve' | 'deny'): Promise<void> => {
    workspace.pass(60);
    const terminal = await workspace.start(login, { says: 'ten minutes', environment });
    await visitor.post(`/device/${decision}`, { code: codeIn(terminal), current_password: ada.password });
    await end(login.join(' '), terminal);
  };
  await run('login --list', { environment });
  await run('login --days 91', { environment: { ...environment, LIBRETTO_URL: url } });
  await signIn('deny');
  await signIn('approve');
  await run('login --list', { environment });
  await run('login --list --json', { environment });
  await run('token list');
  await run(`api GET /api/packages --url ${url}`, { environment });
  await run(`api GET /api/nothing --url ${url}`, { environment });
  await run('logout', { environment });
  await run('logout', { environment });
  await stop(serve.join(' '), server);
  expectSaid({
    'login http://127.0.0.1:4000': [
      'To sign in at http://127.0.0.1:4000, open http://127.0.0.1:4000/ui/device in a browser.',
      'It is valid for ten minutes.',
      'settings, people, tokens or second factors: that needs the console.',
      'The token is in ',
      'Composer reads it from ',
    ],
    'login --list': 'You are signed in nowhere. `libretto login https://packages.example.org` signs you in.',
  });
  expectRecorded('commands/login', withoutRandomness(text()));
});

it('the operations of terminals answer as recorded', async () => {
  const server = await workspace.start(serve);
  const transcript = openTranscript(workspace);
  const visitor = await adaAtConsole(transcript);
  const send = (path: string, fields: Readonly<Record<string, string>>) =>
    transcript.ask(`POST ${path}`, { headers: formType, body: new URLSearchParams(fields).toString() });
  await transcript.ask('GET /.well-known/oauth-authorization-server');
  await send('/api/oauth/device_authorization', { client_id: 'other' });
  const wish = { client_id: 'libretto-cli', machine: 'laptop' };
  const begun = (await send('/api/oauth/device_authorization', wish)).json<Readonly<Record<string, string>>>();
  const { device_code: code = '', user_code: typed = '' } = begun;
  const grant = {
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    device_code: code,
    client_id: 'libretto-cli',
  };
  await send('/api/oauth/token', grant);
  await visitor.post('/device/approve', { code: typed, current_password: ada.password });
  workspace.pass(5);
  const given = (await send('/api/oauth/token', grant)).json<{ access_token: string; token_id: string }>();
  await send('/api/oauth/token', grant);
  const headers = { Authorization: `Bearer ${given.access_token}` };
  for (const query of ['', '?limit=0']) await transcript.ask(`GET /api/auth/tokens${query}`, { headers });
  await transcript.ask('GET /api/auth/me', { headers });
  await transcript.ask('POST /api/tokens', { headers, body: { description: 'x', kind: 'read' } });
  await transcript.ask('DELETE /api/auth/tokens/tok_0000000000000000', { headers });
  for (let turn = 0; turn < 2; turn += 1)
    await transcript.ask(`DELETE /api/auth/tokens/${given.token_id}`, { headers });
  await transcript.stop(serve.join(' '), server);
  expectRecorded('management/terminals', withoutRandomness(transcript.text()));
});

it('the operations on passkeys answer as recorded', async () => {
  const server = await workspace.start(serve);
  const transcript = openTranscript(workspace);
  const codes = await addPasskey(await adaAtConsole(transcript));
  const headers = await sessionOfAda(transcript, codes[0]);
  const ask = (line: string, body?: unknown) => transcript.ask(line, { headers, body });
  const { data } = (await ask('GET /api/auth/passkeys')).json<{ data: readonly { id: string }[] }>();
  const path = `/api/auth/passkeys/${data[0]?.id ?? 'none'}`;
  await ask('GET /api/auth/passkeys?limit=0');
  for (const name of ['Old laptop', '']) await ask(`PATCH ${path}`, { name });
  await ask('GET /api/users');
  const proof = { password: ada.password, code: codes[1] };
  for (const body of [{ ...proof, code: '123456' }, proof]) await ask(`POST ${path}/remove`, body);
  await transcript.stop(serve.join(' '), server);
  expectRecorded('management/passkeys', withoutRandomness(transcript.text()));
});

/** The recovery codes that come with the first passkey. */
async function addPasskey(visitor: Visitor): Promise<readonly string[]> {
  const question = (await visitor.post('/passkey', { purpose: 'add' })).json<PasskeyQuestion>();
  const added = await visitor.post('/account/passkeys/new', {
    name: 'Laptop',
    'add-token': question.token,
    'add-passkey': softAuthenticator().create(question, consoleOrigin),
  });
  return added.bytes.toString().match(/[A-Z2-7]{4}(?:-[A-Z2-7]{4}){5}/g) ?? [];
}

function codeIn(terminal: Running): string {
  return /The code is (\S+)/.exec(terminal.said())?.[1] ?? 'no code';
}
