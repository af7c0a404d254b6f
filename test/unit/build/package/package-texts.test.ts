// Tests the READMEs and CHANGELOGs of versions: the build reads them for a new version, stores them by the serving
// index, and removes unused ones.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parsePackageIndex, type IndexEntry } from '../../../../build/contract/serving-index.ts';
import { verifyTree } from '../../../../build/inspect/verify.ts';
import { buildSeries, type BuildSeries } from '../../../util/build-series.ts';
import { createRepository } from '../../../util/git-repository.ts';
import { zipOf } from '../../../util/hostile-zip.ts';
import { below, type Tree } from '../../../util/package-tree.ts';
import { allFiles } from '../../../util/published-tree.ts';
import { lacks } from '../../../util/tool.ts';
import { whoLibrary } from '../../../util/who-library.ts';

let series: BuildSeries;
beforeEach(() => void (series = buildSeries()));
afterEach(() => series.tree.remove());

const put = (folder: string, version: string | undefined, files: Tree, who = 'a'): void =>
  series.tree.write({ ...below(folder, whoLibrary('acme/hello', version, {}, who)), ...below(folder, files) });
const entries = (): readonly IndexEntry[] =>
  parsePackageIndex(readFileSync(join(series.data, 'index/acme/hello.json'), 'utf8')).versions;
const textFiles = (): readonly string[] =>
  allFiles(join(series.data, 'index')).filter((path) => path.startsWith('_texts/'));
const textOf = (version: string, kind: 'readme' | 'changelog' = 'readme'): string | undefined => {
  const digest = entries().find((entry) => entry.version === version && entry.state === 'published')?.[kind];
  return digest === undefined
    ? undefined
    : readFileSync(join(series.data, `index/_texts/acme/hello/${digest}.md`), 'utf8');
};
const sound = async (): Promise<void> => expect((await verifyTree(series.data)).faults).toEqual([]);

describe('READMEs and CHANGELOGs', () => {
  it('a build stores the texts of each version, and equal texts once', async () => {
    put('src/x', '1.0.0', { 'README.md': '# Hello', 'CHANGELOG.md': '## 1.0' });
    put('src/y', '1.1.0', { 'readme.md': '# Hello', changelog: '## 1.1' });
    put('src/z', '1.2.0', {});
    await series.run({ arguments: ['src'] });
    expect([
      textOf('1.0.0'),
      textOf('1.0.0', 'changelog'),
      textOf('1.1.0'),
      textOf('1.1.0', 'changelog'),
      textOf('1.2.0'),
    ]).toEqual(['# Hello', '## 1.0', '# Hello', '## 1.1', undefined]);
    expect(textFiles()).toHaveLength(3);
    await sound();
  });

  it('texts are stored although the archive excludes them', async () => {
    put('src/x', '1.0.0', { 'README.md': 'shown', '.gitattributes': 'README.md export-ignore\n' });
    await series.run({ arguments: ['src'] });
    expect(textOf('1.0.0')).toBe('shown');
  });

  it('texts are removed when no version refers to them', async () => {
    put('src/x', undefined, { 'README.md': 'old' });
    await series.run({ arguments: ['src'] });
    put('src/x', undefined, { 'README.md': 'new' }, 'b');
    await series.run({ arguments: [] });
    expect([textOf('dev-main'), textFiles().length, entries().map(({ state }) => state)]).toEqual([
      'new',
      1,
      ['published', 'superseded'],
    ]);
    await sound();
  });

  it('texts are cut at 512 KiB, between two characters', async () => {
    put('src/x', '1.0.0', { 'README.md': `x${'ä'.repeat(300_000)}` });
    await series.run({ arguments: ['src'] });
    expect(textOf('1.0.0')).toBe(`x${'ä'.repeat(262_143)}`);
  });

  it('an unreadable README or CHANGELOG excludes no version', async () => {
    put('src/x', '1.0.0', { 'README.md': { link: 'composer.json' } });
    const report = await series.run({ arguments: ['src'] });
    expect([report.added.length, textOf('1.0.0')]).toEqual([1, undefined]);
  });

  it('the README of a ZIP is found in its only top folder', async () => {
    series.tree.write({
      'zips/a.zip': zipOf([
        { name: 'hello-1/composer.json', data: JSON.stringify({ name: 'acme/hello', version: '1.0.0' }) },
        { name: 'hello-1/README.md', data: 'zipped' },
        { name: 'hello-1/docs/README.md', data: 'another' },
      ]),
    });
    await series.run({ arguments: ['artifact:zips'] });
    expect(textOf('1.0.0')).toBe('zipped');
  });

  it.skipIf(lacks('git'))('the texts of git versions come from their commits', async () => {
    createRepository(series.tree.path('repo'), [
      { commit: 'main', files: { 'composer.json': '{"name":"acme/hello"}', 'README.md': 'one' } },
      { tag: '1.0.0', at: 'main' },
      { commit: 'main', files: { 'README.md': 'two' } },
      { tag: '1.1.0', at: 'main' },
    ]);
    await series.run({ arguments: ['repo'] });
    expect([textOf('1.0.0'), textOf('1.1.0'), textOf('dev-main'), textFiles().length]).toEqual([
      'one',
      'two',
      'two',
      2,
    ]);
  });

  it('the next build adds the texts to a tree of an earlier release, and its documents stay', async () => {
    put('src/x', '1.0.0', { 'README.md': '# Hello' });
    await series.run({ arguments: ['src'] });
    const index = join(series.data, 'index/acme/hello.json');
    const manifest = join(series.data, 'build/manifest.json');
    writeFileSync(index, readFileSync(index, 'utf8').replace(/,\s*"readme": "[0-9a-f]+"/, ''));
    writeFileSync(
      manifest,
      JSON.stringify({ ...(JSON.parse(readFileSync(manifest, 'utf8')) as object), settings: 'of an earlier recipe' }),
    );
    rmSync(join(series.data, 'index/_texts'), { recursive: true });
    expect(textOf('1.0.0')).toBeUndefined();
    const before = readFileSync(join(series.data, 'public/p2/acme/hello.json'), 'utf8');
    await series.run({ arguments: [] });
    expect([textOf('1.0.0'), readFileSync(join(series.data, 'public/p2/acme/hello.json'), 'utf8')]).toEqual([
      '# Hello',
      before,
    ]);
  });

  it('verify names a missing or changed text', async () => {
    put('src/x', '1.0.0', { 'README.md': '# Hello', 'CHANGELOG.md': 'x' });
    await series.run({ arguments: ['src'] });
    const [one = '', other = ''] = textFiles();
    rmSync(join(series.data, 'index', one));
    writeFileSync(join(series.data, 'index', other), 'changed');
    expect((await verifyTree(series.data)).faults.map(({ code, path }) => [code, path]).toSorted()).toEqual([
      ['MISSING_FILE', `index/${one}`],
      ['WRONG_BYTES', `index/${other}`],
    ]);
  });
});
