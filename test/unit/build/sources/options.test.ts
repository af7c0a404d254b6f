// Tests the options of sources and packages in libretto.json: limits and record fields, over several builds with
// changes.

import { readFileSync, rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { build } from '../../../../build/build.ts';
import type { BuildRequest } from '../../../../build/scan/build-request.ts';
import type { BuildReport } from '../../../../build/contract/build-report.ts';
import type { ConfiguredSource, SourceOptions } from '../../../../build/sources/options.ts';
import { verifyTree } from '../../../../build/inspect/verify.ts';
import { createRepository } from '../../../util/git-repository.ts';
import { below, libraryTree, temporaryTree, type TemporaryTree } from '../../../util/package-tree.ts';
import { allFiles, publishedTree, publishedVersions } from '../../../util/published-tree.ts';

let tree: TemporaryTree;
let data: string;
let seconds: number;
beforeEach(() => {
  tree = temporaryTree({
    ...below('one/a', libraryTree('acme/a', { version: '1.0.0' })),
    ...below('one/b', libraryTree('acme/b', { version: '1.0.0', abandoned: 'acme/c' })),
    ...below('one/b2', libraryTree('acme/b', { version: '2.0.0' })),
  });
  data = tree.path('data');
  seconds = Date.UTC(2026, 0, 1) / 1000;
});
afterEach(() => tree.remove());

const source = (place: string, options: SourceOptions = {}): string | ConfiguredSource =>
  Object.keys(options).length === 0 ? place : { source: place, options, where: 'sources[0]' };
function run(configured: BuildRequest['configured'], more: Partial<BuildRequest> = {}): Promise<BuildReport> {
  const request: BuildRequest = {
    dataDirectory: data,
    baseDirectory: tree.root,
    arguments: [],
    configured,
    fallback: undefined,
    forget: [],
    strict: false,
    allowRepublish: false,
    allowWithdraw: true,
    jobs: 1,
    metadataUrl: '/p2/%package%.json',
    distBaseUrl: undefined,
    ...more,
  };
  return build(request, {
    now: () => new Date((seconds += 10) * 1000),
    progress: () => undefined,
    environment: { PATH: process.env['PATH'] },
  });
}
/** `name@version` → the value of `abandoned` in its record */
const abandoned = (): Record<string, unknown> => {
  const paths = allFiles(`${data}/public/p2`);
  const documents = paths.map(
    (path) =>
      JSON.parse(readFileSync(`${data}/public/p2/${path}`, 'utf8')) as {
        packages: Record<string, Record<string, { version: string; abandoned?: unknown }>>;
      },
  );
  return Object.fromEntries(
    documents
      .flatMap(({ packages }) => Object.entries(packages))
      .flatMap(([name, records]) =>
        Object.values(records).map((record) => [`${name}@${record.version}`, record.abandoned]),
      ),
  );
};
const versions = (): string[] => Object.keys(publishedVersions(data)).toSorted();
const lines = (list: BuildReport['added']): string[] =>
  list.map(({ name, version }) => `${name}@${version}`).toSorted();
const everything = ['acme/a@1.0.0', 'acme/b@1.0.0', 'acme/b@2.0.0'];

describe('limits of a source', () => {
  it('apply at once when they change, in both directions, without any other change', async () => {
    await run([source('one')]);
    expect(versions()).toEqual(everything);
    expect(lines((await run([source('one', { only: ['acme/a'] })])).withdrawn)).toEqual([
      'acme/b@1.0.0',
      'acme/b@2.0.0',
    ]);
    expect(lines((await run([source('one', { except: { 'acme/b': '<2' } })])).added)).toEqual(['acme/b@2.0.0']);
    expect(lines((await run([source('one')])).added)).toEqual(['acme/b@1.0.0']);
    expect(versions()).toEqual(everything);
    expect((await run([source('one')])).published).toBe(false);
  });

  it('give the tree of a clean build under the same limits', async () => {
    await run([source('one')]);
    await run([source('one', { versions: { 'acme/b': '^2' } })]);
    const after = publishedTree(data);
    data = tree.path('clean');
    await run([source('one', { versions: { 'acme/b': '^2' } })]);
    expect(publishedTree(data)).toEqual(after);
  });

  it('do not cause an unchanged source to be read', async () => {
    await run([source('one', { only: ['acme/a'] })]);
    expect(await run([source('one', { only: ['acme/a'] })])).toMatchObject({ published: false, serial: 1 });
  });

  it('are reported once where they match nothing, for all sources that share them', async () => {
    tree.write(below('two/d', libraryTree('acme/d', { version: '1.0.0' })));
    const options = { only: ['acme/a', 'acme/d', 'acme/typo'] };
    const { notices } = await run([
      { source: 'one', options, where: 'sources[0]' },
      { source: 'two', options, where: 'sources[1]' },
    ]);
    expect(notices).toEqual([
      { source: 'dir:../one', message: 'libretto.json limits it by acme/typo, but it has no such package.' },
    ]);
  });

  it('apply only with their file: without it the source stays as published and cannot be read by name', async () => {
    await run([source('one', { only: ['acme/a'] })]);
    const report = await run(undefined);
    expect(report).toMatchObject({
      published: false,
      notices: [{ source: 'dir:../one', message: expect.stringContaining('--config') as string }],
    });
    await expect(run(undefined, { arguments: ['one'] })).rejects.toThrow(
      'in a libretto.json that this build does not use',
    );
    expect(versions()).toEqual(['acme/a@1.0.0']);
    expect(lines((await run([], { arguments: ['one'] })).added)).toEqual(['acme/b@1.0.0', 'acme/b@2.0.0']);
  });

  it('may be given once for each source', async () => {
    await expect(run([source('one', { only: ['acme/a'] }), source('one', { only: ['acme/b'] })])).rejects.toThrow(
      /describes the source \/\S+\/one twice, as sources\[0\] and sources\[0\]/,
    );
  });
});

describe('packages marked abandoned', () => {
  it('are marked in every record; without the mark, the value of composer.json returns', async () => {
    await run([source('one')]);
    const before = publishedTree(data);
    expect(abandoned()).toEqual({ 'acme/a@1.0.0': undefined, 'acme/b@1.0.0': 'acme/c', 'acme/b@2.0.0': undefined });
    expect(await run([source('one')], { abandoned: { 'acme/a': true, 'acme/b': false } })).toMatchObject({
      published: true,
      changed: [],
    });
    expect(abandoned()).toEqual({ 'acme/a@1.0.0': true, 'acme/b@1.0.0': false, 'acme/b@2.0.0': false });
    await run([source('one')]);
    expect(publishedTree(data)).toEqual(before);
  });

  it('are marked as soon as an unreadable source can be read again', async () => {
    createRepository(
      tree.path('lib.git'),
      [
        { commit: 'main', files: { 'composer.json': '{"name": "acme/lib"}' } },
        { tag: '1.0.0', at: 'main' },
      ],
      { bare: true },
    );
    await run(['one', 'git:lib.git']);
    rmSync(tree.path('lib.git/HEAD'));
    const failed = await run(['one', 'git:lib.git'], { abandoned: { 'acme/lib': true } });
    expect(failed.failed).toHaveLength(1);
    expect(abandoned()['acme/lib@1.0.0']).toBeUndefined();
    tree.write({ 'lib.git/HEAD': 'ref: refs/heads/main\n' });
    await run(['one', 'git:lib.git'], { abandoned: { 'acme/lib': true } });
    expect(abandoned()['acme/lib@1.0.0']).toBe(true);
  });

  it('are marked at the next read of a source that was not named', async () => {
    tree.write(below('two/d', libraryTree('acme/d', { version: '1.0.0' })));
    await run(['one', 'two']);
    await run(['one', 'two'], { arguments: ['one'], abandoned: { 'acme/d': true } });
    expect(abandoned()['acme/d@1.0.0']).toBeUndefined();
    await run(['one', 'two'], { abandoned: { 'acme/d': true } });
    expect(abandoned()['acme/d@1.0.0']).toBe(true);
  });
});

describe('archive.exclude for all packages', () => {
  it('decides whether a source is read again', async () => {
    tree.write({ 'one/a/docs/x.md': 'x' });
    tree.write(below('one/dev', libraryTree('acme/dev')));
    tree.write({ 'one/dev/docs/x.md': 'x' });
    await run([source('one')]);
    const report = await run([source('one')], { archiveExcludes: ['/docs'] });
    expect({
      changed: lines(report.changed),
      refused: report.quarantined.map(({ name, code }) => `${String(name)} ${code}`),
    }).toEqual({ changed: ['acme/dev@dev-main'], refused: ['acme/a VERSION_CHANGED'] });
  });
});

describe('the description of the registry in packages.json', () => {
  it('accompanies the fields that Composer needs', async () => {
    await run(['one'], { about: { name: 'Acme', homepage: 'https://packages.example.org' } });
    expect(JSON.parse(readFileSync(`${data}/public/packages.json`, 'utf8'))).toMatchObject({
      name: 'Acme',
      homepage: 'https://packages.example.org',
      'metadata-url': '/p2/%package%.json',
      'available-packages': ['acme/a', 'acme/b'],
    });
    expect((await verifyTree(data)).faults).toEqual([]);
  });
});
