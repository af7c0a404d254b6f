// Records the commands and the operations about notifications, each with a success and an error.

import { writeFileSync } from 'node:fs';
import { afterAll, it } from 'vitest';
import { itInSeries } from '../util/series.ts';
import { startReceiver } from '../util/webhook-receiver.ts';
import { expectRecorded } from './recorder/recording.ts';
import { writeConfiguration } from './recorder/sources.ts';
import { withoutRandomness } from './recorder/stable.ts';
import { openTranscript } from './recorder/transcript.ts';
import { openWorkspace } from './recorder/workspace.ts';

const workspace = openWorkspace();
afterAll(() => workspace[Symbol.asyncDispose]());

const serve = ['serve', '--listen', '127.0.0.1:4000', '--log', 'none'];

it('the commands about notifications behave as recorded', async () => {
  await using receiver = await startReceiver();
  writeConfiguration(workspace, {
    egress: { allow: ['127.0.0.0/8'] },
    publicUrl: 'https://packages.example.org',
    mail: 'smtp://libretto@127.0.0.1:9',
  });
  writeFileSync(workspace.at('url.txt'), `${receiver.url}/slack/secret\n`);
  const { run, text, expectSaid } = openTranscript(workspace);
  const added = await run(`notify add ${receiver.url}/hook --package acme/* --json`);
  const { id } = JSON.parse(added.stdout) as { readonly id: string };
  await run('notify add --form slack --url-file url.txt --event repository.sync.failed');
  await run('notify add ftp://127.0.0.1/hook');
  await run(`notify test ${id}`);
  for (const command of ['show', 'deliveries']) await run(`notify ${command} ${id}`);
  await run(`notify update ${id} --stability stable --json`);
  await run(`notify update ${id} --rotate --drop-old`);
  await run('notify list');
  await run('notify list --json');
  await run('notify list --token x');
  for (const command of ['show', 'test', 'deliveries', 'update --disable', 'remove'])
    await run(`notify ${command} ntf_0`);
  await run('notify mail');
  await run('notify mail --remove-password');
  await run('notify mail --remove-password --password-stdin');
  await run(`notify remove ${id} --yes`);
  expectSaid({
    'notify add ftp://127.0.0.1/hook': 'The endpoint is refused:',
    'notify test': 'The test of 127.0.0.1 (',
    'notify list': 'WAITING  LAST DELIVERED',
    'notify show': 'last delivered  ',
    'notify mail': ['last sent    never', 'last failed  never'],
    'notify remove': 'Removed the endpoint ',
  });
  expectRecorded('commands/notifications', withoutRandomness(text()));
});

itInSeries('the operations on notifications answer as recorded', async () => {
  await using receiver = await startReceiver();
  writeConfiguration(workspace, { egress: { allow: ['127.0.0.0/8'] } });
  const server = await workspace.start(serve, { says: 'libretto user create' });
  const transcript = openTranscript(workspace);
  const [, code] = /setup\?code=(\w+)/.exec(server.said()) ?? [];
  const setup = { setup_code: code, email: 'ada@example.org', password: 'correct horse battery staple' };
  const admin = (await transcript.fetch('POST /api/auth/setup', { body: setup })).json<{ token: string }>().token;
  const headers = { Authorization: `Bearer ${admin}` };
  const ask = (line: string, body?: unknown) => transcript.ask(line, { headers, body });
  const draft = { name: 'Deployment', url: `${receiver.url}/hook`, events: ['package.version.published'] };
  const { id } = (await ask('POST /api/notifications', draft)).json<{ id: string }>();
  await ask('POST /api/notifications', { url: 'ftp://127.0.0.1/hook' });
  const path = `/api/notifications/${id}`;
  for (const line of ['GET', 'POST /test', 'GET /deliveries', 'POST /secret']) {
    const [method = '', suffix = ''] = line.split(' ');
    await ask(`${method} ${path}${suffix}`);
    await ask(`${method} /api/notifications/ntf_0000000000000000${suffix}`);
  }
  await ask('GET /api/notifications');
  await ask('GET /api/notifications?limit=0');
  await ask(`PATCH ${path}`, { enabled: false });
  await ask(`PATCH ${path}`, {});
  await ask(`POST ${path}/replay`, { since: '2024-01-01T00:00:00Z' });
  await ask(`POST ${path}/replay`, { event: 'evt_0000000000000000000000' });
  await ask(`DELETE ${path}`);
  await ask(`DELETE ${path}`);
  expectRecorded('management/notifications', withoutRandomness(transcript.text()));
});
