// Tests git repositories over several builds while package name, folder or archive content change.

import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { BuildReport } from '../../../build/contract/build-report.ts';
import type { SourceOptions } from '../../../build/sources/options.ts';
import { verifyTree } from '../../../build/inspect/verify.ts';
import { buildSeries, type BuildSeries } from '../../util/build-series.ts';
import { createRepository, type TestRepository } from '../../util/git-repository.ts';
import { publishedVersions } from '../../util/published-tree.ts';

let series: BuildSeries;
let repository: TestRepository;

beforeEach(() => {
  series = buildSeries();
});
afterEach(() => series.tree.remove());

const json = (name: string): string => JSON.stringify({ name, autoload: { files: [] } });
const versions = (): string[] => Object.keys(publishedVersions(series.data)).toSorted();
const withdrawn = (report: BuildReport): string[] =>
  report.withdrawn.map(({ name, version }) => `${name}@${version}`).toSorted();
const run = (options: SourceOptions = {}, more: Parameters<BuildSeries['run']>[0] = {}): Promise<BuildReport> =>
  series.run({ configured: [{ source: `git:${repository.path}`, options, where: 'sources[0]' }], ...more });

describe('a package that is renamed between tags', () => {
  beforeEach(async () => {
    repository = createRepository(series.tree.path('lib'), [
      { commit: 'main', files: { 'composer.json': json('acme/old'), 'a.php': '1' } },
      { tag: 'v1.0.0', at: 'main' },
      { tag: 'v1.1.0', at: 'main' },
    ]);
    await run();
    repository.append([
      { commit: 'main', files: { 'composer.json': json('acme/new') } },
      { tag: 'v2.0.0', at: 'main' },
    ]);
  });

  const both = [
    'acme/new@dev-main',
    'acme/new@v1.0.0',
    'acme/new@v1.1.0',
    'acme/new@v2.0.0',
    'acme/old@v1.0.0',
    'acme/old@v1.1.0',
  ];

  it('the old name keeps its published versions and is reported; otherwise the build follows Composer', async () => {
    const report = await run();
    expect(versions()).toEqual(both);
    expect(withdrawn(report)).toEqual(['acme/old@dev-main']);
    expect(report.notices.map(({ message }) => message)).toEqual([
      expect.stringMatching(
        /^composer\.json names the package acme\/old in tag v1\.0\.0, tag v1\.1\.0\. These versions are published as acme\/new/,
      ),
    ]);
    expect((await verifyTree(series.data)).faults).toEqual([]);
    repository.append([{ tag: 'v2.1.0', at: 'main' }]);
    expect(withdrawn(await run())).toEqual([]);
    expect(versions()).toEqual([...both, 'acme/new@v2.1.0'].toSorted());
    expect((await run()).published).toBe(false);
  });

  it('the old name, which may belong to the origin of a fork, gets no new version', async () => {
    const clean = buildSeries();
    try {
      await clean.run({ configured: [`git:${repository.path}`] });
      expect(Object.keys(publishedVersions(clean.data)).filter((each) => each.startsWith('acme/old'))).toEqual([]);
    } finally {
      clean.tree.remove();
    }
  });

  it('the old name is withdrawn when its tag is removed or libretto.json excludes it', async () => {
    await run();
    repository.append([{ deleteRef: 'refs/tags/v1.1.0' }]);
    expect(withdrawn(await run())).toEqual(['acme/new@v1.1.0', 'acme/old@v1.1.0']);
    const report = await run({ except: { 'acme/old': '*' } });
    expect(withdrawn(report)).toEqual(['acme/old@v1.0.0']);
    expect(report.notices.filter(({ message }) => message.includes('no such package'))).toEqual([]);
    expect(versions()).toEqual(['acme/new@dev-main', 'acme/new@v1.0.0', 'acme/new@v2.0.0']);
  });

  it('the old name stays when a changed setting rewrites all records', async () => {
    await run();
    await run({}, { distBaseUrl: 'https://packages.example.org', abandoned: { 'acme/old': 'acme/new' } });
    expect(versions()).toEqual(both);
    expect((await verifyTree(series.data)).faults).toEqual([]);
  });
});

describe('a package that comes from another folder of the same commit', () => {
  beforeEach(() => {
    repository = createRepository(series.tree.path('mono'), [
      {
        commit: 'main',
        files: {
          'one/composer.json': json('acme/tool'),
          'one/who.txt': 'one',
          'two/composer.json': json('acme/tool'),
          'two/who.txt': 'two',
        },
      },
      { tag: '1.0.0', at: 'main' },
    ]);
  });

  it('the move is a changed release: the published content and its archive stay', async () => {
    await run({ subdirectories: ['one'] });
    const before = publishedVersions(series.data);
    const report = await run({ subdirectories: ['two'] });
    expect(report.quarantined.map(({ code, where }) => `${code} ${where}`)).toEqual([
      'VERSION_CHANGED tag 1.0.0, folder two',
    ]);
    expect(report.changed.map(({ version }) => version)).toEqual(['dev-main']);
    expect(publishedVersions(series.data)['acme/tool@1.0.0']).toEqual(before['acme/tool@1.0.0']);
    expect((await verifyTree(series.data)).faults).toEqual([]);
  });

  it('with --allow-republish the moved package is published, and the old archive stays', async () => {
    await run({ subdirectories: ['one'] });
    const report = await run({ subdirectories: ['two'] }, { allowRepublish: true });
    expect(report.changed.map(({ version }) => version).toSorted()).toEqual(['1.0.0', 'dev-main']);
    expect(report.retained.map(({ version }) => version).toSorted()).toEqual(['1.0.0', 'dev-main']);
    expect((await verifyTree(series.data)).faults).toEqual([]);
  });
});

describe('Git LFS pointers', () => {
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'4d'.repeat(32)}\nsize 12345\n`;

  it('each version with LFS pointers is reported, wherever the attributes are; excluded files are not', async () => {
    repository = createRepository(series.tree.path('lfs'), [
      {
        commit: 'main',
        files: {
          'composer.json': json('acme/art'),
          'art/deep/.gitattributes': '*.psd filter=lfs diff=lfs merge=lfs -text\n',
          'art/deep/logo.psd': pointer,
          'art/deep/real.psd': 'no pointer',
          'art/other.psd': pointer,
        },
      },
      { tag: '1.0.0', at: 'main' },
      { tag: '2.0.0', at: 'main' },
      { commit: 'main', files: { '.gitattributes': '/art export-ignore\n' } },
    ]);
    expect((await run()).notices.map(({ message }) => message)).toEqual([
      expect.stringMatching(
        /^art\/deep\/logo\.psd is an LFS pointer, and stays one in the archive of tag 1\.0\.0, tag 2\.0\.0:/,
      ),
    ]);
  });
});

describe('integers beyond the precision of a double', () => {
  it('large integers are published digit by digit, also after other versions are added', async () => {
    repository = createRepository(series.tree.path('lib'), [
      { commit: 'main', files: { 'composer.json': '{"name":"acme/lib","extra":{"build":9007199254740993}}' } },
      { tag: '1.0.0', at: 'main' },
    ]);
    const document = (): string => readFileSync(`${series.data}/public/p2/acme/lib.json`, 'utf8');
    await run();
    expect(document()).toContain('"extra":{"build":9007199254740993}');
    repository.append([
      { commit: 'main', files: { a: '1' } },
      { tag: '1.1.0', at: 'main' },
    ]);
    await run();
    expect(document().match(/9007199254740993\}/g)).toHaveLength(2);
  });
});

describe('a version whose name cannot be determined', () => {
  it('the other versions of the source stay published, and the report names the faulty version', async () => {
    const put = (folder: string, version: string): void =>
      series.tree.write({
        [`src/${folder}/composer.json`]: JSON.stringify({ name: 'acme/hello', version }),
        [`src/${folder}/a.php`]: version,
      });
    put('one', '1.0.0');
    put('two', '2.0.0');
    await series.run({ arguments: ['src'] });
    series.tree.delete('src/one');
    series.tree.write({ 'src/three/composer.json': '{ "name": ' });
    const held = await series.run({ arguments: ['src'] });
    expect(held.withdrawn).toEqual([]);
    expect(held.notices.map(({ message }) => message)).toEqual([
      expect.stringMatching(/acme\/hello 1\.0\.0 is no longer found and stays published.*src\/three\/composer\.json/),
    ]);
    series.tree.delete('src/three');
    expect(withdrawn(await series.run({ arguments: ['src'] }))).toEqual(['acme/hello@1.0.0']);
  });
});
