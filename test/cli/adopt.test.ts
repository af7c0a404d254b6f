// Tests `libretto adopt` against other Composer registries: what is taken over and what is not, drift, credentials, the
// lists of names, pauses and kills.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answerWith, startDistServer } from '../util/dist-server.ts';
import { eventually } from '../util/eventually.ts';
import { zipOf } from '../util/hostile-zip.ts';
import { publishedRecords } from '../util/published-tree.ts';
import { createRepository } from '../util/git-repository.ts';
import { startGitHttpServer } from '../util/git-http-server.ts';
import { describeSelf } from '../../build/output/lock-owner.ts';
import { binary, cleanEnvironment, runCli, type CliOutcome } from '../util/run-cli.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { referenceFor, sha1Of, startUpstream, type TestUpstream, type UpstreamOptions } from '../util/upstream.ts';
import { itInSeries } from '../util/series.ts';

interface Adopted {
  readonly taken: readonly { readonly name: string; readonly version: string }[];
  readonly differences: readonly {
    readonly kind: string;
    readonly name: string;
    readonly version: string | null;
    readonly because: string | null;
  }[];
  readonly unmatched: readonly string[];
}
const nameRefused = 'Composer does not accept this name';
const zipFor = (seed: string): Buffer => zipOf([{ name: 'lib/src/A.php', data: `<?php // ${seed}` }]);
const labels = (rows: readonly { readonly name: string; readonly version: string | null }[]): string[] =>
  rows.map(({ name, version }) => `${name} ${version ?? '*'}`);
describe('libretto adopt', () => {
  const folder = temporaryFolder('adopt');
  let count = 0;
  let data = '';
  let upstream: TestUpstream | undefined;
  const start = async (options: UpstreamOptions = {}): Promise<TestUpstream> =>
    (upstream = await startUpstream(options));
  const adopt = (...args: readonly string[]): Promise<CliOutcome> =>
    runCli(['adopt', upstream?.url ?? '', '--data', data, ...args], { cwd: folder.path });
  const adoptJson = async (...args: readonly string[]) => {
    const { stdout, stderr, exitCode } = await adopt('--json', ...args);
    expect(stdout, stderr).not.toBe('');
    return { ...(JSON.parse(stdout) as Adopted), exitCode, stderr };
  };
  const killed = async (args: readonly string[], isReached: () => boolean): Promise<void> => {
    const all = [binary, 'adopt', upstream?.url ?? '', '--data', data, ...args];
    const child = spawn(process.execPath, all, { cwd: folder.path, env: cleanEnvironment(), stdio: 'ignore' });
    await eventually(isReached);
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  const dist = (path: string): Buffer => readFileSync(`${data}/public/dist/${path}`);
  beforeEach(() => {
    data = folder.at(`data${(count += 1)}`);
    writeFileSync(folder.at('libretto.json'), JSON.stringify({ egress: { allow: ['127.0.0.1'] } }));
  });
  afterEach(() => upstream?.[Symbol.asyncDispose]());
  afterAll(() => folder.remove());
  it('takes archives over byte for byte, and says what cannot be taken over and why', async () => {
    await using other = await startDistServer();
    const [zip, foreign, lie] = [zipFor('one'), zipFor('foreign'), zipFor('lie')];
    other.answers.set('/zipball', answerWith(foreign));
    const { url, put } = await start({
      root: { 'available-packages': ['acme/lib', 'Acme/Odd', 'no name', 42] },
      minified: true,
    });
    put('acme/lib', [
      { version: '1.0.0', zip, extra: { 'published-time': '2021-02-03T04:05:06+00:00' } },
      { version: 'v1.1.0', zip: foreign, shasum: '', reference: 'tag-1.1', distUrl: `${other.url}/zipball` },
      {
        version: '1.2.0',
        zip: zipFor('relative'),
        distUrl: `/files/acme/lib/1.2.0/${referenceFor('acme/lib 1.2.0')}.zip`,
      },
      { version: 'dev-main', zip: zipFor('main') },
    ]);
    put('acme/odd', [
      { version: '1.0.0', zip: lie, shasum: sha1Of(zip) },
      { version: '1.1.0', extra: { dist: undefined } },
      { version: '1.2.0', extra: { dist: { type: 'tar', url: `${url}/x.tar` } } },
      { version: '1.3.0', distUrl: 'http://10.1.2.3/x.zip' },
      { version: '1.4.0', zip: zipOf([{ name: '../../evil.php', data: 'x' }]) },
      { version: '1.5.0', distUrl: `${url}/nowhere.zip` },
      { version: '1.5.1', distUrl: 'ftp://files.example/x.zip' },
      { version: '1.6.0', zip: zipFor('odd') },
      { version: '1.6.0+build5', zip: zipFor('odd5') },
      { version: '2.0.0', extra: { type: 'metapackage', dist: undefined, require: { 'acme/lib': '*' } } },
    ]);
    const planned = await adoptJson('--plan');
    expect([labels(planned.taken).length, existsSync(data)]).toEqual([9, false]);
    expect(labels(planned.differences)).toEqual([
      '42 *',
      'acme/odd 1.1.0',
      'acme/odd 1.2.0',
      'acme/odd 1.3.0',
      'acme/odd 1.5.1',
      'acme/odd 1.6.0+build5',
      'no name *',
    ]);
    const { exitCode, taken, differences } = await adoptJson();
    expect([exitCode, labels(taken)]).toEqual([
      1,
      ['acme/lib 1.0.0', 'acme/lib 1.2.0', 'acme/lib dev-main', 'acme/lib v1.1.0', 'acme/odd 1.6.0', 'acme/odd 2.0.0'],
    ]);
    // the plan gives the reasons of the run
    expect(differences).toEqual(expect.arrayContaining([...planned.differences]));
    const unnamed = differences.filter(({ version }) => version === null);
    expect(unnamed.map(({ because }) => because)).toEqual(Array(2).fill(nameRefused));
    const ofVersions = differences.filter(({ version }) => version !== null);
    expect(Object.fromEntries(ofVersions.map(({ version, because }) => [version, because]))).toEqual({
      '1.0.0': expect.stringContaining(`has the SHA-1 ${sha1Of(lie)} instead of ${sha1Of(zip)}`) as string,
      '1.1.0': expect.stringContaining('only a source (git)') as string,
      '1.2.0': 'the type of its archive is tar, and only ZIP archives are published',
      '1.3.0': expect.stringContaining('egress.allow') as string,
      '1.4.0': expect.stringContaining('evil.php') as string,
      '1.5.0': expect.stringContaining('status 404') as string,
      '1.5.1': 'its archive has no address of http or https',
      '1.6.0+build5': '1.6.0 is the same version to Composer',
    });
    const registering = await adopt('--plan', '--register-sources');
    expect(registering.stderr).toMatch(/only a source \(git\)\n/);
    const [first] = publishedRecords(data).filter(({ name, version }) => `${name} ${version}` === 'acme/lib 1.0.0');
    expect(first).toMatchObject({
      dist: { reference: referenceFor('acme/lib 1.0.0'), shasum: sha1Of(zip) },
      source: { url: 'https://git.example/acme/lib.git' },
      time: '2020-01-01T00:00:00+00:00',
      'published-time': '2021-02-03T04:05:06+00:00',
    });
    expect([dist('acme/lib/1.0.0.zip').equals(zip), dist('acme/lib/v1.1.0.zip').equals(foreign)]).toEqual([true, true]);
    expect((await runCli(['verify', '--data', data], { cwd: folder.path })).exitCode).toBe(0);
  });
  it('names entries that are no object, and takes over the versions around them', async () => {
    await start({ root: { 'available-packages': ['acme/a', 'acme/b'] } });
    const first = { name: 'acme/a', version: '1.0.0', version_normalized: '1.0.0.0', type: 'metapackage' };
    const short = { minified: 'composer/2.0', packages: { 'acme/a': [first, 42, { version: '1.1.0' }, null] } };
    const long = {
      packages: { 'acme/b': { '1.0.0': 'https://x.example/b.zip', '1.1.0': { ...first, name: 'acme/b' } } },
    };
    upstream?.instead('/p2/acme/a.json', answerWith(JSON.stringify(short)));
    upstream?.instead('/p2/acme/b.json', answerWith(JSON.stringify(long)));
    const planned = await adoptJson('--plan');
    expect(planned).toMatchObject({
      taken: [{ version: '1.0.0' }, { version: '1.1.0' }, { name: 'acme/b', version: '1.0.0' }],
      differences: ['entry 1', 'entry 3', 'entry 1.0.0'].map((version) => ({
        kind: 'only-there',
        version,
        because: 'it is no object with the name of the package',
      })),
    });
    const { exitCode, taken, differences } = await adoptJson();
    expect([exitCode, taken, differences]).toEqual([1, planned.taken, planned.differences]);
  });
  it('continues: new versions arrive, a dev version moves, and what is published here never changes', async () => {
    const { put, drop } = await start({ root: { list: '/list.json' } });
    upstream?.instead('/list.json', answerWith('{"packageNames":["acme/a","acme/b"]}'));
    const [one, two] = [
      { version: '1.0.0', zip: zipFor('1') },
      { version: '2.0.0', zip: zipFor('2') },
    ];
    put('acme/a', [one, two, { version: 'dev-main', zip: zipFor('old') }, { version: '3.0.0', zip: zipFor('3') }]);
    const five = { version: '5.0.0', zip: zipFor('5'), extra: { require: { php: '*' }, extra: { n: 1, s: [] } } };
    put('acme/b', [one, five, { ...five, version: '6.0.0' }]);
    expect(await adopt()).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await adopt()).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--continue') as string });
    // of the record counts what the package says itself, in any order
    const [moved, same] = [{ require: { php: '>=8' } }, { time: '2024-05-06T07:08:09+00:00', abandoned: true }];
    const empty = {
      autoload: { 'psr-4': { 'Some\\': 'src/' }, classmap: [] },
      conflict: [],
      suggest: {},
      type: 'Library',
    };
    const sameHere = { ...same, ...empty, extra: { s: {}, n: 1 }, require: { php: '*' }, 'notification-url': '/d' };
    put('acme/b', [one, { ...five, extra: moved }, { ...five, version: '6.0.0', extra: sameHere }]);
    expect((await adoptJson('--continue', '--plan', '--only', 'acme/b')).differences).toEqual([
      { kind: 'differs', name: 'acme/b', version: '5.0.0', because: 'its metadata is other there: require, extra' },
    ]);
    upstream?.instead('/list.json', answerWith('{"packageNames":["acme/a"]}'));
    drop('acme/b');
    put('acme/a', [
      { ...one, zip: zipFor('other bytes') },
      { ...two, reference: referenceFor('moved tag') },
      { version: 'dev-main', zip: zipFor('new'), reference: referenceFor('new') },
      { version: '4.0.0', zip: zipFor('4') },
    ]);
    const { exitCode, taken, differences } = await adoptJson('--continue');
    expect([exitCode, labels(taken)]).toEqual([1, ['acme/a 4.0.0', 'acme/a dev-main']]);
    expect(differences.map(({ kind, name, version }) => [kind, name, version])).toEqual([
      ['differs', 'acme/a', '1.0.0'],
      ['differs', 'acme/a', '2.0.0'],
      ['only-here', 'acme/a', '3.0.0'],
      ...['1.0.0', '5.0.0', '6.0.0'].map((version) => ['only-here', 'acme/b', version]),
    ]);
    const bytes = ['1.0.0', '2.0.0', '3.0.0', '4.0.0', 'dev-main'].map((label) => dist(`acme/a/${label}.zip`));
    expect(bytes).toEqual(['1', '2', '3', '4', 'new'].map(zipFor));
    const published = labels(publishedRecords(data)).toSorted();
    expect(published).toEqual([
      'acme/a 1.0.0',
      'acme/a 2.0.0',
      'acme/a 3.0.0',
      'acme/a 4.0.0',
      'acme/a dev-main',
      'acme/b 1.0.0',
      'acme/b 5.0.0',
      'acme/b 6.0.0',
    ]);
  });
  it('takes over a metapackage without an archive: it keeps its reference, and a dev version moves on', async () => {
    const { put } = await start({ root: { 'available-packages': ['acme/set'] } });
    const set = (wanted: string) => ({ type: 'metapackage', dist: null, require: { 'acme/lib': wanted } });
    const branch = (wanted: string) => ({ version: 'dev-main', extra: { ...set(wanted), source: undefined } });
    put('acme/set', [{ version: '1.0.0', extra: set('^1') }, branch('^1')]);
    const planned = await adoptJson('--plan');
    expect([planned.exitCode, labels(planned.taken)]).toEqual([0, ['acme/set 1.0.0', 'acme/set dev-main']]);
    expect(await adoptJson()).toMatchObject({ exitCode: 0, taken: planned.taken, differences: [] });
    const recordsHere = () => publishedRecords(data).map(({ version, require, dist }) => [version, require, dist]);
    const ofFirst = {
      reference: referenceFor('acme/set 1.0.0'),
      url: expect.stringContaining('/dist/acme/set') as string,
    };
    expect(recordsHere()).toEqual([
      ['1.0.0', { 'acme/lib': '^1' }, expect.objectContaining(ofFirst)],
      ['dev-main', { 'acme/lib': '^1' }, expect.anything()],
    ]);
    expect(await adoptJson('--continue')).toMatchObject({ exitCode: 0, taken: [], here: 2 });
    put('acme/set', [{ version: '1.0.0', reference: referenceFor('moved'), extra: set('^2') }, branch('^2')]);
    const { exitCode, taken, differences } = await adoptJson('--continue');
    expect([exitCode, labels(taken), labels(differences)]).toEqual([1, ['acme/set dev-main'], ['acme/set 1.0.0']]);
    expect(recordsHere().map(([, wanted]) => wanted)).toEqual([{ 'acme/lib': '^1' }, { 'acme/lib': '^2' }]);
    expect((await runCli(['verify', '--data', data], { cwd: folder.path })).exitCode).toBe(0);
  });
  it.each([
    ['available-packages', { layout: 'v2', root: { 'available-packages': ['acme/a', 'acme/b'] } }],
    ['one document for all versions', { layout: 'single', root: { 'available-packages': ['acme/a', 'acme/b'] } }],
    ['providers-url of Composer 1', { layout: 'providers' }],
    ['all versions in packages.json', { layout: 'inline' }],
    ['included files of Composer 1', { layout: 'includes' }],
    ['names without a list, in --only', { layout: 'lazy' }],
  ] as const)('finds the packages of a registry with %s', async (_, options) => {
    const { put } = await start(options);
    for (const name of ['acme/a', 'acme/b']) put(name, [{ version: '1.0.0' }, { version: 'dev-main' }]);
    if (options.layout === 'lazy')
      expect((await adopt('--plan')).stderr).toContain('does not list its packages. Name them with --only');
    else
      expect(await adopt('--plan', '--only', 'acme/c', 'other/*')).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining('lists no package of --only acme/c other/*.') as string,
      });
    const only = options.layout === 'lazy' ? ['acme/a', 'acme/b'] : ['Acme/*'];
    const { taken, differences, unmatched, stderr } = await adoptJson('--plan', '--only', ...only, 'acme/bb');
    expect([labels(taken), differences, unmatched, stderr]).toEqual([
      ['acme/a 1.0.0', 'acme/a dev-main', 'acme/b 1.0.0', 'acme/b dev-main'],
      [],
      ['acme/bb'],
      'note: --only acme/bb matches nothing there.',
    ]);
  });
  itInSeries('sends credentials of a file, auth.json or COMPOSER_AUTH, and says if they are refused', async () => {
    const basic = { username: 'deploy', password: 'pass phrase' };
    const authorization = `Basic ${Buffer.from('deploy:pass phrase').toString('base64')}`;
    const { put, url, server } = await start({ authorization, root: { 'available-packages': ['acme/a'] } });
    put('acme/a', [{ version: '1.0.0', zip: zipFor('1') }]);
    const auth = JSON.stringify({ 'http-basic': { [server.host]: basic } });
    writeFileSync(folder.at('auth.json'), auth);
    const run = (input: string, environment: Record<string, string>, ...args: readonly string[]) =>
      runCli(['adopt', url, '--data', data, ...args], { cwd: folder.path, input, environment, alone: input !== '' });
    const user = ['--username', 'deploy', '--password-file', '-'];
    expect(await run('wrong\n', {}, ...user)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('answered with status 401. It did not accept the credentials') as string,
    });
    for (const { exitCode, stderr } of [
      await run('pass phrase\n', {}, ...user, '--plan'),
      await run('', { COMPOSER_AUTH: auth }, '--plan'),
      await run('', {}, '--auth-json', 'auth.json'),
    ])
      expect([exitCode, stderr]).toEqual([0, '']);
    expect(dist('acme/a/1.0.0.zip').equals(zipFor('1'))).toBe(true);
    writeFileSync(folder.at('other.json'), JSON.stringify({ 'http-basic': { 'other.example': basic } }));
    expect(await run('', {}, '--auth-json', 'other.json', '--plan')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(`--auth-json other.json has no credentials for ${server.host}.`) as string,
    });
    writeFileSync(folder.at('bad.json'), '[');
    expect(await run('', {}, '--auth-json', 'bad.json', '--plan')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('--auth-json bad.json is not a JSON object') as string,
    });
    const inUrl = await runCli(['adopt', url.replace('//', '//deploy:secret@')], { cwd: folder.path });
    expect([inUrl.exitCode, inUrl.stderr]).toEqual([2, expect.stringMatching(/--password-file(?!.*secret)/) as string]);
  });
  itInSeries('waits as the registry asks, and is killed: the next run fetches only what is missing', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `acme/p${index}`);
    const { put, server, asked } = await start({ root: { 'available-packages': names } });
    for (const name of names) put(name, [{ version: '1.0.0', zip: zipFor(name) }]);
    const file = (name: string): string => `/files/${name}/1.0.0/${referenceFor(`${name} 1.0.0`)}.zip`;
    const whole = new Map(names.map((name) => [name, server.answers.get(file(name))]));
    for (const name of names.slice(4)) server.answers.set(file(name), () => undefined);
    await killed([], () => stagedIn(data) === 4 && asked('/files/') > 4);
    expect(readdirSync(data)).toEqual(['build']);
    const before = asked('/files/');
    let refusals = 0;
    for (const [name, answer] of whole)
      server.answers.set(file(name), (request, response) => {
        if ((refusals += 1) > 2) answer?.(request, response);
        else response.writeHead(429, { 'retry-after': '1' }).end();
      });
    const bytes = names.slice(4).reduce((sum, name) => sum + zipFor(name).length, 0);
    expect(await adoptJson()).toMatchObject({
      exitCode: 0,
      taken: { length: 12 },
      fetched: 8,
      fetched_bytes: bytes,
      differences: [],
    });
    expect(asked('/files/') - before).toBeLessThanOrEqual(8 + 2 + 8);
    expect(names.slice(0, 4).flatMap((name) => asked(file(name)))).toEqual([1, 1, 1, 1]);
    expect(names.map((name) => dist(`${name}/1.0.0.zip`).equals(zipFor(name)))).not.toContain(false);
  });

  itInSeries('registers the git repositories: later versions come from there, adopted bytes stay', async () => {
    const git = await startGitHttpServer(folder.path);
    const files = { 'composer.json': '{"name":"acme/tool"}', 'a.php': '<?php' };
    const repository = createRepository(
      folder.at('tool.git'),
      [
        { commit: 'main', files },
        { tag: '1.0.0', at: 'main' },
        { commit: 'main', files: { 'a.php': '<?php // 2' } },
        { tag: '1.1.0', at: 'main' },
        { tag: '2.0.0', at: 'main' },
      ],
      { bare: true },
    );
    const source = { type: 'git', url: `${git.url}/tool.git` };
    const { put } = await start({ layout: 'inline' });
    const reference = repository.git('rev-parse', '1.0.0');
    put('acme/tool', [
      { version: '1.0.0', zip: zipFor('1'), reference, extra: { source: { ...source, reference } } },
      { version: '1.1.0', zip: zipFor('1.1'), extra: { source: { ...source, reference } } },
    ]);
    put('acme/gone', [
      { version: '1.0.0', zip: zipFor('g'), extra: { source: { ...source, url: `${git.url}/no.git`, reference } } },
    ]);
    const local = { type: 'git', url: '/srv/git/local.git', reference };
    put('acme/local', [{ version: '1.0.0', zip: zipFor('l'), extra: { source: local } }]);
    // a run that was killed after its publication: the same command completes it
    git.behave('hang');
    await killed(['--register-sources'], () => git.requests.length > 0);
    mkdirSync(`${data}/build/staging`);
    git.behave('well');
    const { stdout, stderr, exitCode } = await adopt('--register-sources', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      taken: { length: 4 },
      here: 0,
      fetched: 0,
      published: false,
      serial: 1,
    });
    expect(['adopt', 'lock', 'staging'].filter((path) => existsSync(`${data}/build/${path}`))).toEqual([]);
    const registered = JSON.parse(stdout) as { name: string; sources: { url: string; id: string | null }[] };
    const lock = `${data}/build/adopt/.${registered.name}.lock`;
    mkdirSync(`${data}/build/adopt`); // of a run that was killed at its very end
    writeFileSync(lock, JSON.stringify({ ...(await describeSelf(new Date())), pid: 2 ** 22 + 1 }));
    expect((await adopt('--register-sources')).stderr).toContain('was adopted before. Add --continue');
    expect(existsSync(`${data}/build/adopt`)).toBe(false);
    const again = JSON.parse((await adopt('--continue', '--register-sources', '--json')).stdout) as typeof registered;
    expect(again.sources.at(-1)).toMatchObject({ id: registered.sources.at(-1)?.id, because: 'already registered' });
    expect((await adopt('--continue', '--register-sources')).stdout).toMatch(/Already registered: \S+ \(repo_\w/);
    expect([exitCode, registered.sources.map(({ url, id }) => [url.replace(/.*\//, ''), typeof id])]).toEqual([
      0,
      [
        ['local.git', 'object'],
        ['no.git', 'object'],
        ['tool.git', 'string'],
      ],
    ]);
    expect(stderr).toMatch(/not registered:[^]*\/srv\/git\/local\.git: .* is named by its path/);
    const built = await runCli(['build', '--json', '--data', data], { cwd: folder.path });
    await git.close();
    const { added, quarantined } = JSON.parse(built.stdout) as {
      added: unknown[];
      quarantined: { code: string; version: string }[];
    };
    expect(added).toMatchObject([{ version: '2.0.0' }, { version: 'dev-main' }]);
    // the tag there is another commit than the adopted version
    expect(quarantined).toMatchObject([{ version: '1.1.0', code: 'VERSION_CHANGED' }]);
    expect(['1.0.0', '1.1.0'].map((label) => dist(`acme/tool/${label}.zip`))).toEqual([zipFor('1'), zipFor('1.1')]);
  });
});

/** The archives that wait below build/ of a data folder. */
function stagedIn(data: string): number {
  const folder = `${data}/build/adopt`;
  if (!existsSync(folder)) return 0;
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.zip')).length;
}
