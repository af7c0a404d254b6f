// Other Composer repositories through the shipped command: those of libretto.json and registered ones. What they are
// asked, what is fetched ahead by builds and syncs, what is served on while they are down, and whose a name is.

import { mkdirSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { zipOf } from '../util/hostile-zip.ts';
import { runCli, startCli, type CliOutcome, type RunningCli } from '../util/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';
import { startUpstream, type TestUpstream, type UpstreamOptions } from '../util/upstream.ts';

type Json = Record<string, unknown>;
interface BuildJson extends Json {
  readonly failed: readonly { readonly source: string; readonly reason: string }[];
}

let folder: TemporaryFolder;
let running: RunningCli | undefined;
let upstreams: TestUpstream[] = [];
beforeEach(() => {
  folder = temporaryFolder('composer-repositories');
  mkdirSync(folder.at('packages/app'), { recursive: true });
  writeFileSync(folder.at('packages/app/composer.json'), '{"name": "acme/app", "version": "1.0.0"}');
});
afterEach(async () => {
  running?.signal('SIGKILL');
  await running?.ended;
  running = undefined;
  for (const upstream of upstreams) await upstream[Symbol.asyncDispose]();
  upstreams = [];
  await folder.remove();
});

async function upstreamWith(
  packages: Readonly<Record<string, readonly string[]>>,
  options: UpstreamOptions = {},
): Promise<TestUpstream> {
  const upstream = await startUpstream(options);
  upstreams.push(upstream);
  for (const [name, versions] of Object.entries(packages))
    upstream.put(
      name,
      versions.map((version) => ({ version, zip: archiveOf(`${name} ${version}`) })),
    );
  return upstream;
}

const archiveOf = (content: string): Buffer => zipOf([{ name: 'lib/a.txt', data: content }]);

/** libretto.json with acme/app as a package of its own, and these beside it. */
function configure(...composer: readonly Json[]): void {
  writeFileSync(
    folder.at('libretto.json'),
    JSON.stringify({
      data: 'data',
      egress: { allow: ['127.0.0.0/8'] },
      sources: ['packages', ...composer.map((one) => ({ type: 'composer', ...one }))],
    }),
  );
}

const run = (args: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<CliOutcome> =>
  runCli(args, { cwd: folder.path, environment });
const json = async (...args: readonly string[]): Promise<Json> => {
  const { stdout, stderr } = await run([...args, '--json']);
  expect(stdout, stderr).not.toBe('');
  return JSON.parse(stdout) as Json;
};

async function serve(environment: Readonly<Record<string, string>> = {}): Promise<(path: string) => Promise<Response>> {
  const token = (await run(['token', 'create', '--description', 'CI'])).stdout;
  running = startCli(['serve', '--listen', '127.0.0.1:0'], { cwd: folder.path, environment });
  const [url = ''] = await running.shows(/http:\/\/127\.0\.0\.1:\d+/);
  return (path) => fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } });
}

const versionsIn = async (response: Response, name: string): Promise<string[]> =>
  Object.values(
    ((await response.json()) as { packages: Record<string, Record<string, { version: string }>> }).packages[name] ?? {},
  ).map(({ version }) => version);

describe('a Composer repository of libretto.json', () => {
  it('has what it names fetched by a build, which then is served with the repository stopped', async () => {
    const upstream = await upstreamWith(
      { 'tools/one': ['1.0.0', '1.1.0', '2.0.0'], 'tools/two': ['1.0.0'], 'others/no': ['1.0.0'] },
      { minified: true },
    );
    configure({ url: upstream.url, only: ['tools/*'], packages: { 'tools/one': '^1.0' } });
    const built = await run(['build']);
    expect([built.exitCode, built.stderr]).toEqual([
      0,
      `${upstream.url}: 2 archives fetched in advance, 0 already stored.`,
    ]);
    expect(built.stdout).toContain('Published: 1 added');
    const asked = upstream.server.requests.length;
    expect((await run(['build'])).stderr, 'another build asks whether there is something new').toBe(
      `${upstream.url}: 0 archives fetched in advance, 2 already stored.`,
    );
    expect([upstream.server.requests.length > asked, upstream.asked('/files/tools/one')]).toEqual([true, 2]);

    const get = await serve();
    expect(await (await get('/packages.json')).json()).toMatchObject({
      'available-packages': ['acme/app'],
      'available-package-patterns': ['*'],
    });
    await upstream[Symbol.asyncDispose]();
    upstreams = [];
    const document = await get('/p2/tools/one.json');
    expect(await versionsIn(document, 'tools/one')).toHaveLength(3);
    const archives = (await json('mirror', 'list'))['archives'] as {
      version: string;
      shasum: string;
      reference: string;
    }[];
    expect(archives.map(({ version }) => version).sort()).toEqual(['1.0.0', '1.1.0']);
    const newest = archives.find(({ version }) => version === '1.1.0');
    const archive = await get(`/dist/tools/one/1.1.0.zip?ref=${newest?.reference ?? ''}`);
    expect(archive.status).toBe(200);
    expect((await get('/p2/others/no.json')).status, 'a name that "only" leaves out').toBe(404);
    expect(upstream.asked('/p2/others')).toBe(0);
  });

  it('may be all that there is: the registry then publishes nothing of its own', async () => {
    const upstream = await upstreamWith({ 'tools/one': ['1.0.0'] });
    writeFileSync(
      folder.at('libretto.json'),
      JSON.stringify({
        data: 'data',
        egress: { allow: ['127.0.0.0/8'] },
        sources: [{ type: 'composer', url: upstream.url }],
      }),
    );
    for (const headline of [/^Published: 0 added/, /^Nothing has changed/])
      expect(await run(['build'])).toMatchObject({
        exitCode: 0,
        stdout: expect.stringMatching(headline) as string,
        stderr: '',
      });
    const get = await serve();
    expect(await (await get('/packages.json')).json()).toMatchObject({
      'available-package-patterns': expect.arrayContaining(['*']) as string[],
    });
    expect(await versionsIn(await get('/p2/tools/one.json'), 'tools/one')).toEqual(['1.0.0']);
    expect(running?.output().stderr).toContain(
      'This registry has no packages of its own. It mirrors those of other repositories.',
    );
    expect(running?.output().stderr).not.toContain('libretto build');
  });

  it('or the public registry may be: one build without sources, and nobody is told to build again', async () => {
    const upstream = await upstreamWith({ 'tools/one': ['1.0.0'] });
    writeFileSync(folder.at('libretto.json'), JSON.stringify({ data: 'data', egress: { allow: ['127.0.0.0/8'] } }));
    expect((await run(['build'])).stderr).toContain('There is nothing to build.');
    for (const [key, value] of [
      ['mirroring.enabled', 'true'],
      ['mirroring.url', upstream.url],
    ] as const)
      expect(await run(['settings', 'set', key, value])).toMatchObject({ exitCode: 0 });
    expect(await run(['build'])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^Published: 0 added/) as string,
      stderr: '',
    });
    const get = await serve();
    expect(await versionsIn(await get('/p2/tools/one.json'), 'tools/one')).toEqual(['1.0.0']);
    expect(running?.output().stderr).toContain('It mirrors those of other repositories.');
    expect((await run(['doctor'])).stdout).not.toContain('libretto build');
  });

  it('fails as a source does: told, with what was published in its place', async () => {
    const upstream = await upstreamWith({ 'tools/one': ['1.0.0'] });
    configure({ url: upstream.url, packages: { 'tools/one': '^1.0', 'tools/none': '*', 'acme/own': '*' } });
    const first = await run(['build', '--json']);
    expect(first.exitCode).toBe(1);
    const { published, failed } = JSON.parse(first.stdout) as BuildJson & { published: boolean };
    expect(published).toBe(true);
    expect(failed).toEqual([
      { source: upstream.url, reason: 'tools/none: no version that is offered matches *.' },
      {
        source: upstream.url,
        reason:
          'acme/own: it is not mirrored: the vendor acme has private packages, and is not listed in mirroring.shared_vendors.',
      },
    ]);
    expect(upstream.server.requests.some(({ path }) => path.includes('acme'))).toBe(false);
    upstream.failing.status = 500;
    const second = await run(['build']);
    expect([second.exitCode, second.stderr]).toEqual([
      1,
      expect.stringMatching(/tools\/one: its repository cannot be reached; the document of .* is still served\./),
    ]);
  });

  it('is asked before the registries behind it, and one that claims a private name is never asked for that', async () => {
    const [first, second] = [
      await upstreamWith({ 'tools/one': ['1.0.0'] }),
      await upstreamWith({
        'tools/one': ['9.0.0'],
        'tools/more': ['1.0.0'],
        'acme/app': ['99.0.0'],
        'acme/lure': ['1.0.0'],
      }),
    ];
    configure({ url: first.url, only: ['tools/one', 'acme/*'] }, { url: second.url });
    expect((await run(['build'])).exitCode).toBe(0);
    const get = await serve();
    expect(await versionsIn(await get('/p2/tools/one.json'), 'tools/one')).toEqual(['1.0.0']);
    expect(await versionsIn(await get('/p2/tools/more.json'), 'tools/more')).toEqual(['1.0.0']);
    expect(await versionsIn(await get(`/p2/acme/app.json`), 'acme/app')).toEqual(['1.0.0']);
    for (const path of [
      '/p2/acme/lure.json',
      '/p2/acme/app~dev.json',
      '/dist/acme/app/99.0.0.zip',
      '/dist/acme/lure/1.0.0.zip',
    ])
      expect((await get(path)).status, path).toBe(404);
    for (const { server } of [first, second])
      expect(server.requests.filter(({ path }) => path.includes('acme'))).toEqual([]);
    expect(second.asked('/p2/tools/one')).toBe(0);
  });

  it.each([
    ['bearer', { bearer: 'sesame' }, { authorization: 'Bearer sesame' }],
    [
      'http-basic',
      { 'http-basic': { username: 'me', password: 'sesame' } },
      { authorization: `Basic ${Buffer.from('me:sesame').toString('base64')}` },
    ],
    [
      'custom-headers',
      { 'custom-headers': ['PRIVATE-TOKEN: sesame', 'X-Team: one'] },
      { 'private-token': 'sesame', 'x-team': 'one' },
    ],
  ])('is asked with the %s of COMPOSER_AUTH, and no other host is', async (_kind, auth, headers) => {
    const [upstream, elsewhere] = [await upstreamWith({}), await upstreamWith({ 'tools/one': ['1.0.0'] })];
    const zip = `${elsewhere.url}/files/tools/one/1.0.0/`;
    upstream.put('tools/one', [
      { version: '1.0.0', shasum: '', distUrl: `${zip}${elsewhere.server.requests.length}.zip` },
    ]);
    elsewhere.instead(`/files/tools/one/1.0.0/0.zip`, (_request, response) => void response.writeHead(404).end());
    configure({ url: upstream.url, packages: { 'tools/one': '*' } });
    const composerAuth = JSON.stringify(
      Object.fromEntries(Object.entries(auth).map(([kind, value]) => [kind, { [upstream.server.host]: value }])),
    );
    expect((await run(['build'], { COMPOSER_AUTH: composerAuth })).exitCode).toBe(1);
    for (const request of upstream.server.requests) expect(request.headers).toMatchObject(headers);
    expect(upstream.server.requests.length).toBeGreaterThan(1);
    expect(elsewhere.server.requests.map(({ path }) => path)).toEqual(['/files/tools/one/1.0.0/0.zip']);
    expect(JSON.stringify(elsewhere.server.requests)).not.toMatch(/sesame|x-team/i);
  });

  it('is refused with credentials in its address, with fields of other sources, and twice', async () => {
    const refusal = async (...composer: readonly Json[]): Promise<string> => {
      configure(...composer);
      const { exitCode, stderr } = await run(['build']);
      expect(exitCode).toBe(2);
      return stderr;
    };
    const secret = await refusal({ url: 'https://me:sesame@repo.example.org' });
    expect(secret).toContain('COMPOSER_AUTH');
    expect(secret).not.toContain('sesame');
    expect(await refusal({ url: 'https://repo.example.org', branches: ['main'] })).toContain(
      'is a field of git sources',
    );
    expect(await refusal({ url: 'https://repo.example.org', packages: { 'tools/*': '^1.0' } })).toContain(
      'sources[1].packages["tools/*"]',
    );
    expect(await refusal({ url: 'https://repo.example.org', packages: { 'tools/one': '^^1' } })).toContain(
      'is not a valid version constraint',
    );
    expect(
      await refusal(
        { url: 'https://repo.example.org', packages: {} },
        { url: 'https://repo.example.org/packages.json', packages: {} },
      ),
    ).toContain('twice, as sources[1] and sources[2]');
  });
});

describe('a registered Composer repository', () => {
  it('is verified, asked at once, synced and removed', async () => {
    const upstream = await upstreamWith(
      { 'tools/one': ['1.0.0', '2.0.0'] },
      { authorization: 'Bearer sesame', root: { 'available-packages': ['tools/one'] } },
    );
    configure();
    expect((await run(['build'])).exitCode).toBe(0);
    const get = await serve();
    expect((await get('/p2/tools/one.json')).status).toBe(404);
    writeFileSync(folder.at('token.txt'), 'sesame\n');
    const added = await json(
      'repository',
      'add',
      '--type',
      'composer',
      upstream.url,
      '--only',
      'tools/*',
      '--package',
      'tools/one:^2.0',
      '--token-file',
      'token.txt',
    );
    expect(added).toMatchObject({
      type: 'composer',
      url: upstream.url,
      credentials: 'bearer',
      only: ['tools/*'],
      packages: { 'tools/one': '^2.0' },
      position: 1,
      status: 'pending',
    });
    expect(JSON.stringify(added)).not.toContain('sesame');
    const id = String(added['id']);
    expect(await json('repository', 'verify', id)).toEqual({
      ok: true,
      message: null,
      tags: null,
      branches: null,
      default_branch: null,
      protocol: 'metadata-url',
      package_count: 1,
      packages: ['tools/one'],
      problems: [],
    });
    expect(
      await versionsIn(await get('/p2/tools/one.json'), 'tools/one'),
      'the running server asks it from now on',
    ).toEqual(['1.0.0', '2.0.0']);
    expect((await json('why', 'tools/one'))['mirrored']).toMatchObject({ repositories: [upstream.url], archives: [] });

    expect(await json('repository', 'sync', id)).toMatchObject({
      state: 'succeeded',
      report: { published: false, counts: { added: 1 }, added: [{ name: 'tools/one', version: '2.0.0' }] },
    });
    expect((await json('mirror', 'list'))['archives']).toMatchObject([{ name: 'tools/one', version: '2.0.0' }]);
    expect((await run(['repository', 'update', id, '--package', 'tools/one:^3.0'])).exitCode).toBe(0);
    const failed = await run(['repository', 'sync', id]);
    expect([failed.exitCode, failed.stderr]).toEqual([
      1,
      'The sync failed: tools/one: no version that is offered matches ^3.0. [BUILD_FAILED]',
    ]);
    expect((await json('repository', 'show', id))['status']).toBe('error');
    expect((await run(['build'])).stderr, 'a build of everything fetches ahead too').toContain(
      'no version that is offered matches ^3.0',
    );

    expect((await run(['repository', 'update', id, '--without', 'package', 'credentials'])).exitCode).toBe(0);
    expect(await json('repository', 'verify', id)).toMatchObject({
      ok: false,
      message: expect.stringContaining('401') as string,
    });
    expect((await run(['repository', 'remove', id])).stderr).toContain('withdraws nothing');
    expect(await run(['repository', 'remove', id, '--yes'])).toMatchObject({
      exitCode: 0,
      stdout: `Removed ${upstream.url}; it is no longer used.`,
    });
    expect((await get('/p2/tools/one.json')).status).toBe(404);
  });

  it('is asked behind those of libretto.json, in the order in which they were registered', async () => {
    const [first, second, third] = [
      await upstreamWith({ 'tools/a': ['1.0.0'] }),
      await upstreamWith({ 'tools/a': ['2.0.0'], 'tools/b': ['2.0.0'] }),
      await upstreamWith({ 'tools/a': ['3.0.0'], 'tools/b': ['3.0.0'], 'tools/c': ['3.0.0'] }),
    ];
    configure({ url: first.url });
    expect((await run(['build'])).exitCode).toBe(0);
    const [two, three] = [
      await json('repository', 'add', '--type', 'composer', second.url),
      await json('repository', 'add', '--type', 'composer', third.url),
    ];
    expect([two['position'], three['position']]).toEqual([1, 2]);
    const get = await serve();
    for (const [name, version] of [
      ['tools/a', '1.0.0'],
      ['tools/b', '2.0.0'],
      ['tools/c', '3.0.0'],
    ] as const)
      expect(await versionsIn(await get(`/p2/${name}.json`), name)).toEqual([version]);
    const told = await run(['why', 'tools/b']);
    expect([told.exitCode, told.stdout]).toEqual([
      0,
      expect.stringContaining(`It is asked of these, the first that has it: ${first.url}, ${second.url}, ${third.url}`),
    ]);
    expect((await run(['why', 'acme/more'])).stdout).toContain('the vendor acme has private packages');
    expect((await run(['repository', 'add', '--type', 'composer', `${first.url}/packages.json`])).stderr).toContain(
      'is already in libretto.json (sources[1])',
    );
    expect((await run(['repository', 'add', '--type', 'composer', `${second.url}/`])).stderr).toContain(
      `is registered already, as ${String(two['id'])}`,
    );
  });

  it('refuses what it cannot be asked with', async () => {
    configure();
    writeFileSync(folder.at('token.txt'), 'sesame\n');
    const refused = async (...args: readonly string[]): Promise<string> =>
      (await run(['repository', 'add', ...args])).stderr;
    expect(await refused('--type', 'composer', 'https://1.1.1.1', '--branch', 'main')).toContain(
      'branches: is a field of git sources',
    );
    expect(await refused('--type', 'composer', 'https://10.0.0.1')).toContain('not a public one');
    expect(await refused('--type', 'composer', 'git@example.org:acme/x.git')).toContain('url: ');
    expect(
      await refused('--type', 'composer', 'https://1.1.1.1', '--header', 'Host', '--token-file', 'token.txt'),
    ).toContain('credentials.header');
    expect(
      await refused('--type', 'git', 'https://1.1.1.1/x.git', '--header', 'PRIVATE-TOKEN', '--token-file', 'token.txt'),
    ).toContain('credentials.header');
    expect(await refused('--type', 'git', 'https://1.1.1.1/x.git', '--package', 'a/b')).toContain(
      'packages: is a field of',
    );
  });
});
