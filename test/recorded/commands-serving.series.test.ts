// Records the commands that serve, that call another registry (--url), that register repositories, and that mirror.

import { rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, it } from 'vitest';
import { libraryTree } from '../util/package-tree.ts';
import { startOrigin } from '../util/origin-server.ts';
import { referenceFor, startUpstream, type TestUpstream } from '../util/upstream.ts';
import { describeFolder, contentsOf } from './recorder/data-folder.ts';
import { expectRecorded } from './recorder/recording.ts';
import { packageZip, writeConfiguration, writeDated, writeSources } from './recorder/sources.ts';
import { openTranscript } from './recorder/transcript.ts';
import { openWorkspace } from './recorder/workspace.ts';

const workspace = openWorkspace();
let upstream: TestUpstream;

beforeAll(async () => {
  upstream = await startUpstream();
  workspace.offerPort(4002, Number(new URL(upstream.url).port));
  writeSources(workspace);
  writeConfiguration(workspace, { sourceRoots: [workspace.at('roots')], egress: { allow: ['127.0.0.0/8'] } });
  writeDated(workspace.at('roots/team'), libraryTree('team/lib', { version: '1.0.0' }));
  await workspace.run(['build']);
});
afterAll(async () => {
  await workspace[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});

const idIn = (stdout: string): string => (JSON.parse(stdout) as { readonly id: string }).id;

it('the commands for registered repositories behave as recorded', async () => {
  const transcript = openTranscript(workspace);
  const run = (command: string) => transcript.run(`repository ${command}`);
  writeFileSync(workspace.at('token.txt'), 'very secret\n');
  await run('list');
  const team = idIn((await run(`add ${workspace.at('roots/team')} --type directory --json`)).stdout);
  writeDated(workspace.at('roots/gone'), libraryTree('gone/lib', { version: '1.0.0' }));
  const gone = idIn((await run(`add ${workspace.at('roots/gone')} --type directory --json`)).stdout);
  rmSync(workspace.at('roots/gone'), { recursive: true });
  const git = idIn(
    (await run('add https://127.0.0.1:4099/acme/none.git --token-file token.txt --interval 15m --branch main --json'))
      .stdout,
  );
  for (const command of [
    'add file:///etc',
    `add ${workspace.at('packages')} --type directory`,
    'add https://127.0.0.1:4099/acme/none.git',
    'list',
    'list --json',
    'list --page',
    `show ${team}`,
    `show ${git} --json`,
    'show repo_none',
    `verify ${team}`,
    `verify ${gone}`,
    'verify repo_none',
    `update ${team} --only team/* --interval 1h`,
    `update ${git} --without credentials interval --json`,
    'update repo_none --interval 1h',
    `update ${team} --interval soon`,
    `sync ${team}`,
    `sync ${gone}`,
    'sync repo_none',
    `show ${team}`,
    `remove ${team}`,
    `remove ${team} --yes --json`,
    `remove ${git} --yes`,
    'remove repo_none --yes',
    'withdraw',
    'withdraw --all',
  ])
    await run(command);
  transcript.expectSaid({
    'repository update': '--interval is "soon"; allowed: a span such as 15m, 12h or 1d, from a minute to a year.',
    'repository show': ['sync interval  none (only on request)', 'last synced    never'],
  });
  expectRecorded('commands/repositories', transcript.text());
});

it('the commands that mirror another registry behave as recorded', async () => {
  const transcript = openTranscript(workspace);
  const { run } = transcript;
  const put = (version: string, seed = version): { version: string; zip: Buffer; distUrl: string } => ({
    version,
    zip: packageZip('some/lib', seed),
    distUrl: `http://127.0.0.1:4002/files/some/lib/${version}/${referenceFor(`some/lib ${version}`)}.zip`,
  });
  upstream.put('some/lib', [put('1.1.0'), put('1.0.0')]);
  for (const command of [
    'mirror list',
    'mirror warm composer.lock',
    'settings set mirroring.url http://127.0.0.1:4002',
    'settings set mirroring.enabled true',
  ])
    await run(command);
  const locked = (name: string, version: string) => ({
    name,
    version,
    dist: {
      type: 'zip',
      url: 'https://elsewhere.example/x.zip',
      reference: referenceFor(`${name} ${version}`),
      shasum: '',
    },
  });
  writeFileSync(
    workspace.at('composer.lock'),
    JSON.stringify({ packages: [locked('some/lib', '1.0.0'), locked('some/none', '1.0.0')], 'packages-dev': [] }),
  );
  writeFileSync(
    workspace.at('good.lock'),
    JSON.stringify({ packages: [locked('some/lib', '1.0.0')], 'packages-dev': [] }),
  );
  for (const command of [
    'mirror warm composer.lock',
    'mirror warm good.lock --json',
    'mirror list',
    'mirror list --json',
    'mirror list some/lib',
    'mirror verify',
    'mirror verify --json',
    'mirror prune --dry-run',
    'mirror prune --keep-for never',
    'mirror prune --json',
    'why some/lib',
    'why some/lib 1.1.0 --json',
  ])
    await run(command);
  const token = (await workspace.json<{ readonly token: string }>('token', 'create', '--description', 'reader')).token;
  const server = await workspace.start(['serve', '--listen', '127.0.0.1:4000'], { says: 'libretto user create' });
  const headers = { Authorization: `Bearer ${token}` };
  for (const line of [
    'GET /packages.json',
    'GET /p2/some/lib.json',
    'GET /p2/some/lib~dev.json',
    'GET /p2/some/none.json',
    'GET /dist/some/lib/1.1.0.zip',
    'GET /dist/some/lib/1.1.0.zip',
    'HEAD /dist/some/lib/1.0.0.zip',
    'GET /dist/some/lib/9.0.0.zip',
    'GET /search.json?q=lib',
    'GET /api/packages/some/lib',
    'GET /p2/acme/hello.json',
  ])
    await transcript.ask(line, { headers });
  upstream.put('some/lib', [put('1.2.0'), put('1.1.0', '1.1.0 changed'), put('1.0.0')]);
  workspace.pass(86_400);
  for (const line of ['GET /p2/some/lib.json', 'GET /dist/some/lib/1.1.0.zip']) await transcript.ask(line, { headers });
  upstream.failing.status = 503;
  workspace.pass(86_400);
  for (const line of ['GET /p2/some/lib.json', 'GET /dist/some/lib/1.2.0.zip']) await transcript.ask(line, { headers });
  await transcript.stop('serve --listen 127.0.0.1:4000', server);
  const files = await describeFolder(workspace.at('data/mirror'), workspace.root);
  transcript.note(contentsOf(files));
  writeFileSync(
    workspace.at('data', files.find(({ path }) => path.endsWith('.zip'))?.path.replace(/^/, 'mirror/') ?? ''),
    'damaged',
  );
  for (const command of ['mirror verify', 'mirror verify --json', 'settings set mirroring.enabled false'])
    await run(command);
  transcript.expectSaid({
    'mirror list': 'Nothing was mirrored yet.',
  });
  expectRecorded('commands/mirror', transcript.text());
});

it('the commands that serve, start, and call a remote registry behave as recorded', async () => {
  const transcript = openTranscript(workspace);
  const { run } = transcript;
  writeDated(workspace.at('packages-src'), libraryTree('acme/first', { version: '1.0.0' }));
  writeFileSync(workspace.at('plain.json'), '{}');
  const start = ['start', '--data', 'started', '--config', 'plain.json', '--listen', '127.0.0.1:4000'];
  const first = await workspace.start(start, { says: 'Press Ctrl+C' });
  await run('serve --data started --config plain.json --listen 127.0.0.1:4005');
  await transcript.stop(start.join(' '), first);
  const again = await workspace.start(start, { says: 'Press Ctrl+C' });
  await transcript.stop(start.join(' '), again);

  await run(`repository add ${workspace.at('roots/team')} --type directory --json`);
  const token = (
    await workspace.json<{ readonly token: string }>('token', 'create', '--description', 'writer', '--kind', 'write')
  ).token;
  const serve = ['serve', '--listen', '127.0.0.1:4000', '--log', 'none'];
  const server = await workspace.start(serve, { says: 'libretto user create' });
  const environment = { LIBRETTO_TOKEN: token };
  const repository = await workspace
    .json<{ readonly repositories: readonly { readonly id: string }[] }>('repository', 'list')
    .then(({ repositories }) => repositories.at(-1));
  writeDated(workspace.at('upload'), { 'far.zip': packageZip('acme/far', '1.0.0') });
  for (const command of [
    'repository list',
    `repository show ${repository?.id} --json`,
    `repository sync ${repository?.id} --json`,
    'repository show repo_none',
    'publish upload/far.zip',
    'publish upload/far.zip --json',
    'publish packages/hello-1.0',
  ])
    await transcript.run(`${command} --url http://127.0.0.1:4000`, { environment });
  for (const command of [
    'repository list --url http://127.0.0.1:4000',
    'repository list --url http://127.0.0.1:4000 --token lib_r_wrong',
    'publish upload/far.zip --url http://127.0.0.1:4009 --token x',
    'doctor --url http://127.0.0.1:4000',
    'doctor --url http://127.0.0.1:4009',
  ])
    await run(command);
  await transcript.run('doctor --url http://127.0.0.1:4000 --json', { environment });
  await transcript.stop(serve.join(' '), server);
  transcript.expectSaid({
    'serve --data started': 'Each server would count requests for itself,',
    start: [
      'Press Ctrl+C to stop.',
      'To publish your own packages, run one of these lines in another shell in this folder:',
    ],
    'doctor --url http://127.0.0.1:4000': [
      's ahead of the clock of this host.',
      'url.ready      It can serve install',
      'The server (process ',
      'has the ZIPs of 1 published upload',
    ],
  });
  expectRecorded('commands/serving', transcript.text());
});

it('verification and withdrawal of registered repositories with --json behave as recorded', async () => {
  const transcript = openTranscript(workspace);
  const run = (command: string) => transcript.run(`repository ${command} --json`);
  const add = async (name: string) => {
    writeDated(workspace.at('roots', name), libraryTree(`${name}/lib`, { version: '1.0.0' }));
    return idIn((await run(`add ${workspace.at('roots', name)} --type directory`)).stdout);
  };
  const [whole, lost] = [await add('whole'), await add('lost')];
  rmSync(workspace.at('roots/lost'), { recursive: true });
  for (const command of [
    `verify ${whole}`,
    `verify ${lost}`,
    'verify repo_none',
    'show repo_none',
    `sync ${whole}`,
    `sync ${lost}`,
    `remove ${whole} --yes`,
    'withdraw',
    'withdraw --all',
  ])
    await run(command);
  expectRecorded('commands/repositories-json', transcript.text());
});

it('a server with one feature, of a tree at an origin, behaves as recorded', async () => {
  const transcript = openTranscript(workspace);
  await using origin = await startOrigin(workspace.at('data'));
  workspace.offerPort(4003, Number(new URL(origin.url).port));
  const create = ['token', 'create', '--description', 'reader', '--data', 'front'];
  const { token } = await workspace.json<{ readonly token: string }>(...create);
  const serve = 'serve --listen 127.0.0.1:4000 --log none --data front'.split(' ');
  serve.push('--origin', 'http://127.0.0.1:4003', '--features', 'search');
  const server = await workspace.start(serve);
  for (const line of [
    'GET /packages.json',
    'GET /p2/acme/hello.json',
    'GET /p2/acme/hello~dev.json',
    'GET /p2/acme/none.json',
    'GET /dist/acme/hello/1.0.0.zip',
    'HEAD /dist/acme/hello/1.0.0.zip',
    'GET /search.json?q=hello',
    'GET /security-advisories?packages[]=acme/hello',
    'POST /downloads',
    'GET /api/packages',
    'GET /health',
  ])
    await transcript.ask(line, { headers: { Authorization: `Bearer ${token}` } });
  await transcript.stop(serve.join(' '), server);
  for (const command of ['serve --features pages', 'start --origin https://a.example']) await transcript.run(command);
  transcript.expectSaid({
    serve: 'The tree is at http://127.0.0.1:4003.',
  });
  expectRecorded('commands/origin', transcript.text());
});

it('webhooks of registered repositories behave as recorded', async () => {
  const transcript = openTranscript(workspace);
  writeDated(workspace.at('roots/hooked'), libraryTree('hooked/lib', { version: '1.0.0' }));
  const added = await transcript.run(`repository add ${workspace.at('roots/hooked')} --type directory --json`);
  const id = idIn(added.stdout);
  for (const command of [
    `hook ${id}`,
    `hook ${id}`,
    `hook ${id} --rotate`,
    `hook ${id} --json`,
    `hook ${id} --rotate --drop-old --json`,
    `hook ${id} --remove`,
    'hook --all --json',
    'hook --all --replay dlv_none',
    'hook',
    'hook repo_none',
  ])
    await transcript.run(`repository ${command}`);
  expectRecorded('commands/webhooks', transcript.text());
});

it('the refresh of a mirror behaves as recorded', async () => {
  const transcript = openTranscript(workspace);
  for (const command of ['', ' --json', ' some/none', ' some/none --json', ' some'])
    await transcript.run(`mirror refresh${command}`);
  expectRecorded('commands/mirror-refresh', transcript.text());
});

it('taking over another registry behaves as recorded', async () => {
  const transcript = openTranscript(workspace);
  upstream.failing.status = undefined;
  upstream.put('some/lib', [{ version: '1.0.0', zip: packageZip('some/lib', '1.0.0') }]);
  for (const flags of ['', '--only some/lib --json', '--only some/lib --continue'])
    await transcript.run(`adopt http://127.0.0.1:4002 ${flags} --data adopted`.replaceAll(/ +/g, ' '));
  transcript.expectSaid({ adopt: ['does not list its packages. Name them with --only', 'Taken over: 0 versions.'] });
  expectRecorded('commands/adopt', transcript.text());
});
