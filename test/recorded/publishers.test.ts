// Records the commands and the operations about trusted publishers, each with a success and an error.

import { writeFileSync } from 'node:fs';
import { afterAll, it } from 'vitest';
import { startOidcIssuer } from '../util/oidc-issuer.ts';
import { githubClaims } from '../util/publisher-claims.ts';
import { expectRecorded } from './recorder/recording.ts';
import { writeConfiguration } from './recorder/sources.ts';
import { withoutRandomness } from './recorder/stable.ts';
import { openTranscript } from './recorder/transcript.ts';
import { openWorkspace } from './recorder/workspace.ts';
import { itInSeries } from '../util/series.ts';

const workspace = openWorkspace();
afterAll(() => workspace[Symbol.asyncDispose]());

const audience = 'http://127.0.0.1:4000';
const serve = ['serve', '--listen', '127.0.0.1:4000', '--log', 'none'];
/** Before the clock of the recordings, and hours after it. */
const times = { nowMs: Date.parse('2024-02-03T04:00:00Z'), exp: Date.parse('2024-02-04T03:00:00Z') / 1000 };

it('a registry without a known address has no audience, as recorded', async () => {
  writeConfiguration(workspace, {});
  const server = await workspace.start(serve, { says: 'libretto user create' });
  const transcript = openTranscript(workspace);
  await transcript.ask('GET /api/oidc/audience');
  await transcript.stop(serve.join(' '), server);
  expectRecorded('management/publishers-without-address', withoutRandomness(transcript.text()));
});

it('the commands about trusted publishers behave as recorded', async () => {
  await using github = await startOidcIssuer('/_services/token');
  configure(github.url);
  const { run, text, expectSaid, stop } = openTranscript(workspace);
  const add = 'publisher add --issuer github --repository acme/app --workflow release.yml';
  const added = await run(`${add} --package acme/* --json`);
  const { id } = JSON.parse(added.stdout) as { readonly id: string };
  await run(`${add} --purpose read --package acme/app`);
  await run(`${add} --package acme`);
  await run('publisher list');
  await run('publisher list --token x');
  await run(`publisher show ${id}`);
  await run(`publisher update ${id} --environment release`);
  for (const command of ['show', 'update --refs any', 'remove']) await run(`publisher ${command} pub_0`);
  const claims = githubClaims(
    { issuer: github.url, nowMs: times.nowMs },
    { aud: audience, exp: times.exp, jti: 'first' },
  );
  writeFileSync(workspace.at('id-token.txt'), `${await github.sign(claims)}\n`);
  await run('publisher explain --token-file id-token.txt');
  await run('publisher explain --token-file none.txt');
  const server = await workspace.start(serve, { says: 'libretto user create' });
  const environment = { LIBRETTO_ID_TOKEN: await github.sign({ ...claims, jti: 'second' }) };
  const login = 'ci login --url http://127.0.0.1:4000 --print';
  const { stdout } = await run(login, { environment });
  await run(login);
  const [, auth = ''] = /COMPOSER_AUTH='(.*)'/.exec(stdout) ?? [];
  await run('ci logout --url http://127.0.0.1:4000', { environment: { COMPOSER_AUTH: auth } });
  await run('ci logout');
  await stop(serve.join(' '), server);
  await run(`publisher remove ${id} --yes`);
  expectSaid({
    'publisher list': 'PACKAGES  LAST EXCHANGE',
    'publisher show': [
      'workflow       release.yml (the file that runs)',
      'exchanges      0 of 60 in this hour',
      'last exchange  never',
    ],
    'publisher add': 'Write acme/core, acme/* or *; a pattern has a vendor, a slash and a name.',
    'ci login': 'Composer can read from 127.0.0.1:4000 until ',
  });
  expectRecorded('commands/publishers', withoutRandomness(text()));
});

itInSeries('the operations on trusted publishers answer as recorded', async () => {
  await using github = await startOidcIssuer('/_services/token');
  configure(github.url);
  const server = await workspace.start(serve, { says: 'libretto user create' });
  const transcript = openTranscript(workspace);
  const [, code] = /setup\?code=(\w+)/.exec(server.said()) ?? [];
  const setup = { setup_code: code, email: 'ada@example.org', password: 'correct horse battery staple' };
  const admin = (await transcript.fetch('POST /api/auth/setup', { body: setup })).json<{ token: string }>().token;
  const headers = { Authorization: `Bearer ${admin}` };
  const ask = (line: string, body?: unknown) => transcript.ask(line, { headers, body });
  const source = { issuer: github.url, repository: 'acme/app', workflow: 'other.yml' };
  const draft = { ...source, purpose: 'publish', packages: ['acme/*'] };
  const { id } = (await ask('POST /api/publishers', draft)).json<{ id: string }>();
  await ask('POST /api/publishers', { ...draft, issuer: 'https://issuer.example.org' });
  for (const path of [`/api/publishers/${id}`, '/api/publishers/pub_0000000000000000']) await ask(`GET ${path}`);
  for (const query of ['', '?limit=0']) await ask(`GET /api/publishers${query}`);
  for (const body of [{ workflow: 'release.yml' }, {}]) await ask(`PATCH /api/publishers/${id}`, body);
  const claims = githubClaims(
    { issuer: github.url, nowMs: times.nowMs },
    { aud: audience, exp: times.exp, jti: 'third' },
  );
  const token = await github.sign(claims);
  for (const body of [{ token }, { token: '' }]) await ask('POST /api/publishers/explain', body);
  await transcript.ask('GET /api/oidc/audience');
  const wish = { token, publisher: id };
  const exchanged = (await transcript.ask('POST /api/oidc/token', { body: wish })).json<{ token: string }>().token;
  await transcript.ask('POST /api/oidc/token', { body: wish });
  const own = { headers: { Authorization: `Bearer ${exchanged}` } };
  for (let turn = 0; turn < 2; turn += 1) await transcript.ask('DELETE /api/oidc/token', own);
  for (let turn = 0; turn < 2; turn += 1) await ask(`DELETE /api/publishers/${id}`);
  expectRecorded('management/publishers', withoutRandomness(transcript.text()));
});

function configure(url: string): void {
  writeConfiguration(workspace, {
    egress: { allow: ['127.0.0.0/8'] },
    publicUrl: audience,
    oidcIssuers: [`github=${url}`],
  });
}
