// Tests the options of a git source: tags, branches, folders of a monorepo, excluded files, and the memory of each
// option.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GitSelection } from '../../../../../build/sources/git/selection.ts';
import { archivedContents, contentsOf } from '../../../../util/git-archive.ts';
import { createRepository, type RepositoryStep, type TestRepository } from '../../../../util/git-repository.ts';
import { findRelease, listOf, withReleases, withScan, type ReadScan } from '../../../../util/git-scan.ts';
import { createGitShim, type GitShim } from '../../../../util/git-shim.ts';
import { temporaryFolder } from '../../../../util/temporary-folder.ts';

const folder = temporaryFolder('selection');
const cacheDirectory = folder.at('cache');
afterAll(() => folder.remove());
let shim: GitShim;
beforeAll(() => {
  shim = createGitShim(folder.at('shim'));
});

const json = (name: string, more: object = {}): string => JSON.stringify({ name, ...more });
const versions = (scan: ReadScan): string[] => scan.releases.map(({ name, version }) => `${name} ${version}`).sort();

describe('patterns of refs', () => {
  const steps: readonly RepositoryStep[] = [
    { commit: 'main', files: { 'composer.json': json('acme/lib') } },
    { tag: 'v1.0.0', at: 'main' },
    { tag: 'v1.1.0-beta1', at: 'main' },
    { tag: 'v2.0.0', at: 'main' },
    { commit: 'main', files: { a: '1' } },
    { branch: '1.x', from: 'main' },
    { commit: 'feature/x', from: 'main', files: { b: '1', 'composer.json': json('acme/renamed') } },
  ];
  let repository: TestRepository;
  beforeAll(() => {
    repository = createRepository(folder.at('refs'), steps);
  });

  it.each<[string, NonNullable<GitSelection['refs']>, string[]]>([
    ['none: all', {}, ['1.x-dev', 'dev-feature/x', 'dev-main', 'v1.0.0', 'v1.1.0-beta1', 'v2.0.0']],
    ['an empty list: none of that kind', { branches: [] }, ['v1.0.0', 'v1.1.0-beta1', 'v2.0.0']],
    ['names and stars', { tags: ['v1.*'], branches: ['main'] }, ['dev-main', 'v1.0.0', 'v1.1.0-beta1']],
    ['excluded ones alone', { tags: ['!*-beta*'], branches: ['!*/*'] }, ['1.x-dev', 'dev-main', 'v1.0.0', 'v2.0.0']],
    [
      'both',
      { tags: ['v*', '!v2.*'], branches: ['**', '!main'] },
      ['1.x-dev', 'dev-feature/x', 'v1.0.0', 'v1.1.0-beta1'],
    ],
    ['a star that stays within a segment', { tags: [], branches: ['*'] }, ['1.x-dev', 'dev-main']],
  ])('select the expected refs: %s', async (_, refs, expected) => {
    await withReleases({ path: repository.path, cacheDirectory, refs }, (scan) => {
      expect(scan.releases.map(({ version }) => version).sort()).toEqual(expected);
      expect(
        scan.notices.filter((notice) => !notice.startsWith('composer.json names the package acme/renamed')),
      ).toEqual([]);
    });
  });

  it('read no other ref, and ignore moves of other refs', async () => {
    const options = {
      path: repository.path,
      cacheDirectory,
      environment: { PATH: shim.path },
      refs: { tags: ['v1.0.0'], branches: ['1.x'] },
    };
    shim.asked();
    const memory = await withReleases(options, (scan) => scan.memory);
    expect(shim.asked()).not.toContain(repository.git('rev-parse', 'feature/x'));
    repository.append([
      { commit: 'feature/x', files: { c: '1' } },
      { tag: 'v3.0.0', at: 'main' },
    ]);
    expect(await withScan({ ...options, previous: memory }, (scan) => scan)).toEqual({ outcome: 'unchanged' });
    expect((await withScan({ ...options, refs: { tags: ['v1.0.0'] }, previous: memory }, (scan) => scan)).outcome).toBe(
      'read',
    );
  });

  it('report that they select no ref', async () => {
    const refs = { tags: ['nothing*'], branches: ['no "such"'] };
    expect(await withScan({ path: repository.path, cacheDirectory, refs }, (scan) => scan)).toEqual({
      outcome: 'failed',
      reason: 'No tag or branch matches "nothing*", "no \\"such\\"".',
    });
  });
});

describe('folders of a monorepo', () => {
  const attributes =
    '/tests export-ignore\n/packages/a/docs export-ignore\npackages/*/ci export-ignore\n*.bat eol=crlf\n/packages export-ignore\n';
  const steps: readonly RepositoryStep[] = [
    {
      commit: 'main',
      files: {
        'composer.json': json('acme/all'),
        '.gitattributes': attributes,
        'packages/.gitattributes': '*.tmp export-ignore\n',
        'packages/a/composer.json': json('acme/a', { archive: { exclude: ['/private'] } }),
        'packages/a/src/A.php': '<?php\n',
        'packages/a/docs/x.md': 'x',
        'packages/a/ci/x.yml': 'x',
        'packages/a/x.tmp': 'x',
        'packages/a/run.bat': '1\n',
        'packages/a/private/x': 'x',
        'packages/a/tests/T.php': '<?php\n',
        'packages/a/sub/.gitattributes': '/only export-ignore\n',
        'packages/a/sub/only': 'x',
        'packages/a/sub/kept': 'x',
        'packages/b/composer.json': json('acme/b-old'),
        'packages/b/B.php': '<?php\n',
        'packages/none/readme': 'x',
        'tools/composer.json': json('acme/tools'),
      },
    },
    { tag: '1.0.0', at: 'main', annotated: true },
    { commit: 'main', files: { 'README.md': 'nothing of a package' } },
    { tag: '1.1.0', at: 'main' },
    {
      commit: 'main',
      files: {
        'packages/b/composer.json': json('acme/b'),
        'packages/c/composer.json': json('acme/c'),
        'tools/composer.json': null,
      },
    },
    { tag: '1.2.0', at: 'main' },
    { commit: 'bare', from: 'main', files: { packages: null } },
  ];
  const subdirectories = ['packages/*', './tools/'];
  const options = (repository: TestRepository) => ({
    path: repository.path,
    cacheDirectory,
    subdirectories,
    environment: { PATH: shim.path },
  });

  it('are packages at every tag and branch, under the name of the default branch', async () => {
    const repository = createRepository(folder.at('mono'), steps);
    await withReleases(options(repository), (scan) => {
      expect(versions(scan)).toEqual([
        ...['1.0.0', '1.1.0', '1.2.0', 'dev-main'].map((version) => `acme/a ${version}`),
        ...['1.0.0', '1.1.0', '1.2.0', 'dev-main'].map((version) => `acme/b ${version}`),
        'acme/c 1.2.0',
        'acme/c dev-main',
        'acme/tools 1.0.0',
        'acme/tools 1.1.0',
      ]);
      expect(scan.notices).toEqual([
        'branch bare: there is no composer.json in packages/*, ./tools/',
        expect.stringMatching(
          /^composer\.json names the package acme\/b-old in tag 1\.0\.0, folder packages\/b, tag 1\.1\.0, folder packages\/b\. These versions are published as acme\/b,/,
        ),
      ]);
      const [first, second] = [findRelease(scan, '1.0.0', 'acme/a'), findRelease(scan, '1.1.0', 'acme/a')];
      expect(repository.git('rev-parse', first.reference.slice(0, -8))).toBe(
        repository.git('rev-parse', '1.0.0^{commit}'),
      );
      expect(second.reference).not.toBe(first.reference);
      expect(first.where).toBe('tag 1.0.0, folder packages/a');
    });
  });

  it('are archived alone, by their own rules and the rules above them', async () => {
    const repository = createRepository(folder.at('mono-files'), steps);
    await withReleases(options(repository), async (scan) => {
      const found = await contentsOf(findRelease(scan, '1.0.0', 'acme/a'));
      expect([...found.keys()].sort()).toEqual([
        'composer.json',
        'run.bat',
        'src/A.php',
        'sub/.gitattributes',
        'sub/kept',
        'tests/T.php',
      ]);
      expect(found.get('run.bat')?.toString()).toBe('1\r\n');
      expect(await findRelease(scan, '1.0.0', 'acme/b').composerJson()).toEqual({ name: 'acme/b' });
    });
  });

  it('contain the files that git archive gives for the folder', async () => {
    const repository = createRepository(folder.at('mono-git'), [
      {
        commit: 'main',
        files: {
          '.gitattributes': attributes.replace('/packages export-ignore\n', ''),
          'packages/x/composer.json': json('acme/x'),
          'packages/x/.gitattributes': '/own export-ignore\nid ident\n',
          'packages/x/own': 'x',
          'packages/x/id': '$Id$\n',
          'packages/x/ci/y': 'y',
          'packages/x/d/run.bat': 'b\n',
        },
      },
      { tag: '1.0.0', at: 'main' },
    ]);
    await withReleases(options(repository), async (scan) => {
      const expected = archivedContents(repository, '1.0.0', '--', 'packages/x');
      expect(await contentsOf(findRelease(scan, '1.0.0'))).toEqual(
        new Map(Array.from(expected, ([path, bytes]) => [path.slice('packages/x/'.length), bytes])),
      );
    });
  });

  it('are read again one by one, only where they changed', async () => {
    const repository = createRepository(folder.at('mono-again'), steps);
    const { memory, ...first } = await withReleases(options(repository), (scan) => scan);
    expect(await withScan({ ...options(repository), previous: memory }, (scan) => scan)).toEqual({
      outcome: 'unchanged',
    });
    repository.append([{ commit: 'main', files: { 'packages/d/composer.json': json('acme/d') } }]);
    shim.asked();
    const again = await withReleases({ ...options(repository), previous: memory }, (scan) => scan);
    expect(shim.asked()).not.toContain(repository.git('rev-parse', '1.0.0^{commit}'));
    expect(versions(again)).toEqual([...versions({ ...first, memory }), 'acme/d dev-main'].sort());
    repository.append([{ commit: 'main', files: { 'packages/b/composer.json': json('acme/b-new') } }]);
    shim.asked();
    const renamed = await withReleases({ ...options(repository), previous: again.memory }, (scan) => scan);
    expect(renamed.releases.filter(({ name }) => name === 'acme/b-new').map(({ version }) => version)).toEqual([
      '1.0.0',
      '1.1.0',
      '1.2.0',
      'dev-main',
    ]);
    const afresh = await withReleases(options(repository), (scan) => scan);
    expect(JSON.stringify(renamed)).toBe(JSON.stringify(afresh));
  });

  it('exclude the root unless it is named', async () => {
    const repository = createRepository(folder.at('mono-root'), steps);
    await withReleases({ ...options(repository), subdirectories: ['.', 'packages/a'] }, (scan) =>
      expect(new Set(scan.releases.map(({ name }) => name))).toEqual(new Set(['acme/all', 'acme/a'])),
    );
  });

  it('a broken folder of a monorepo excludes only itself', async () => {
    const repository = createRepository(folder.at('mono-broken'), [
      ...steps,
      { commit: 'main', files: { 'packages/b/composer.json': '{"name": ' } },
      { tag: '2.0.0', at: 'main' },
    ]);
    await withReleases(options(repository), (scan) => {
      expect(versions(scan)).toContain('acme/a 2.0.0');
      expect(scan.quarantined.map(({ where, version }) => [where, version])).toEqual([
        ['tag 2.0.0, folder packages/b', '2.0.0'],
        ['branch main, folder packages/b', 'dev-main'],
      ]);
    });
  });
});

describe('further options', () => {
  const repository = (): TestRepository =>
    createRepository(folder.at(`further-${(count += 1)}`), [
      {
        commit: 'main',
        files: {
          'composer.json': json('acme/lib', { archive: { exclude: ['/docs', '!/docs/kept'] } }),
          'docs/a': '1',
          'docs/kept': '1',
          'ci/x': '1',
          a: '1',
        },
      },
    ]);
  let count = 0;

  it('exclude more files than composer.json does, and decide last', async () => {
    await withReleases({ path: repository().path, cacheDirectory, extraExcludes: ['/ci', 'kept'] }, async (scan) => {
      expect((await listOf(findRelease(scan, 'dev-main'))).files.map(({ path }) => path).sort()).toEqual([
        'a',
        'composer.json',
      ]);
    });
  });

  it.each<[string, GitSelection]>([
    ['refs', { refs: { tags: ['*'] } }],
    ['subdirectories', { subdirectories: ['.'] }],
    ['referenceSource', { referenceSource: 'include' }],
    ['extraExcludes', { extraExcludes: ['/ci'] }],
  ])('are remembered: %s', async (_, selection) => {
    const { path } = repository();
    const memory = await withReleases({ path, cacheDirectory }, (scan) => scan.memory);
    expect((await withScan({ path, cacheDirectory, ...selection, previous: memory }, (scan) => scan)).outcome).toBe(
      'read',
    );
    const changed = await withReleases({ path, cacheDirectory, ...selection }, (scan) => scan.memory);
    expect(await withScan({ path, cacheDirectory, ...selection, previous: changed }, (scan) => scan)).toEqual({
      outcome: 'unchanged',
    });
    expect((await withScan({ path, cacheDirectory, previous: changed }, (scan) => scan)).outcome).toBe('read');
  });

  it('add no source reference for a path on this disk', async () => {
    await withReleases({ path: repository().path, cacheDirectory, referenceSource: 'include' }, (scan) =>
      expect(findRelease(scan, 'dev-main')).not.toHaveProperty('sourceUrl'),
    );
  });
});
