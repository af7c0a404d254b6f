// Records the commands and the operations about connections to forges, each with a success and an error.

import { writeFileSync } from 'node:fs';
import { afterAll, it } from 'vitest';
import { addTools } from '../util/forges/all-forges.ts';
import { startGitHub } from '../util/forges/fake-github.ts';
import { expectRecorded } from './recorder/recording.ts';
import { writeConfiguration } from './recorder/sources.ts';
import { withoutRandomness } from './recorder/stable.ts';
import { openTranscript } from './recorder/transcript.ts';
import { openWorkspace } from './recorder/workspace.ts';

const workspace = openWorkspace();
afterAll(() => workspace[Symbol.asyncDispose]());

const serve = ['serve', '--listen', '127.0.0.1:4000', '--log', 'none'];

it('the commands about connections behave as recorded', async () => {
  await using forge = await startGitHub();
  addTools(forge, 1);
  forge.repositories.push({ id: '3', name: 'website' });
  writeConfiguration(workspace, { egress: { allow: ['127.0.0.0/8'] } });
  writeFileSync(workspace.at('forge-token.txt'), `${forge.token}\n`);
  const { run, text, expectSaid } = openTranscript(workspace);
  const place = `connection add github --forge-url ${forge.url} --owner acme --token-file forge-token.txt`;
  await run(`${place} --dry-run`);
  const { connection } = JSON.parse((await run(`${place} --json`)).stdout) as { readonly connection: { id: string } };
  await run(place);
  for (const command of ['refresh', 'show']) await run(`connection ${command} ${connection.id}`);
  await run(`connection update ${connection.id} --interval 15m`);
  await run('connection list --json --token x');
  await run('connection list --json');
  for (const command of ['refresh', 'show', 'update --forks', 'remove']) await run(`connection ${command} conn_0`);
  await run(`connection remove ${connection.id} --yes`);
  await run('connection list');
  expectSaid({
    'connection show': [
      'refresh interval  3600 seconds',
      'sync interval     43200 seconds',
      'last refreshed    ',
      'Not registered: its default branch has no composer.json.',
    ],
  });
  expectRecorded('commands/connections', withoutRandomness(text()));
});

it('the operations on connections answer as recorded', async () => {
  await using forge = await startGitHub();
  addTools(forge, 1);
  writeConfiguration(workspace, { egress: { allow: ['127.0.0.0/8'] } });
  const server = await workspace.start(serve, { says: 'libretto user create' });
  const transcript = openTranscript(workspace);
  const [, code] = /setup\?code=(\w+)/.exec(server.said()) ?? [];
  const setup = { setup_code: code, email: 'ada@example.org', password: 'correct horse battery staple' };
  const admin = (await transcript.fetch('POST /api/auth/setup', { body: setup })).json<{ token: string }>().token;
  const headers = { Authorization: `Bearer ${admin}` };
  const ask = (line: string, body?: unknown) => transcript.ask(line, { headers, body });
  const draft = { forge: 'github', url: forge.url, owner: 'acme', credentials: { token: forge.token } };
  for (const body of [draft, { ...draft, owner: 'a/b' }]) await ask('POST /api/connections/plan', body);
  const { id } = (await ask('POST /api/connections', draft)).json<{ id: string }>();
  await ask('POST /api/connections', draft);
  const path = `/api/connections/${id}`;
  await transcript.wait(`GET ${path}`, { headers }, ({ bytes }) => bytes.includes('"status":"active"'));
  for (const suffix of ['', '/repositories']) await ask(`GET ${path}${suffix}`);
  await ask('GET /api/connections');
  await ask('GET /api/connections?limit=0');
  await ask(`PATCH ${path}`, { interval: 900 });
  await ask(`PATCH ${path}`, {});
  for (const line of ['GET', 'POST /refresh', 'GET /repositories']) {
    const [method = '', suffix = ''] = line.split(' ');
    await ask(`${method} /api/connections/conn_0${suffix}`);
  }
  await ask(`POST ${path}/refresh`);
  await ask(`DELETE ${path}`);
  await ask(`DELETE ${path}?confirm=${id}`);
  expectRecorded('management/connections', withoutRandomness(transcript.text()));
});
