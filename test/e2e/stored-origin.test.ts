// Tests hosts whose tree is at an object store: a builder, two proxies with one Redis, a builder that also serves, and
// Composer.

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearerAuth, createProject, type Project } from '../util/composer.ts';
import { startHostileStore, type HostileStore } from '../util/hostile-store.ts';
import { incompressibleBytes } from '../util/incompressible-bytes.ts';
import { below, temporaryTree } from '../util/package-tree.ts';
import { startRecordingProxy, type RecordingProxy } from '../util/recording-proxy.ts';
import { startRedis, type RedisServer } from '../util/redis-server.ts';
import { runCli, startCli, type RunningCli } from '../util/run-cli.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';
import { askWho, whoLibrary } from '../util/who-library.ts';
import { itInSeries } from '../util/series.ts';

describe.skipIf(lacks('composer', 'php', 'redis-server'))('a tree at an object store', () => {
  const folder = temporaryFolder('stored-origin');
  const names = Array.from({ length: 12 }, (_, at) => `acme/lib${at}`);
  const source = temporaryTree({
    ...Object.assign({}, ...names.map((name) => below(name, whoLibrary(name, '1.0.0')))),
    ...below('acme/large', whoLibrary('acme/large', '1.0.0')),
    'acme/large/blob.bin': incompressibleBytes(400_000).toString('latin1'),
  });
  let store: HostileStore;
  let redis: RedisServer;
  let front: RecordingProxy;
  let environment: Record<string, string>;
  let address: string;
  let token: string;
  let hosts: Host[] = [];

  interface Host {
    readonly server: RunningCli;
    readonly url: string;
  }

  const libretto = async (...args: readonly string[]): Promise<string> => {
    const { exitCode, stdout, stderr } = await runCli(args, { cwd: folder.path, environment });
    if (exitCode !== 0) throw new Error(`${args.join(' ')}: ${stderr}${stdout}`);
    return stdout;
  };
  const serve = async (name: string, flags: readonly string[], more: Record<string, string> = {}): Promise<Host> => {
    const server = startCli(['serve', '--data', folder.at(name), '--listen', '127.0.0.1:0', ...flags], {
      cwd: folder.path,
      environment: { ...environment, ...more },
    });
    return { server, url: (await server.shows(/http:\/\/127\.0\.0\.1:\d+/))[0] };
  };
  const stop = async ({ server }: Host): Promise<string> => {
    server.signal('SIGTERM');
    const { stdout, stderr } = await server.ended;
    return stdout + stderr;
  };
  const project = (url: string, ...required: readonly string[]): Project =>
    createProject({
      url,
      auth: bearerAuth(new URL(url).host, token),
      composerJson: { require: Object.fromEntries(required.map((name) => [name, '^1.0'])) },
    });

  beforeAll(async () => {
    store = await startHostileStore();
    redis = await startRedis();
    address = `s3://${store.bucket}/registry?endpoint=${store.endpoint}&region=${store.region}`;
    const { AWS_ACCESS_KEY_ID: id = '', AWS_SECRET_ACCESS_KEY: secret = '' } = store.environment;
    environment = { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret, LIBRETTO_STATE: redis.url };
    await libretto('build', source.root, '--data', folder.at('builder'), '--output', address);
    const created = await libretto('token', 'create', '--json', '--description', 'a test', '--data', folder.at('a'));
    ({ token } = JSON.parse(created) as { token: string });
    let at = 0;
    front = await startRecordingProxy(() => hosts[at++ % hosts.length]?.url ?? '');
  });
  afterAll(async () => {
    await front.close();
    await redis.stop();
    await store.close();
    source.remove();
    await folder.remove();
  });

  itInSeries('is served by two proxies, of which one stops during an install', async () => {
    hosts = [await serve('a', ['--origin', address, '--workers', '2']), await serve('b', ['--origin', address])];
    const [first, second] = hosts as [Host, Host];
    await using app = project(front.url, ...names);
    const installed = app.run('update');
    await expect
      .poll(() => front.requests.filter(({ target }) => target.includes('/dist/')).length, { interval: 5 })
      .toBeGreaterThan(1);
    hosts = [second];
    await stop(first);
    const { exitCode, output } = await installed;
    expect(exitCode, output).toBe(0);
    expect(await app.php(askWho(...names))).toBe(names.map(() => '1.0.0').join(' '));
    await stop(second);
  });

  it('sends large archives itself, without the token of the client', async () => {
    const host = await serve('c', ['--origin', address], { LIBRETTO_ORIGIN_REDIRECT_ABOVE: '100000' });
    await using app = project(host.url, 'acme/large', 'acme/lib1');
    store.requests.length = 0;
    const { exitCode, output } = await app.run('update');
    expect(exitCode, output).toBe(0);
    expect(await app.php(askWho('acme/large', 'acme/lib1'))).toBe('1.0.0 1.0.0');
    const archives = store.requests.filter(({ key }) => key?.endsWith('.zip'));
    expect(
      archives.map(({ key, query, headers }) => [
        key,
        query.has('X-Amz-Signature'),
        headers['authorization']?.slice(0, 16),
      ]),
    ).toEqual(
      expect.arrayContaining([
        [expect.stringContaining('acme/large/'), true, undefined],
        [expect.stringContaining('acme/lib1/'), false, 'AWS4-HMAC-SHA256'],
      ]),
    );
    expect(archives).toHaveLength(2);
    expect(await stop(host)).not.toMatch(/X-Amz|AWS4/i);
    expect(app.read('composer.lock')).not.toMatch(/X-Amz/i);
  });

  itInSeries('is examined by doctor', async () => {
    const doctor = async (origin: string, more: Record<string, string> = {}) => {
      const { stdout } = await runCli(['doctor', '--json', '--data', folder.at('a')], {
        cwd: folder.path,
        environment: { ...environment, LIBRETTO_ORIGIN: origin, ...more },
      });
      const { checks } = JSON.parse(stdout) as { checks: { check: string; verdict: string; message: string }[] };
      return checks.filter(({ check }) => check.startsWith('origin'));
    };
    expect(await doctor(address)).toMatchObject([
      { check: 'origin', verdict: 'ok', message: expect.stringContaining('13 packages') },
      { check: 'origin.closed', verdict: 'ok' },
    ]);
    expect(await doctor(address.replace('/registry', '/elsewhere'))).toMatchObject([
      { verdict: 'failed', message: expect.stringContaining('Nothing was published') },
    ]);
    expect(await doctor(address, { AWS_SECRET_ACCESS_KEY: 'of-nobody' })).toMatchObject([
      { verdict: 'failed', message: expect.stringContaining('AWS_SECRET_ACCESS_KEY') },
    ]);
  });

  itInSeries('is served by a builder, which follows what other builders publish', async () => {
    const host = await serve('builder', ['--output', address]);
    await using app = project(host.url, 'acme/lib2');
    expect((await app.run('update')).exitCode).toBe(0);
    source.write(below('acme/added', whoLibrary('acme/added', '1.0.0')));
    await libretto('build', source.root, '--data', folder.at('other'), '--output', address);
    const document = async (): Promise<number> =>
      (await fetch(`${host.url}/p2/acme/added.json`, { headers: { authorization: `Bearer ${token}` } })).status;
    await expect.poll(document).toBe(200);
    const announced = (): unknown =>
      (JSON.parse(readFileSync(folder.at('builder', 'index/_publication.json'), 'utf8')) as { serial: number }).serial;
    await expect.poll(announced).toBe(2);
    await using other = project(host.url, 'acme/added');
    expect((await other.run('update')).exitCode).toBe(0);
    const published = await libretto('package', 'list', '--json', '--data', folder.at('builder'));
    expect(published).toContain('acme/added');
    await stop(host);
  });
});
