// Tests a data folder that an earlier version wrote (data-folder.tar.gz: tree, state, keys, history, uploads, mirrored
// archives, tombstones). It opens and serves: the tree is sound, the tokens work, and a build of the same sources
// changes nothing.
//
// The folder stays unchanged. After an intended change of a format that must stay readable, write another folder and
// store it under another name:
//
//   npm run compile && MAKE_DATA_FOLDER=1 npx vitest run --config test/vitest.config.ts test/recorded/kept-folder.test.ts

import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { referenceFor, startUpstream } from '../util/upstream.ts';
import { describeFolder, listingOf } from './recorder/data-folder.ts';
import { expectRecorded } from './recorder/recording.ts';
import { packageZip, pushCommit, writeConfiguration, writeDated, writeSources } from './recorder/sources.ts';
import { openTranscript } from './recorder/transcript.ts';
import { openWorkspace } from './recorder/workspace.ts';

const archive = new URL('data-folder.tar.gz', import.meta.url).pathname;
const workspace = openWorkspace('real');
afterAll(() => workspace[Symbol.asyncDispose]());

/** Writes every source into the workspace, because the folder remembers their paths. */
function writeSourcesOfThen(): void {
  writeSources(workspace);
  rmSync(workspace.at('bought/unsafe.zip'));
  writeConfiguration(workspace, { egress: { allow: ['127.0.0.0/8'] } });
}

async function describePublished(): Promise<string> {
  const described = await describeFolder(workspace.at('data'), workspace.root);
  // the first build announces the purges of a release that did not announce them
  const files = described.filter(({ path }) => path !== 'index/_publication.json');
  return listingOf(files.filter(({ path }) => /^(?:public|index|artifacts)\//.test(path)));
}

async function makeDataFolder(): Promise<void> {
  await using upstream = await startUpstream();
  workspace.offerPort(4002, Number(new URL(upstream.url).port));
  const distUrl = `http://127.0.0.1:4002/files/some/lib/1.0.0/${referenceFor('some/lib 1.0.0')}.zip`;
  upstream.put('some/lib', [{ version: '1.0.0', zip: packageZip('some/lib', '1.0.0'), distUrl }]);
  writeSourcesOfThen();
  writeDated(workspace.at('upload'), { 'sent.zip': packageZip('acme/sent', '1.0.0') });
  const locked = {
    name: 'some/lib',
    version: '1.0.0',
    dist: { type: 'zip', url: distUrl, reference: referenceFor('some/lib 1.0.0'), shasum: '' },
  };
  writeFileSync(workspace.at('composer.lock'), JSON.stringify({ packages: [locked], 'packages-dev': [] }));
  await workspace.run(['build']);
  pushCommit(workspace);
  await workspace.run(['build']);
  const lines = [
    'keys rotate',
    'publish upload/sent.zip',
    'package withdraw acme/old 0.9.0',
    'package purge acme/tool 1.0.0 --reason secret --yes',
    'settings set mirroring.url http://127.0.0.1:4002',
    'settings set mirroring.enabled true',
    'mirror warm composer.lock',
  ];
  for (const line of lines) await workspace.json(...line.split(' '));
  await workspace.run(['user', 'create', '--email', 'ada@example.org', '--admin', '--password-stdin'], {
    input: 'correct horse battery staple\n',
  });
  const { token } = await workspace.json<{ readonly token: string }>('token', 'create', '--description', 'kept');
  writeFileSync(workspace.at('token.txt'), token);
  execFileSync('tar', [
    '-czf',
    archive,
    '--exclude=lock.mdb',
    '--sort=name',
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    '-C',
    workspace.at(),
    'data',
    'token.txt',
  ]);
}

if (process.env['MAKE_DATA_FOLDER'] === '1') it('a new data folder is written on request', makeDataFolder);

it('a data folder of an earlier version opens, verifies, serves and builds', async () => {
  const transcript = openTranscript(workspace);
  execFileSync('tar', ['-xpzf', archive, '-C', workspace.at()]);
  // the identity of the sources includes their path relative to the data folder
  writeSourcesOfThen();
  pushCommit(workspace);
  workspace.pass(3600);
  for (const command of [
    'verify',
    'token list',
    'user list',
    'keys list',
    'audit verify',
    'history',
    'package list --purged',
    'mirror list',
    'mirror verify',
    'settings list',
    'status',
  ])
    await transcript.run(`${command} --json`);
  const token = readFileSync(workspace.at('token.txt'), 'utf8');
  const server = await workspace.start(['serve', '--listen', '127.0.0.1:4000', '--log', 'none']);
  const headers = { Authorization: `Bearer ${token}` };
  for (const line of [
    'GET /packages.json',
    'GET /p2/acme/hello.json',
    'GET /p2/acme/tool~dev.json',
    'GET /dist/acme/tool/dev-main.zip',
    'GET /dist/acme/sent/1.0.0.zip',
    'GET /dist/acme/tool/v1.0.0.zip',
    'GET /dist/acme/old/0.9.0.zip',
    'GET /dist/some/lib/1.0.0.zip',
  ])
    await transcript.ask(line, { headers });
  const { status } = await transcript.ask('POST /api/auth/login', {
    body: { email: 'ada@example.org', password: 'correct horse battery staple' },
  });
  expect(status).toBe(200);
  await server.stop();
  const published = await describePublished();
  await transcript.run('build --json');
  expect(await describePublished()).toBe(published);
  await transcript.run('rollback 1 --dry-run --json');
  expectRecorded('kept-folder', transcript.text());
});
