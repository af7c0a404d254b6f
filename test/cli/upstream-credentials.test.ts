// Tests the credentials for other registries through the shipped command: COMPOSER_AUTH for mirroring.url, and sealed
// credentials that can no longer be opened.

import { mkdirSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { zipOf } from '../util/hostile-zip.ts';
import { allFiles } from '../util/published-tree.ts';
import { runCli, startCli, type CliOutcome, type RunningCli } from '../util/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';
import { startUpstream, type TestUpstream } from '../util/upstream.ts';
import { describeInSeries, itInSeries } from '../util/series.ts';

let folder: TemporaryFolder;
let upstream: TestUpstream;
let running: RunningCli | undefined;
beforeEach(async () => {
  folder = temporaryFolder('upstream-credentials');
  writeFileSync(folder.at('libretto.json'), JSON.stringify({ data: 'data', egress: { allow: ['127.0.0.0/8'] } }));
  upstream = await startUpstream({ authorization: 'Bearer sesame' });
  mkdirSync(folder.at('packages/app'), { recursive: true });
  writeFileSync(folder.at('packages/app/composer.json'), '{"name": "acme/app", "version": "1.0.0"}');
  await done('build', 'packages');
  for (const name of ['some/one', 'some/two'])
    upstream.put(name, [{ version: '1.0.0', zip: zipOf([{ name: 'lib/a.txt', data: name }]) }]);
});
afterEach(async () => {
  running?.signal('SIGKILL');
  await running?.ended;
  running = undefined;
  await upstream[Symbol.asyncDispose]();
  await folder.remove();
});

const run = async (args: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<CliOutcome> =>
  runCli(args, { cwd: folder.path, environment });
const done = async (...args: readonly string[]): Promise<string> => {
  const { exitCode, stdout, stderr } = await run(args);
  expect(exitCode, stderr).toBe(0);
  return stdout;
};
async function serve(environment: Readonly<Record<string, string>> = {}): Promise<(path: string) => Promise<Response>> {
  const token = await done('token', 'create', '--description', 'CI');
  running = startCli(['serve', '--listen', '127.0.0.1:0'], { cwd: folder.path, environment });
  const [, url = ''] = await running.shows(/^Serving .* on (http:\/\/127\.0\.0\.1:\d+)/m);
  return (path) => fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } });
}
const auth = (host: string): string => JSON.stringify({ bearer: { [host]: 'sesame' } });
const upstreamCheck = async (environment: Readonly<Record<string, string>> = {}): Promise<unknown> =>
  (JSON.parse((await run(['doctor', '--json'], environment)).stdout) as { checks: { check: string }[] }).checks.filter(
    ({ check }) => check === 'upstream',
  );

describe('the registry of mirroring.url', () => {
  beforeEach(async () => {
    await done('settings', 'set', 'mirroring.url', upstream.url);
    await done('settings', 'set', 'mirroring.enabled', 'true');
  });

  it('is requested with the credentials that COMPOSER_AUTH has for its host, and no other host is', async () => {
    await using elsewhere = await startUpstream();
    elsewhere.instead('/files/x.zip', (_request, response) => void response.writeHead(404).end());
    upstream.put('some/far', [{ version: '1.0.0', shasum: '', distUrl: `${elsewhere.url}/files/x.zip` }]);
    const get = await serve({ COMPOSER_AUTH: auth(upstream.server.host) });
    expect((await get('/p2/some/one.json')).status).toBe(200);
    expect((await get('/dist/some/one/1.0.0.zip')).status).toBe(200);
    expect((await get('/p2/some/far.json')).status).toBe(200);
    expect((await get('/dist/some/far/1.0.0.zip')).status).not.toBe(200);
    expect(elsewhere.server.requests.map(({ path, headers }) => [path, headers.authorization])).toEqual([
      ['/files/x.zip', undefined],
    ]);
    expect(await upstreamCheck({ COMPOSER_AUTH: auth(upstream.server.host) })).toMatchObject([{ verdict: 'ok' }]);
  });

  itInSeries('is requested without credentials where COMPOSER_AUTH has some for another port only', async () => {
    const get = await serve({ COMPOSER_AUTH: auth('127.0.0.1:1') });
    expect((await get('/p2/some/one.json')).status).toBe(500);
    expect(upstream.server.requests.map(({ headers }) => headers.authorization)).toContain(undefined);
    expect(JSON.stringify(upstream.server.requests)).not.toContain('sesame');
  });

  itInSeries('is not requested where COMPOSER_AUTH cannot be read', async () => {
    const get = await serve({ COMPOSER_AUTH: '{"bearer": {"sesame' });
    const refused = await get('/p2/some/one.json');
    expect([refused.status, await refused.json()]).toMatchObject([500, { code: 'UPSTREAM_UNAVAILABLE' }]);
    expect(upstream.server.requests).toEqual([]);
    expect(await (await get('/api/status')).json()).toMatchObject({
      mirror: { problems: [{ upstream: 'public', message: expect.stringContaining('COMPOSER_AUTH') }] },
    });
  });
});

describeInSeries('sealed credentials that cannot be opened', () => {
  it('stop requests to their repository: log once a minute, status and doctor report that, and stored packages are served', async () => {
    writeFileSync(folder.at('token.txt'), 'sesame\n');
    const { id } = JSON.parse(
      await done('repository', 'add', '--type', 'composer', upstream.url, '--token-file', 'token.txt', '--json'),
    ) as { id: string };
    let get = await serve();
    expect((await get('/p2/some/one.json')).status).toBe(200);
    expect(await (await get('/api/status')).json()).toMatchObject({ mirror: { problems: [] } });
    running?.signal('SIGTERM');
    await running?.ended;
    const asked = upstream.server.requests.length;

    renameSync(folder.at('data/keys'), folder.at('former-keys'));
    for (const path of allFiles(folder.at('data/mirror/p2')))
      utimesSync(folder.at(`data/mirror/p2/${path}`), 1_700_000_000, 1_700_000_000); // requested long ago
    get = await serve();
    const kept = await get('/p2/some/one.json');
    expect([kept.status, kept.headers.has('x-libretto-stale-since')]).toEqual([200, true]);
    for (const path of ['/p2/some/two.json', '/p2/some/three.json', '/dist/some/one/1.0.0.zip']) {
      const refused = await get(path);
      expect([refused.status, await refused.json()], path).toMatchObject([500, { code: 'UPSTREAM_UNAVAILABLE' }]);
    }
    expect(upstream.server.requests).toHaveLength(asked);
    const failures = () =>
      (running?.output().stdout ?? '').split('\n').filter((line) => line.includes('"document-failed"'));
    await expect.poll(failures, { timeout: 60_000 }).toHaveLength(1);
    expect(failures()[0]).toContain(`the credentials of the repository ${id} cannot be opened`);
    expect(await (await get('/api/status')).json()).toMatchObject({
      mirror: { problems: [{ upstream: id, message: expect.stringContaining('Give them again') }] },
    });
    expect(await done('status')).toContain(`${id}: It is not used: the credentials`);
    expect(await upstreamCheck()).toMatchObject([
      { verdict: 'failed', message: expect.stringContaining('cannot be opened') },
    ]);

    expect((await run(['repository', 'update', id, '--token-file', 'token.txt'])).exitCode).toBe(0);
    expect((await get('/p2/some/two.json')).status, 'given again').toBe(200);
    expect(await (await get('/api/status')).json()).toMatchObject({ mirror: { problems: [] } });
  });
});
