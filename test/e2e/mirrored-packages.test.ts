// Tests the real Composer with mirrored packages of a tree that Libretto built, minified like Packagist's documents.
// The mirror runs behind a bare server here, with the packages.json of a mirroring registry.

import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mirrorDistUrl } from '../../build/contract/documents.ts';
import { createProject } from '../util/composer.ts';
import { archiveFor } from '../util/mirroring-registry.ts';
import { below, temporaryTree } from '../util/package-tree.ts';
import { publishedRecords } from '../util/published-tree.ts';
import { runCli } from '../util/run-cli.ts';
import { runMirror, type RunningMirror } from '../util/running-mirror.ts';
import { itInSeries } from '../util/series.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';
import { startUpstream, type TestUpstream } from '../util/upstream.ts';
import { askWho, whoLibrary } from '../util/who-library.ts';

describe.skipIf(lacks('composer', 'php'))('a mirrored registry', () => {
  const folder = temporaryFolder('through-mirror');
  let upstream: TestUpstream;
  let single: TestUpstream;
  let providers: TestUpstream;
  let running: RunningMirror;
  let server: Server;
  let url = '';

  beforeAll(async () => {
    const source = temporaryTree(
      {
        ...below('lib/1.0.0', whoLibrary('some/lib', '1.0.0')),
        ...below('lib/1.1.0', whoLibrary('some/lib', '1.1.0', { require: { 'some/base': '^2.0' }, keywords: ['x'] })),
        ...below('base/2.0.0', whoLibrary('some/base', '2.0.0')),
        ...below('moving', whoLibrary('some/moving', undefined, {}, 'moving')),
      },
      folder.path,
    );
    const data = folder.at('data');
    const { exitCode, stderr } = await runCli(['build', source.root, '--data', data], { cwd: folder.path });
    if (exitCode !== 0) throw new Error(stderr);
    upstream = await startUpstream({ minified: true });
    const records = publishedRecords(data);
    for (const name of new Set(records.map((record) => record.name))) {
      const versions = records
        .filter((record) => record.name === name)
        .map(({ version, dist, ...extra }) => {
          const zip = readFileSync(`${data}/public/dist/${name}/${version}.zip`);
          const { name: _name, ...fields } = extra as Record<string, unknown>;
          return { version, reference: dist.reference, zip, shasum: '', extra: fields };
        });
      upstream.put(name, versions);
    }
    single = await startUpstream({ layout: 'single' });
    single.put('single/lib', [
      { version: '1.0.0', zip: archiveFor('plain') },
      { version: '1.0.0+build5', zip: archiveFor('build5') },
      { version: 'dev-main', zip: archiveFor('main') },
    ]);
    providers = await startUpstream({ layout: 'providers' });
    providers.put('old/lib', [{ version: '1.0.0', zip: archiveFor('old') }]);
    const at = (id: string, url: string) => ({ id, url, allow: [`${id}/*`], deny: [] });
    running = runMirror([], {
      set: { upstreams: [at('some', upstream.url), at('single', single.url), at('old', providers.url)] },
    });
    server = createServer((request, response) => {
      const answer = async (): Promise<void> => {
        const [path = '', query = ''] = (request.url ?? '').split('?');
        const provider = /^\/p2\/([^~]+?)(~dev)?\.json$/.exec(path);
        const dist = /^\/dist\/([^/]+\/[^/]+)\/(.+)\.zip$/.exec(path);
        if (path === '/packages.json') {
          response.end(
            JSON.stringify({
              packages: {},
              'metadata-url': '/p2/%package%.json',
              'available-packages': ['acme/app'],
              'available-package-patterns': ['*'],
              mirrors: [{ 'dist-url': mirrorDistUrl, preferred: true }],
            }),
          );
          return;
        }
        const reply =
          provider === null
            ? await running.archive(
                dist?.[1] ?? '',
                decodeURIComponent(dist?.[2] ?? ''),
                /ref=([^&]+)/.exec(query)?.[1],
              )
            : await running.provider(provider[1] ?? '', provider[2] === undefined ? 'stable' : 'dev', {
                ifModifiedSince: request.headers['if-modified-since'],
              });
        response.writeHead(reply?.status ?? 404, reply?.headers ?? {}).end(reply?.body);
      };
      answer().catch((error: unknown) => response.destroy(error as Error));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await running[Symbol.asyncDispose]();
    for (const one of [upstream, single, providers]) await one[Symbol.asyncDispose]();
    await folder.remove();
  });

  it('installs what an upstream has in one document, under two labels, or lists with providers-url', async () => {
    const require = { 'single/lib': 'dev-main', 'old/lib': '^1.0' };
    await using app = createProject({ url, composerJson: { require } });
    const { exitCode, output } = await app.run('update');
    expect(exitCode, output).toBe(0);
    expect(app.locked()).toMatchObject({ 'single/lib': { version: 'dev-main' }, 'old/lib': { version: '1.0.0' } });
    const labels = ['1.0.0', '1.0.0+build5'];
    const archives = await Promise.all(labels.map((label) => running.archive('single/lib', label)));
    expect(archives.map((reply) => reply?.body)).toEqual([archiveFor('plain'), archiveFor('build5')]);
  });

  itInSeries(
    'installs releases with their requirements, and a branch, and the same after the upstream stopped',
    async () => {
      await using app = createProject({
        url,
        composerJson: { require: { 'some/lib': '^1.0', 'some/moving': 'dev-main' } },
      });
      const { exitCode, output } = await app.run('update');
      expect(exitCode, output).toBe(0);
      expect(await app.php(askWho('some/lib', 'some/base', 'some/moving'))).toBe('1.1.0 2.0.0 moving');
      expect(app.locked()['some/lib']).toMatchObject({ version: '1.1.0', keywords: ['x'] });
      expect(app.locked()['some/lib']?.['source']).toBeUndefined();
      upstream.failing.status = 500;
      app.removeVendor();
      app.clearCache();
      running.clock.nowMs += 700_000;
      const again = await app.run('update');
      expect(again.exitCode, again.output).toBe(0);
      expect(await app.php(askWho('some/lib'))).toBe('1.1.0');
      expect(running.of('document-failed').length).toBeGreaterThan(0);
      const older = await app.run('require', 'some/lib:1.0.0');
      expect(older.exitCode, older.output).not.toBe(0);
      upstream.failing.status = undefined;
      running.clock.nowMs += 700_000;
      const back = await app.run('require', 'some/lib:1.0.0');
      expect(back.exitCode, back.output).toBe(0);
      // the lock file has its checksum after the fetch, although the upstream gives none
      running.clock.nowMs += 700_000;
      app.clearCache();
      await app.run('update');
      expect(app.locked()['some/lib']?.dist?.shasum).toMatch(/^[0-9a-f]{40}$/);
    },
  );
});
