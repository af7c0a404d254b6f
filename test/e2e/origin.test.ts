// Tests servers whose tree is at an origin: a builder, an nginx that only the servers may read, and Composer.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearerAuth, createProject } from '../util/composer.ts';
import { startNginx, type Nginx } from '../util/nginx.ts';
import { below, temporaryTree } from '../util/package-tree.ts';
import { serveTree, type RunningServer } from '../util/registry.ts';
import { runCli } from '../util/run-cli.ts';
import { itInSeries } from '../util/series.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';
import { askWho, whoLibrary } from '../util/who-library.ts';

describe.skipIf(lacks('composer', 'php', 'nginx'))('a tree behind nginx', () => {
  const folder = temporaryFolder('origin');
  const source = temporaryTree({
    ...below('acme/hello/1.0.0', whoLibrary('acme/hello', '1.0.0')),
    ...below('acme/moving', whoLibrary('acme/moving', undefined, {}, 'first')),
  });
  const builder = folder.at('builder');
  const proxy = folder.at('proxy');
  let nginx: Nginx;
  let server: RunningServer;
  let token: string;

  const libretto = async (...args: readonly string[]): Promise<string> => {
    const { exitCode, stdout, stderr } = await runCli(args, { cwd: folder.path });
    if (exitCode !== 0) throw new Error(`${args.join(' ')}: ${stderr}${stdout}`);
    return stdout;
  };
  const project = (name: string, version: string) =>
    createProject({
      url: server.url,
      auth: bearerAuth(new URL(server.url).host, token),
      composerJson: { require: { [name]: version } },
    });

  beforeAll(async () => {
    await libretto('build', source.root, '--data', builder);
    // "Basic" of reader:of-the-tree
    nginx = await startNginx(
      `root ${builder}; location / { return 403; } location ~ ^/(public|index)/ { if ($http_authorization != "Basic cmVhZGVyOm9mLXRoZS10cmVl") { return 401; } }`,
    );
    token = (
      JSON.parse(await libretto('token', 'create', '--json', '--description', 'a test', '--data', proxy)) as {
        token: string;
      }
    ).token;
    server = await serveTree(folder.path, proxy, ['--origin', nginx.url.replace('://', '://reader:of-the-tree@')]);
  });
  afterAll(async () => {
    await server.stop();
    await nginx.stop();
    source.remove();
    await folder.remove();
  });

  it('installs packages like a local tree', async () => {
    await using app = project('acme/hello', '^1.0');
    const { exitCode, output } = await app.run('update');
    expect(exitCode, output).toBe(0);
    expect(await app.php(askWho('acme/hello'))).toBe('1.0.0');
  });

  it('is described by the management API, which cannot change it', async () => {
    const authorization = `Bearer ${token}`;
    const ask = async (path: string, method = 'GET'): Promise<unknown> =>
      (await fetch(`${server.url}${path}`, { method, headers: { authorization } })).json();
    expect(await ask('/api/packages')).toMatchObject({
      data: [{ name: 'acme/hello', latest_version: '1.0.0' }, { name: 'acme/moving' }],
    });
    expect(await ask('/api/packages/acme/hello')).toMatchObject({ name: 'acme/hello' });
    expect(await ask('/api/status')).toMatchObject({
      counts: { packages: 2, versions: 2 },
      publication: { serial: 1 },
      last_build: null,
    });
    const write = (
      JSON.parse(
        await libretto('token', 'create', '--json', '--kind', 'write', '--description', 'CI', '--data', proxy),
      ) as { token: string }
    ).token;
    const refused = await fetch(`${server.url}/api/artifacts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${write}` },
    });
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { code: 'NOT_AVAILABLE', error: expect.stringContaining('another host') },
    ]);
  });

  itInSeries('updates right after a publication, and old locks still install', async () => {
    await using app = project('acme/moving', 'dev-main');
    expect((await app.run('update')).exitCode).toBe(0);
    expect(await app.php(askWho('acme/moving'))).toBe('first');
    const lock = app.read('composer.lock');
    source.write(below('acme/moving', whoLibrary('acme/moving', undefined, {}, 'second')));
    const document = async (): Promise<string> =>
      (await fetch(`${server.url}/p2/acme/moving~dev.json`, { headers: { authorization: `Bearer ${token}` } })).text();
    const before = await document();
    await libretto('build', '--data', builder);
    await expect.poll(document, { timeout: 60_000 }).not.toBe(before);
    expect((await app.run('update')).exitCode).toBe(0);
    expect(await app.php(askWho('acme/moving'))).toBe('second');
    await using older = project('acme/moving', 'dev-main');
    writeFileSync(join(older.path, 'composer.lock'), lock);
    const { exitCode, output } = await older.run('install');
    expect(exitCode, output).toBe(0);
    expect(await older.php(askWho('acme/moving'))).toBe('first');
  });

  itInSeries('is examined by doctor, which reports faults of the origin', async () => {
    const doctor = async (url: string) => {
      const { stdout } = await runCli(['doctor', '--json', '--data', proxy], {
        cwd: folder.path,
        environment: { LIBRETTO_ORIGIN: url },
      });
      return (
        JSON.parse(stdout) as { checks: { check: string; verdict: string; message: string; advice: string | null }[] }
      ).checks.find(({ check }) => check === 'origin');
    };
    expect(await doctor(nginx.url.replace('://', '://reader:of-the-tree@'))).toMatchObject({
      verdict: 'ok',
      message: expect.stringContaining('Publication 2'),
    });
    expect(await doctor(nginx.url)).toMatchObject({
      verdict: 'failed',
      message: expect.stringContaining('401'),
      advice: expect.stringContaining('LIBRETTO_ORIGIN_AUTHORIZATION'),
    });
    expect(await doctor(`${nginx.url.replace('://', '://reader:of-the-tree@')}/public`)).toMatchObject({
      verdict: 'failed',
    });
    expect(JSON.stringify(await doctor('http://user:pass-word@127.0.0.1:1/'))).not.toContain('pass-word');
  });

  it('is refused by `start`', async () => {
    const { exitCode, stderr } = await runCli(['start', '--data', proxy], {
      cwd: folder.path,
      environment: { LIBRETTO_ORIGIN: nginx.url },
    });
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('libretto serve')]);
  });
});
