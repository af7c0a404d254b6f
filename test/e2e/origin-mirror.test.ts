// Tests mirroring with a tree at an origin: a builder, an nginx, a server without packages of its own, and an untrusted
// upstream.

import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearerAuth, createProject } from '../util/composer.ts';
import { zipOf } from '../util/hostile-zip.ts';
import { startNginxWith, type Nginx } from '../util/nginx.ts';
import { below, temporaryTree } from '../util/package-tree.ts';
import { allFiles } from '../util/published-tree.ts';
import { freePort } from '../util/redis-server.ts';
import { serveTree, type RunningServer } from '../util/registry.ts';
import { runCli } from '../util/run-cli.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';
import { startUpstream, type TestUpstream, type UpstreamVersion } from '../util/upstream.ts';
import { askWho, whoClass, whoLibrary, whoNamespace } from '../util/who-library.ts';

function release(name: string, version: string, who: string): UpstreamVersion {
  const json = {
    name,
    version,
    type: 'library',
    license: 'MIT',
    autoload: { 'psr-4': { [`${whoNamespace(name)}\\`]: 'src/' } },
    require: {},
  };
  const zip = zipOf([
    { name: 'top/composer.json', data: Buffer.from(JSON.stringify(json)) },
    { name: 'top/src/Who.php', data: Buffer.from(whoClass(whoNamespace(name), who)) },
  ]);
  return { version, zip, extra: json };
}

describe.skipIf(lacks('composer', 'php', 'nginx'))('a mirror with its tree at an origin', () => {
  const folder = temporaryFolder('origin-mirror');
  const source = temporaryTree({
    ...below('acme/app', whoLibrary('acme/app', '1.0.0', { require: { 'some/lib': '^1.0' } })),
    ...below('gone/tool', whoLibrary('gone/tool', '1.0.0')),
  });
  const builder = folder.at('builder');
  const proxy = folder.at('proxy');
  let port: number;
  let nginx: Nginx | undefined;
  let upstream: TestUpstream;
  let server: RunningServer;
  let token: string;

  const libretto = async (...args: readonly string[]): Promise<string> => {
    const { exitCode, stdout, stderr } = await runCli(args, { cwd: folder.path });
    if (exitCode !== 0) throw new Error(`${args.join(' ')}: ${stderr}${stdout}`);
    return stdout;
  };
  const startOrigin = async (): Promise<void> => {
    nginx = await startNginxWith(
      port,
      `server { listen 127.0.0.1:${port}; root ${builder}; location / { return 403; } location ~ ^/(public|index)/ { } }`,
    );
  };
  const originUrl = (): string => `http://127.0.0.1:${port}`;
  const ask = (path: string): Promise<Response> =>
    fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${token}` } });
  const statusOf = async (path: string): Promise<number> => {
    const answer = await ask(path);
    await answer.arrayBuffer();
    return answer.status;
  };
  const askedFor = (vendor: string): readonly string[] =>
    upstream.server.requests.map(({ path }) => path).filter((path) => path.includes(vendor));

  beforeAll(async () => {
    upstream = await startUpstream();
    upstream.put('some/lib', [release('some/lib', '1.0.0', 'from elsewhere')]);
    for (const name of ['acme/app', 'acme/more', 'gone/tool', 'gone/other', 'soon/ours'])
      upstream.put(name, [release(name, '99.0.0', 'hostile')]);
    await libretto('build', source.root, '--data', builder);
    source.delete('gone/tool/composer.json');
    await libretto('build', '--allow-withdraw', '--data', builder);
    port = await freePort();
    writeFileSync(folder.at('libretto.json'), JSON.stringify({ egress: { allow: ['127.0.0.0/8'] }, originCheck: 200 }));
    token = (
      JSON.parse(await libretto('token', 'create', '--json', '--description', 'a test', '--data', proxy)) as {
        token: string;
      }
    ).token;
    await libretto('settings', 'set', 'mirroring.url', upstream.url, '--data', proxy);
    await libretto('settings', 'set', 'mirroring.enabled', 'true', '--data', proxy);
  });
  afterAll(async () => {
    await server.stop();
    await nginx?.stop();
    await upstream[Symbol.asyncDispose]();
    source.remove();
    await folder.remove();
  });

  it('requests nothing of an upstream until it has reached the origin', async () => {
    server = await serveTree(folder.path, proxy, ['--origin', originUrl()]);
    for (const path of [
      '/p2/some/lib.json',
      '/p2/acme/app.json',
      '/p2/acme/more~dev.json',
      '/dist/some/lib/1.0.0.zip',
      '/packages.json',
      '/search.json?q=some',
    ])
      expect([path, await statusOf(path)]).toEqual([path, 500]);
    expect(upstream.server.requests).toEqual([]);
  });

  it('installs private and mirrored packages, and stores the mirrored ones in the data folder', async () => {
    await startOrigin();
    await expect.poll(() => statusOf('/packages.json'), { timeout: 60_000 }).toBe(200);
    await using app = createProject({
      url: server.url,
      auth: bearerAuth(new URL(server.url).host, token),
      composerJson: { require: { 'acme/app': '^1.0' } },
    });
    const { exitCode, output } = await app.run('update');
    expect(exitCode, output).toBe(0);
    expect(await app.php(askWho('acme/app', 'some/lib'))).toBe('1.0.0 from elsewhere');
    expect(allFiles(`${proxy}/mirror/dist`).filter((path) => path.endsWith('.zip'))).toHaveLength(1);
    expect(((await (await ask('/search.json?q=lib')).json()) as { results: unknown }).results).toMatchObject([
      { name: 'some/lib' },
    ]);
  });

  it('I9: never requests a name or vendor that is private at the origin, or a withdrawn name', async () => {
    for (const name of ['acme/app', 'acme/more', 'gone/tool', 'gone/other']) {
      for (const path of [`/p2/${name}.json`, `/p2/${name}~dev.json`, `/dist/${name}/99.0.0.zip`])
        expect([200, 404]).toContain(await statusOf(path));
    }
    expect([...askedFor('acme'), ...askedFor('gone')]).toEqual([]);
  });

  it('I17: treats a name as private as soon as its publication is seen', async () => {
    expect(await statusOf('/p2/soon/ours.json')).toBe(200);
    source.write(below('soon/app', whoLibrary('soon/app', '1.0.0')));
    await libretto('build', '--data', builder);
    await expect.poll(() => statusOf('/p2/soon/ours.json'), { timeout: 60_000 }).toBe(404);
    expect(await statusOf('/p2/soon/app.json')).toBe(200);
    const before = askedFor('soon').length;
    expect(await statusOf('/p2/soon/ours~dev.json')).toBe(404);
    expect(await statusOf('/dist/soon/ours/99.0.0.zip')).toBe(404);
    expect(askedFor('soon')).toHaveLength(before);
  });

  it('serves known packages while the origin is down', async () => {
    await nginx?.stop();
    nginx = undefined;
    expect(await statusOf('/p2/some/lib.json')).toBe(200);
    expect(await statusOf('/p2/acme/more.json')).not.toBe(200);
    expect(askedFor('acme')).toEqual([]);
  });

  it('is filled by a command that reads the private names from the origin, and fetches nothing while the origin is silent', async () => {
    writeFileSync(
      folder.at('composer.lock'),
      JSON.stringify({
        packages: [
          { name: 'acme/more', version: '99.0.0' },
          { name: 'some/lib', version: '1.0.0' },
        ].map((one) => ({ ...one, dist: { type: 'zip', url: 'https://elsewhere.example/x.zip', reference: '' } })),
        'packages-dev': [],
      }),
    );
    const warm = () =>
      runCli(['mirror', 'warm', 'composer.lock', '--json', '--data', proxy], {
        cwd: folder.path,
        environment: { LIBRETTO_ORIGIN: originUrl() },
      });
    const before = upstream.server.requests.length;
    expect(JSON.parse((await warm()).stdout)).toMatchObject({
      packages: [{ outcome: 'failed' }, { outcome: 'failed', reason: expect.stringContaining('private') }],
    });
    expect(upstream.server.requests).toHaveLength(before);
    await startOrigin();
    expect(JSON.parse((await warm()).stdout)).toMatchObject({
      packages: [{ name: 'acme/more', outcome: 'not-mirrored' }, { name: 'some/lib' }],
    });
    expect(askedFor('acme')).toEqual([]);
    const untold = await runCli(['mirror', 'warm', 'composer.lock', '--json', '--data', proxy], { cwd: folder.path });
    expect(JSON.parse(untold.stdout), 'the origin stood on the command line of the server alone').toMatchObject({
      packages: [{ outcome: 'failed', reason: expect.stringContaining('LIBRETTO_ORIGIN') }, { outcome: 'failed' }],
    });
    expect(askedFor('acme')).toEqual([]);
    const why = await runCli(['why', 'acme/more', '--data', proxy], {
      cwd: folder.path,
      environment: { LIBRETTO_ORIGIN: originUrl() },
    });
    expect(why.stdout).toContain('the vendor acme has private packages');
  });
});
