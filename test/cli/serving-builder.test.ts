// Tests a server with an object store as output: it serves from the store, and uploads, registered repositories,
// history and rollback go on, also when another host has published.

import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { zipOf } from '../util/hostile-zip.ts';
import { startHostileStore, type HostileStore } from '../util/hostile-store.ts';
import { below, temporaryTree } from '../util/package-tree.ts';
import { runCli, startCli, type RunningCli } from '../util/run-cli.ts';
import { itInSeries, playsSeries } from '../util/series.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { whoLibrary } from '../util/who-library.ts';

describe('a server with an object store as output', () => {
  const folder = temporaryFolder('serving-builder');
  const source = temporaryTree({
    ...below('one', whoLibrary('acme/one', '1.0.0')),
    ...below('uploaded', whoLibrary('acme/uploaded', '1.0.0')),
    ...below('other', whoLibrary('acme/other', '1.0.0')),
    ...below('repository', whoLibrary('acme/registered', '1.0.0')),
  });
  let store: HostileStore;
  let environment: Record<string, string>;
  let server: RunningCli;
  let url = '';
  let token = '';

  const libretto = async (host: string, ...args: readonly string[]): Promise<string> => {
    const { exitCode, stdout, stderr } = await runCli([...args, '--data', folder.at(host)], {
      cwd: source.root,
      environment,
    });
    if (exitCode !== 0) throw new Error(`${args.join(' ')}: ${stderr}${stdout}`);
    return stdout;
  };
  const ask = async (path: string, method = 'GET', body?: object): Promise<{ status: number; json: unknown }> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const reply = await fetch(`${url}${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: reply.status, json: await reply.json().catch(() => undefined) };
  };
  const archive = async (name: string): Promise<number> =>
    (await fetch(`${url}/dist/${name}/1.0.0.zip`, { headers: { authorization: `Bearer ${token}` } })).status;

  beforeAll(async () => {
    store = await startHostileStore({ dialect: 'ceph' });
    writeFileSync(source.path('libretto.json'), JSON.stringify({ sourceRoots: [source.root] }));
    const output = `s3://${store.bucket}/registry?endpoint=${store.endpoint}&region=${store.region}`;
    const { AWS_ACCESS_KEY_ID: id = '', AWS_SECRET_ACCESS_KEY: secret = '' } = store.environment;
    environment = { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret, LIBRETTO_OUTPUT: output };
    await libretto('here', 'build', 'one');
    const created = await libretto('here', 'token', 'create', '--json', '--description', 'CI', '--kind', 'write');
    ({ token } = JSON.parse(created) as { token: string });
    store.requests.length = 0;
    server = startCli(['serve', '--data', folder.at('here'), '--listen', '127.0.0.1:0'], {
      cwd: source.root,
      environment,
    });
    [, url = ''] = await server.shows(/^Serving .* on (http:\/\/127\.0\.0\.1:\d+)/m);
  });
  afterAll(async () => {
    server.signal('SIGTERM');
    await server.ended;
    await store.close();
    source.remove();
    await folder.remove();
  });

  it('starts with one read of each document', () => {
    const read = store.requests.flatMap(({ key }) => (key?.includes('/index/documents/') === true ? [key] : []));
    expect(read.length).toBeGreaterThan(2);
    expect(read).toEqual([...new Set(read)]);
  });

  it('serves archives that are not on its disk', async () => {
    expect(server.output().stdout + server.output().stderr).toContain(`The tree is at s3://${store.bucket}/registry.`);
    expect(await archive('acme/one')).toBe(200);
  });

  itInSeries('shows the files of a version whose archive only the store has', async () => {
    const password = 'a very long password 1';
    await runCli(
      [
        'user',
        'create',
        '--email',
        'ada@example.org',
        '--name',
        'Ada',
        '--admin',
        '--password-stdin',
        '--data',
        folder.at('here'),
      ],
      {
        cwd: source.root,
        environment,
        input: `${password}\n`,
      },
    );
    const signedIn = await fetch(`${url}/api/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'ada@example.org', password }),
    });
    const { token: session } = (await signedIn.json()) as { token: string };
    const cookie = `libretto-session-${new URL(url).port}=${session}`;
    const show = async (): Promise<string> =>
      (
        await fetch(`${url}/ui/packages/acme/one/files?version=1.0.0&path=src/Who.php`, {
          headers: { cookie, accept: 'text/html' },
        })
      ).text();
    expect(await show()).toContain('AcmeOne');
    const asked = store.requests.length;
    expect(await show()).toContain('AcmeOne');
    expect(store.requests.slice(asked).filter(({ key }) => key?.endsWith('.zip') === true)).toEqual([]);
  });

  it('publishes uploads', async () => {
    const { exitCode, stderr } = await runCli(['publish', 'uploaded', '--url', url], {
      cwd: source.root,
      environment: { LIBRETTO_TOKEN: token },
    });
    expect(exitCode, stderr).toBe(0);
    await expect.poll(() => archive('acme/uploaded')).toBe(200);
    expect([...store.objects.keys()].filter((key) => key.includes('dist/acme/uploaded/'))).not.toEqual([]);
  });

  const upload = async (): Promise<unknown> => {
    const type = { 'content-type': 'application/zip' };
    const headers = { authorization: `Bearer ${token}`, ...type };
    const text = JSON.stringify({ name: 'acme/late', version: '1.0.0' });
    const zip = zipOf([{ name: 'composer.json', data: text }]);
    const reply = await fetch(`${url}/api/artifacts`, { method: 'POST', headers, body: zip });
    return await reply.json();
  };

  itInSeries('says of an upload whose credentials have expired what to do, and names no object', async () => {
    store.fault = () => ({ status: 400, code: 'ExpiredToken' });
    const said = await upload().finally(() => (store.fault = () => undefined));
    expect(said).toMatchObject({
      code: 'UPSTREAM_UNAVAILABLE',
      error: expect.stringMatching(
        /^Nothing was published, .* ExpiredToken\. These credentials have expired\./,
      ) as string,
    });
    expect(JSON.stringify(said)).not.toContain(store.bucket);
  });

  // three attempts of ten seconds, where a command alone makes six of two minutes
  itInSeries('answers an upload while every answer of the store hangs', { timeout: 150_000 }, async () => {
    store.fault = () => ({ delayMs: 600_000 });
    const said = await upload().finally(() => (store.fault = () => undefined));
    expect(said).toMatchObject({
      code: 'UPSTREAM_UNAVAILABLE',
      error: expect.stringMatching(/does not answer, so nothing was published/) as string,
    });
  });

  itInSeries('syncs registered repositories after another host has published', async () => {
    await libretto('there', 'build', 'other');
    await expect.poll(() => archive('acme/other')).toBe(200);
    const added = await libretto(
      'here',
      'repository',
      'add',
      source.path('repository'),
      '--type',
      'directory',
      '--json',
    );
    const { id } = JSON.parse(added) as { id: string };
    expect((await ask(`/api/repositories/${id}/sync`, 'POST')).status).toBeLessThan(300);
    await expect.poll(() => archive('acme/registered')).toBe(200);
    for (const name of ['acme/one', 'acme/uploaded', 'acme/other']) expect(await archive(name)).toBe(200);
  });

  it('shows the history of all hosts, and serves what is published again', async () => {
    const { publications } = JSON.parse(await libretto('here', 'history', '--json')) as {
      publications: { serial: number }[];
    };
    const serial = Math.max(...publications.map((one) => one.serial));
    await expect
      .poll(async () => (await ask('/api/status')).json)
      .toMatchObject({ publication: { serial }, counts: { packages: playsSeries ? 4 : 2 } });
    await libretto('here', 'rollback', '1');
    await expect
      .poll(async () => (await ask('/api/status')).json)
      .toMatchObject({ publication: { serial: serial + 1 }, counts: { packages: 1 } });
    expect([await archive('acme/one'), (await ask('/p2/acme/uploaded.json')).status]).toEqual([200, 404]);
  });

  itInSeries('is examined by doctor without a fault of its tree', async () => {
    const { stdout } = await runCli(['doctor', '--json', '--data', folder.at('here')], {
      cwd: source.root,
      environment,
    });
    const { checks } = JSON.parse(stdout) as { checks: { check: string; verdict: string; message: string }[] };
    expect(checks.filter(({ verdict }) => verdict === 'failed')).toEqual([]);
    expect(checks.map(({ check }) => check)).toContain('output.objects');
  });

  itInSeries('starts while the store is out of reach, and says so', async () => {
    store.fault = () => ({ status: 503, code: 'SlowDown' });
    const other = startCli(['serve', '--data', folder.at('there'), '--listen', '127.0.0.1:0'], {
      cwd: source.root,
      environment,
    });
    const [, at = ''] = await other.shows(/^Serving .* on (http:\/\/127\.0\.0\.1:\d+)/m);
    expect(other.output().stderr).toMatch(
      /the store answered 503 SlowDown\..* The server starts, and tries it again\.$/m,
    );
    expect((await fetch(`${at}/health`)).status).toBeLessThan(600);
    other.signal('SIGTERM');
    await other.ended;
    store.fault = () => undefined;
  });
});
