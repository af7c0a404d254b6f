// Tests `--only`: the build reads some packages, the others stay as published, and the next whole build does all
// remaining work.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { BuildRequest } from '../../../../build/scan/build-request.ts';
import type { BuildReport } from '../../../../build/contract/build-report.ts';
import type { SourceOptions } from '../../../../build/sources/options.ts';
import { buildSeries, type BuildSeries } from '../../../util/build-series.ts';
import { startGitHttpServer } from '../../../util/git-http-server.ts';
import { createRepository } from '../../../util/git-repository.ts';
import { below, libraryTree, type TemporaryTree } from '../../../util/package-tree.ts';
import { publishedTree, publishedVersions } from '../../../util/published-tree.ts';
import { lacks } from '../../../util/tool.ts';

let tree: TemporaryTree;
let data: string;
let series: BuildSeries;
beforeEach(() => {
  series = buildSeries();
  ({ tree, data } = series);
  put('a', '1.0.0');
  put('b', '1.0.0');
});
afterEach(() => tree.remove());

function put(name: string, version: string): void {
  tree.write(below(`src/${name}-${version}`, libraryTree(`acme/${name}`, { version })));
}
function run(
  only: readonly string[] | undefined,
  more: Partial<BuildRequest> = {},
  environment: Readonly<Record<string, string | undefined>> = {},
): Promise<BuildReport> {
  return series.run(
    {
      dataDirectory: data,
      configured: ['src'],
      metadataUrl: '/p2/%package%.json',
      ...(only === undefined ? {} : { only }),
      ...more,
    },
    environment,
  );
}
const versions = (): string[] => Object.keys(publishedVersions(data)).toSorted();
const lines = (list: BuildReport['added']): string[] => list.map(({ name, version }) => `${name}@${version}`);
const codes = ({ quarantined }: BuildReport): string[] =>
  quarantined.map(({ name, code }) => `${String(name)} ${code}`);

describe('a build limited to some packages', () => {
  it('publishes the changes of these packages, and the next whole build publishes the rest', async () => {
    await run(undefined);
    put('a', '1.1.0');
    put('b', '1.1.0');
    tree.delete('src/b-1.0.0');
    expect(lines((await run(['acme/a'])).added)).toEqual(['acme/a@1.1.0']);
    expect(versions()).toEqual(['acme/a@1.0.0', 'acme/a@1.1.0', 'acme/b@1.0.0']);
    const rest = await run(undefined);
    expect([lines(rest.added), lines(rest.withdrawn)]).toEqual([['acme/b@1.1.0'], ['acme/b@1.0.0']]);
    expect((await run(undefined)).published).toBe(false);
  });

  it('leads in the end to the tree of one whole build, in any order', async () => {
    await run(['acme/b']);
    expect(versions()).toEqual(['acme/b@1.0.0']);
    put('c', 'not-a-version');
    await run(['ACME/*']);
    await run(undefined);
    const stepwise = publishedTree(data);
    data = tree.path('other');
    await run(undefined);
    expect(publishedTree(data)).toEqual(stepwise);
  });

  it('withdraws a removed package of the list, and no other', async () => {
    await run(undefined);
    tree.delete('src/a-1.0.0');
    tree.delete('src/b-1.0.0');
    put('c', '1.0.0');
    expect(lines((await run(['acme/a'])).withdrawn)).toEqual(['acme/a@1.0.0']);
    expect(versions()).toEqual(['acme/b@1.0.0']);
    const rest = await run(undefined);
    expect([lines(rest.added), lines(rest.withdrawn)]).toEqual([['acme/c@1.0.0'], ['acme/b@1.0.0']]);
  });

  it('reports faults of these packages alone, and keeps the known faults of the others', async () => {
    put('bad', 'not-a-version');
    expect(codes(await run(undefined))).toEqual(['acme/bad VERSION_INVALID']);
    put('a', '1.1.0');
    put('worse', 'not-a-version');
    expect(codes(await run(['acme/a']))).toEqual([]);
    expect(codes(await run(['acme/bad']))).toEqual(['acme/bad VERSION_INVALID']);
    expect(codes(await run(undefined))).toEqual(['acme/bad VERSION_INVALID', 'acme/worse VERSION_INVALID']);
  });

  it('publishes under --strict when the fault is in another package', async () => {
    put('bad', 'not-a-version');
    expect(await run(['acme/a'], { strict: true })).toMatchObject({ published: true, quarantined: [] });
    expect(await run(['acme/*'], { strict: true })).toMatchObject({ published: false });
  });
});

describe('a limited build after a change for all packages', () => {
  it('leaves the other packages under the old settings until the next whole build', async () => {
    await run(undefined);
    const change = { abandoned: { 'acme/a': true, 'acme/b': true }, distBaseUrl: 'https://packages.example.org' };
    const abandoned = (): unknown[] =>
      ['a', 'b'].map((name) =>
        /"abandoned":true.*"url":"https:/.test(readFileSync(`${data}/public/p2/acme/${name}.json`, 'utf8')),
      );
    await run(['acme/a'], change);
    expect(abandoned()).toEqual([true, false]);
    await run(undefined, change);
    expect(abandoned()).toEqual([true, true]);
  });

  it('leaves the other packages under the old limits until the next whole build', async () => {
    await run(undefined);
    const limited = { configured: [{ source: 'src', options: { only: ['acme/none'] }, where: 'sources[0]' }] };
    expect(lines((await run(['acme/a'], limited)).withdrawn)).toEqual(['acme/a@1.0.0']);
    expect(lines((await run(undefined, limited)).withdrawn)).toEqual(['acme/b@1.0.0']);
  });

  it.skipIf(lacks('git'))(
    'leaves changed source references of the other packages to the next whole build',
    async () => {
      createRepository(
        tree.path('srv/mono.git'),
        [
          { commit: 'main', files: { 'composer.json': '{"name": "acme/x"}', 'y/composer.json': '{"name": "acme/y"}' } },
          { tag: '1.0.0', at: 'main' },
        ],
        { bare: true },
      );
      const server = await startGitHttpServer(tree.path('srv'));
      const environment = { PATH: process.env['PATH'] };
      const configured = (options: SourceOptions): Partial<BuildRequest> => ({
        configured: [
          {
            source: `${server.url}/mono.git`,
            options: { subdirectories: ['.', '*'], ...options },
            where: 'sources[0]',
          },
        ],
      });
      const named = (): boolean[] =>
        ['x', 'y'].map((name) => readFileSync(`${data}/public/p2/acme/${name}.json`, 'utf8').includes('"source":'));
      try {
        await run(undefined, configured({}), environment);
        await run(['acme/y'], configured({ 'reference-source': 'include' }), environment);
        expect(named()).toEqual([false, false]);
        await run(undefined, configured({ 'reference-source': 'include' }), environment);
        expect(named()).toEqual([true, false]);
        await run(['acme/x'], configured({}), environment);
        expect(named()).toEqual([false, false]);
      } finally {
        await server.close();
      }
    },
  );

  it('leaves packages of an unknown source under the old settings until the next whole build', async () => {
    tree.write(below('more', libraryTree('acme/more', { version: '1.0.0' })));
    await run(undefined, { configured: ['src', 'more'] });
    const head = `${data}/index/_publication.json`;
    const announced = JSON.parse(readFileSync(head, 'utf8')) as { readonly sources: { location: string }[] };
    const sources = announced.sources.filter(({ location }) => location === 'dir:../more');
    writeFileSync(head, JSON.stringify({ ...announced, sources }));
    const change = { configured: ['more'], distBaseUrl: 'https://packages.example.org' };
    await run(['acme/more'], change);
    await run(undefined, change);
    expect(readFileSync(`${data}/public/p2/acme/b.json`, 'utf8')).toContain(
      'https://packages.example.org/dist/acme/b/',
    );
  });

  it('reports a source that left libretto.json; the next whole build forgets the source', async () => {
    tree.write(below('more', libraryTree('acme/more', { version: '1.0.0' })));
    await run(undefined, { configured: ['src', 'more'] });
    const report = await run(['acme/a'], { configured: ['src'] });
    expect(report.notices).toEqual([
      { source: 'dir:../more', message: expect.stringContaining('A build without --only withdraws it') as string },
    ]);
    expect(versions()).toContain('acme/more@1.0.0');
    expect(lines((await run(undefined)).withdrawn)).toEqual(['acme/more@1.0.0']);
  });
});

describe('a limited build is refused', () => {
  it('for unknown package names, and changes nothing', async () => {
    await run(undefined);
    const before = publishedTree(data);
    await expect(run(['acme/a', 'acme/typo'])).rejects.toThrow('--only acme/typo: no published package');
    expect(publishedTree(data)).toEqual(before);
  });

  it('together with --forget', async () => {
    await run(undefined);
    await expect(run(['acme/a'], { forget: ['src'] })).rejects.toThrow('use one of them');
  });

  it('in a tree that changed since the last publication', async () => {
    await run(undefined);
    rmSync(`${data}/public/packages.json`);
    await expect(run(['acme/a'])).rejects.toThrow('Build all packages first: `libretto build`.');
    await run(undefined);
    await run(['acme/a']);
    writeFileSync(
      `${data}/build/manifest.json`,
      readFileSync(`${data}/build/manifest.json`, 'utf8').replace(/"serial":\d+/, '"serial":99'),
    );
    await expect(run(['acme/a'])).rejects.toThrow('a publication was interrupted');
  });
});
