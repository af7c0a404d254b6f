// Tests the compiled program with an untrusted upstream and the real Composer: private and mirrored packages in one
// project, with cold and warm caches, with a stopped upstream, and after its return. No private name is ever sent. The
// tests share one registry, and each mirrors packages of its own vendor.

import { createHash } from 'node:crypto';
import { readFileSync, utimesSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearerAuth, createProject, type Project } from '../util/composer.ts';
import { zipOf } from '../util/hostile-zip.ts';
import { below, temporaryTree, type Tree } from '../util/package-tree.ts';
import { allFiles } from '../util/published-tree.ts';
import { serveTree, startRegistry, type Registry } from '../util/registry.ts';
import { lacks } from '../util/tool.ts';
import { referenceFor, sha1Of, startUpstream, type TestUpstream, type UpstreamVersion } from '../util/upstream.ts';
import { askWho, whoClass, whoLibrary, whoNamespace } from '../util/who-library.ts';
import { itInSeries } from '../util/series.ts';

interface ReleaseOptions {
  readonly who?: string;
  readonly require?: object;
  readonly shasum?: string;
  readonly time?: string;
  readonly bytes?: number;
}

/** A release of another registry; its ZIP contains `who`. */
function release(
  name: string,
  version: string,
  { who = version, require = {}, shasum, time = '2020-01-01T00:00:00+00:00', bytes = 0 }: ReleaseOptions = {},
): UpstreamVersion {
  const json = {
    name,
    version,
    description: `${name} from the shop of ${name.split('/')[0]}`,
    license: 'MIT',
    type: 'library',
    autoload: { 'psr-4': { [`${whoNamespace(name)}\\`]: 'src/' } },
    require,
    time,
  };
  const noise = Buffer.concat(
    Array.from({ length: bytes / 64 }, (_, at) => createHash('sha512').update(`${name} ${at}`).digest()),
  );
  const zip = zipOf([
    { name: 'top/composer.json', data: Buffer.from(JSON.stringify(json)) },
    { name: 'top/src/Who.php', data: Buffer.from(whoClass(whoNamespace(name), who)) },
    ...(bytes === 0 ? [] : [{ name: 'top/noise.bin', data: noise, stored: true }]),
  ]);
  return { version, zip, ...(shasum === undefined ? {} : { shasum }), extra: json };
}

describe.skipIf(lacks('composer', 'php'))('a registry that mirrors', () => {
  const dependants = ['slips', 'down', 'seen', 'wrong'].map((vendor) =>
    below(`acme/${vendor}`, whoLibrary(`acme/${vendor}`, '1.0.0', { require: { [`${vendor}/lib`]: '^1.0' } })),
  );
  const source = temporaryTree(
    Object.assign(below('acme/core', whoLibrary('acme/core', '1.0.0')), ...dependants) as Tree,
  );
  let upstream: TestUpstream;
  let registry: Registry;

  const set = async (name: string, value: string): Promise<void> => {
    const { exitCode, stderr } = await registry.cli('settings', 'set', name, value);
    if (exitCode !== 0) throw new Error(stderr);
  };
  const project = (require: object, token = registry.token): Project =>
    createProject({ url: registry.url, auth: bearerAuth(registry.front.host, token), composerJson: { require } });
  const ask = (path: string, token = registry.token, init: RequestInit = {}): Promise<Response> =>
    fetch(`${registry.direct()}${path}`, {
      ...init,
      headers: { ...(init.headers as Record<string, string> | undefined), authorization: `Bearer ${token}` },
    });
  /** As if the last request for each document was an hour ago. */
  const afterAnHour = async (): Promise<void> => {
    await registry.stopServer();
    const folder = join(registry.data, 'mirror/p2');
    const then = Date.now() / 1000 - 3600;
    for (const path of allFiles(folder)) utimesSync(join(folder, path), then, then);
    await registry.startServer();
  };
  const alarms = () =>
    registry.log().flatMap(({ mirror }) => (mirror === undefined ? [] : [(mirror as { kind: string }).kind]));

  /** Publishes two packages of a vendor, as `lib` requires `base`. */
  const offer = (vendor: string): void => {
    upstream.put(`${vendor}/lib`, [release(`${vendor}/lib`, '1.0.0', { require: { [`${vendor}/base`]: '^1.0' } })]);
    upstream.put(`${vendor}/base`, [release(`${vendor}/base`, '1.0.0', { shasum: '' })]);
  };

  beforeAll(async () => {
    upstream = await startUpstream({ minified: true });
    for (const vendor of ['slips', 'down', 'seen', 'named', 'damaged', 'changed', 'aged', 'wrong']) offer(vendor);
    // private and reserved names have higher versions there
    for (const name of ['acme/seen', 'acme/core', 'acme/more', 'ours-new/tool'])
      upstream.put(name, [release(name, '99.0.0', { who: 'hostile' })]);
    registry = await startRegistry({
      sources: [source.root],
      loopback: true,
      settings: { 'mirroring.url': upstream.url, 'mirroring.reserved': '["ours-*/*"]', 'mirroring.enabled': 'true' },
    });
  });
  afterAll(async () => {
    await registry.stop();
    await upstream[Symbol.asyncDispose]();
    source.remove();
  });

  itInSeries('row 75: one failure of each request does not fail a cold update', async () => {
    const file = (name: string): string => `/files/${name}/1.0.0/${referenceFor(`${name} 1.0.0`)}.zip`;
    const slip = (path: string, fail: (response: ServerResponse) => void): void =>
      upstream.instead(path, (_request, response) => {
        upstream.instead(path, undefined);
        fail(response);
      });
    for (const path of ['/packages.json', '/p2/slips/base.json', file('slips/lib')])
      slip(path, (response) => void response.writeHead(502).end());
    for (const path of ['/p2/slips/lib.json', file('slips/base')]) slip(path, (response) => void response.destroy());
    await using app = project({ 'acme/slips': '^1.0' });
    const cold = await app.run('update');
    expect(cold.exitCode, cold.output).toBe(0);
    expect(await app.php(askWho('acme/slips', 'slips/lib', 'slips/base'))).toBe('1.0.0 1.0.0 1.0.0');
    expect(upstream.asked(file('slips/base'))).toBe(2);
  });

  it('row 75: installs private and mirrored packages, cold, warm and with the upstream stopped, and new releases after its return', async () => {
    await using app = project({ 'acme/down': '^1.0' });
    const cold = await app.run('update');
    expect(cold.exitCode, cold.output).toBe(0);
    expect(await app.php(askWho('acme/down', 'down/lib', 'down/base'))).toBe('1.0.0 1.0.0 1.0.0');
    expect(app.locked()['down/lib']?.dist?.url).not.toContain(upstream.url);
    const before = upstream.server.requests.length;
    app.removeVendor();
    app.clearCache();
    const warm = await app.run('update');
    expect(warm.exitCode, warm.output).toBe(0);
    expect(upstream.server.requests).toHaveLength(before);

    upstream.failing.status = 503;
    await afterAnHour();
    for (const command of ['install', 'update']) {
      app.removeVendor();
      app.clearCache();
      const stopped = await app.run(command);
      expect(stopped.exitCode, stopped.output).toBe(0);
      expect(await app.php(askWho('acme/down', 'down/lib', 'down/base'))).toBe('1.0.0 1.0.0 1.0.0');
    }
    expect((await ask('/p2/down/lib.json')).headers.get('x-libretto-stale-since')).toMatch(/GMT$/);
    expect((await fetch(`${registry.direct()}/health`)).status).toBe(200);

    upstream.failing.status = undefined;
    upstream.put('down/lib', [
      release('down/lib', '1.1.0'),
      release('down/lib', '1.0.0', { require: { 'down/base': '^1.0' } }),
    ]);
    await afterAnHour();
    const back = await app.run('update');
    expect(back.exitCode, back.output).toBe(0);
    expect(await app.php(askWho('down/lib'))).toBe('1.1.0');
    await registry.stopServer(); // counts are stored
    const counted = JSON.parse((await registry.cli('package', 'statistics', 'down/lib', '--json')).stdout) as unknown;
    expect(counted).toMatchObject({ versions: { '1.1.0': 1 }, installs: { versions: { '1.0.0': 4, '1.1.0': 1 } } });
    await registry.startServer();
  });

  itInSeries('finds mirrored packages with `search` and `show -a`, and sends no search to an upstream', async () => {
    await using app = project({ 'acme/seen': '^1.0' });
    const installed = await app.run('update');
    expect(installed.exitCode, installed.output).toBe(0);
    app.removeVendor(); // Composer searches the installed packages too
    upstream.server.requests.length = 0;
    const search = async (...args: readonly string[]): Promise<unknown> =>
      JSON.parse((await app.run('search', '--format=json', ...args)).stdout) as unknown;
    // lists and searches learn of a mirrored package within seconds
    const found = ['seen/base', 'seen/lib'].map((name) => ({ name, description: `${name} from the shop of seen` }));
    await expect.poll(() => search('shop of seen'), { timeout: 120_000 }).toMatchObject(found);
    expect(await search('secret-project')).toEqual([]);
    // the shell's completion of names asks /list.json
    const completed = await app.run(
      '_complete',
      '--shell=bash',
      '--current=2',
      '--input=composer',
      '--input=require',
      '--input=seen/',
    );
    expect(completed.stdout.trim().split(/\s+/), completed.output).toEqual(['seen/base', 'seen/lib']);
    const shown = await app.run('show', '-a', '--format=json', 'seen/lib');
    expect(JSON.parse(shown.stdout), shown.output).toMatchObject({
      name: 'seen/lib',
      description: 'seen/lib from the shop of seen',
      versions: ['1.0.0'],
    });
    expect(
      upstream.server.requests
        .map(({ path }) => path)
        .filter((path) => path !== '/packages.json' && !/^\/p2\/seen\/(lib|base)(~dev)?\.json$/.test(path)),
    ).toEqual([]);
    await set('mirroring.deny', '["seen/base"]');
    expect(
      ((await (await ask('/search.json?q=shop+of+seen')).json()) as { results: { name: string }[] }).results.map(
        ({ name }) => name,
      ),
    ).toEqual(['seen/lib']);
    await set('mirroring.deny', '[]');
  });

  it('row 76 (I9): never requests private or reserved names, whatever an upstream claims', async () => {
    await using app = project({ 'acme/seen': '*', 'acme/core': '*', 'named/lib': '*' });
    const installed = await app.run('update');
    expect(installed.exitCode, installed.output).toBe(0);
    expect(await app.php(askWho('acme/seen', 'acme/core'))).toBe('1.0.0 1.0.0');
    for (const name of ['acme/seen', 'acme/core', 'acme/more', 'ours-new/tool']) {
      await using wanting = project({ [name]: '99.0.0' });
      expect((await wanting.run('update')).exitCode).not.toBe(0);
      for (const path of [`/p2/${name}.json`, `/p2/${name}~dev.json`, `/dist/${name}/99.0.0.zip`])
        expect([200, 404]).toContain((await ask(path)).status);
    }
    await ask('/security-advisories', registry.token, {
      method: 'POST',
      body: new URLSearchParams([
        ['packages[]', 'acme/core'],
        ['packages[]', 'acme/more'],
        ['packages[]', 'ours-new/tool'],
      ]),
    });
    expect(upstream.server.requests.map(({ path }) => path).filter((path) => /acme|ours/.test(path))).toEqual([]);
    expect(upstream.asked('/p2/named/lib.json')).toBe(1);
  });

  it('a damaged record fails one request and does not end the server', async () => {
    for (const name of ['damaged/lib', 'damaged/base']) expect((await ask(`/dist/${name}/1.0.0.zip`)).status).toBe(200);
    await registry.stopServer();
    const folder = join(registry.data, 'mirror/dist/damaged/base');
    for (const file of allFiles(folder)) if (file.endsWith('.json')) writeFileSync(join(folder, file), '{');
    await registry.startServer();
    for (let again = 0; again < 2; again += 1) expect((await ask('/dist/damaged/base/1.0.0.zip')).status).toBe(500);
    expect((await ask('/dist/damaged/lib/1.0.0.zip')).status).toBe(200);
    expect((await ask('/p2/damaged/lib.json')).status).toBe(200);
  });

  it('row 75: an archive with a wrong checksum is neither installed nor stored', async () => {
    upstream.put('wrong/base', [release('wrong/base', '1.0.0', { shasum: 'a'.repeat(40) })]);
    await using app = project({ 'acme/wrong': '^1.0' });
    const { exitCode, output } = await app.run('update');
    expect(exitCode).not.toBe(0);
    expect(output).toContain('wrong/base');
    expect(app.exists('vendor/wrong/base/src/Who.php')).toBe(false);
    expect(allFiles(join(registry.data, 'mirror')).filter((path) => path.startsWith('dist/wrong/base'))).toEqual([]);
    await expect.poll(alarms, { timeout: 60_000 }).toContain('archive-refused');
  });

  it('row 77: a release that its upstream changes keeps its first bytes and raises an alarm', async () => {
    await using app = project({ 'changed/base': '^1.0' });
    expect((await app.run('update')).exitCode).toBe(0);
    upstream.put('changed/base', [release('changed/base', '1.0.0', { who: 'changed' })]);
    await afterAnHour();
    await using other = project({ 'changed/base': '^1.0' });
    const { exitCode, output } = await other.run('update');
    expect(exitCode, output).toBe(0);
    expect(await other.php(askWho('changed/base'))).toBe('1.0.0');
    await expect.poll(alarms, { timeout: 60_000 }).toContain('release-changed');
  });

  itInSeries('offers a release once it is old enough, and a limited token gets its part', async () => {
    upstream.put('aged/base', [
      release('aged/base', '1.1.0', { time: new Date().toISOString() }),
      release('aged/base', '1.0.0'),
    ]);
    await set('mirroring.minimum_age', '86400');
    const scoped = await registry.createToken('--package', 'aged/base');
    await using app = project({ 'aged/base': '^1.0' }, scoped.token);
    const installed = await app.run('update');
    expect(installed.exitCode, installed.output).toBe(0);
    expect(await app.php(askWho('aged/base'))).toBe('1.0.0');
    expect((await ask('/p2/aged/lib.json', scoped.token)).status).toBe(404);
    expect((await ask('/dist/aged/lib/1.0.0.zip', scoped.token)).status).toBe(404);
    expect((await ask('/dist/aged/base/1.1.0.zip', scoped.token)).status).toBe(410);
    expect(upstream.asked('/p2/aged/lib')).toBe(0);
    await set('mirroring.minimum_age', '0');
  });

  itInSeries('that is killed during a fetch leaves no bad file, and the next install works', async () => {
    const slow = release('killed/base', '1.0.0', { bytes: 512_000 });
    upstream.put('killed/base', [slow]);
    const zip = slow.zip ?? Buffer.alloc(0);
    upstream.instead(`/files/killed/base/1.0.0/${referenceFor('killed/base 1.0.0')}.zip`, (_request, response) => {
      response.writeHead(200, { 'content-length': String(zip.length) }).write(zip.subarray(0, 300_000));
      setTimeout(() => response.end(zip.subarray(300_000)), 150);
    });
    await registry.stopServer();
    for (const afterMs of [20, 80, 145]) {
      let answered = false;
      const server = await serveTree(registry.folder.path, registry.data, []);
      const headers = { authorization: `Bearer ${registry.token}` };
      const fetched = fetch(`${server.url}/dist/killed/base/1.0.0.zip`, { headers })
        .then((response) => response.arrayBuffer())
        .catch(() => undefined)
        .finally(() => (answered = true));
      // an earlier server may have stored the file
      const begun = (): boolean => answered || upstream.asked('/files/killed/') > 0;
      await expect.poll(begun, { timeout: 60_000, interval: 5 }).toBe(true);
      await sleep(afterMs);
      process.kill(server.pid, 'SIGKILL');
      expect((await fetched)?.byteLength ?? zip.length).toBe(zip.length);
      const stored = allFiles(join(registry.data, 'mirror')).filter((path) => /^dist\/.*\.zip$/.test(path));
      for (const path of stored) expect(path).toContain(sha1Of(readFileSync(join(registry.data, 'mirror', path))));
      upstream.server.requests.length = 0;
    }
    await registry.startServer();
    await using app = project({ 'killed/base': '^1.0' });
    const { exitCode, output } = await app.run('update');
    expect(exitCode, output).toBe(0);
    expect(await app.php(askWho('killed/base'))).toBe('1.0.0');
  });

  itInSeries(
    'lists advisories for mirrored packages from libretto.json and the upstream, and asks the upstream about no private package',
    async () => {
      const advisory = (advisoryId: string, packageName: string): object => ({
        advisoryId,
        packageName,
        affectedVersions: '<2.0',
        title: 'Bad',
        cve: null,
        link: 'https://some.example/1',
        severity: 'high',
        reportedAt: '2026-03-01T12:00:00+00:00',
        sources: [{ name: 'there', remoteId: advisoryId }],
      });
      await upstream[Symbol.asyncDispose]();
      upstream = await startUpstream({
        root: { 'security-advisories': { metadata: false, 'api-url': '/api/advisories' } },
      });
      upstream.put('some/base', [release('some/base', '1.0.0')]);
      const bodies: string[] = [];
      upstream.instead('/api/advisories', (request, response) => {
        const pieces: Buffer[] = [];
        request
          .on('data', (piece: Buffer) => pieces.push(piece))
          .on('end', () => {
            bodies.push(Buffer.concat(pieces).toString());
            response.end(
              JSON.stringify({
                advisories: {
                  'some/base': [advisory('U-1', 'some/base')],
                  'acme/core': [advisory('U-2', 'acme/core')],
                },
              }),
            );
          });
      });
      await set('mirroring.url', upstream.url);
      writeFileSync(registry.folder.at('own.json'), JSON.stringify([advisory('A-1', 'some/base')]));
      writeFileSync(
        registry.folder.at('libretto.json'),
        JSON.stringify({ sources: [source.root], advisories: 'own.json', egress: { allow: ['127.0.0.0/8'] } }),
      );
      await registry.build();
      await using app = project({ 'some/base': '*', 'acme/core': '*' });
      await app.runWith({ COMPOSER_NO_SECURITY_BLOCKING: '1' }, 'update', '--no-audit');
      const audit = await app.run('audit', '--format=json');
      const found = JSON.parse(audit.stdout) as { advisories: Record<string, { advisoryId: string }[]> };
      expect(Object.values(found.advisories['some/base'] ?? {}).map(({ advisoryId }) => advisoryId)).toContain('A-1');
      expect(found.advisories['acme/core']).toBeUndefined();
      const asked = await ask('/security-advisories', registry.token, {
        method: 'POST',
        body: new URLSearchParams([
          ['packages[]', 'some/base'],
          ['packages[]', 'acme/core'],
        ]),
      });
      expect(
        Object.entries(((await asked.json()) as typeof found).advisories).map(([name, listed]) => [
          name,
          listed.map(({ advisoryId }) => advisoryId),
        ]),
      ).toEqual([['some/base', ['A-1', 'U-1']]]);
      expect([...new Set(bodies.map((body) => decodeURIComponent(body)))]).toEqual(['packages[]=some/base']);
      expect(
        ((await (await ask('/p2/some/base.json')).json()) as Record<string, unknown>)['security-advisories'],
      ).toMatchObject([{ advisoryId: 'A-1' }]);
      upstream.failing.status = 500;
      await registry.stopServer();
      await registry.startServer();
      const failing = await ask('/security-advisories', registry.token, {
        method: 'POST',
        body: new URLSearchParams([['packages[]', 'some/base']]),
      });
      expect([failing.status, await failing.json()]).toMatchObject([
        200,
        { advisories: { 'some/base': [{ advisoryId: 'A-1' }] } },
      ]);
    },
  );
});
