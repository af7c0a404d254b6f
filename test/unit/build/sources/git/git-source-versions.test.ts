// Tests the rules that turn tags and branches into versions, on one repository with 40 tags and 9 branches. The files
// of each version equal those of `git archive`.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createGitSource } from '../../../../../build/sources/git/git-source.ts';
import type { Release, Scan, Source } from '../../../../../build/sources/release.ts';
import {
  createRepository,
  testGitEnvironment,
  type FileChanges,
  type RepositoryStep,
  type TestRepository,
} from '../../../../util/git-repository.ts';
import { archivedPaths } from '../../../../util/git-archive.ts';
import { contentOf } from '../../../../util/content-of.ts';

const folder = mkdtempSync(join(tmpdir(), 'libretto-versions-'));

const composer = (json: object = {}): string =>
  JSON.stringify({ name: 'Acme/Lib', require: { php: '>=8.1' }, ...json });

const plain = (from: number, count: number): RepositoryStep[] =>
  Array.from({ length: count }, (_, index): RepositoryStep[] => [
    {
      commit: 'main',
      files: {
        [`src/File${(from + index) % 7}.php`]: `<?php // ${from + index}\n`,
        'README.md': `# ${from + index}\n`,
      },
    },
    { tag: `v1.${from + index}.0`, at: 'main', annotated: index % 2 === 0 },
  ]).flat();

/** Adds a commit on `odd` with its composer.json, and a tag. */
const tagged = (tag: string, files: FileChanges): RepositoryStep[] => [
  { commit: 'odd', files },
  { tag, at: 'odd' },
];

const steps: readonly RepositoryStep[] = [
  {
    commit: 'main',
    files: {
      'composer.json': composer(),
      'src/File0.php': '<?php\n',
      'tests/ATest.php': '<?php\n',
      'bin/run': { mode: '100755', content: '#!/usr/bin/env php\n' },
      '.gitattributes': '/tests export-ignore\n',
    },
  },
  { tag: 'nightly', at: 'main' },
  ...plain(0, 26),
  { tag: '1.3.0', at: 'main' },
  { tag: 'release-2.0', at: 'main' },
  { tag: '2.1.0-RC1', at: 'main' },
  { tag: '3.0.0-dev', at: 'main' },
  { tag: '1.0.0@dev', at: 'main' },
  {
    commit: 'odd',
    from: 'main',
    files: { 'docs/guide.md': 'x', link: { mode: '120000', content: 'docs/guide.md' }, 'docs/ü ber.md': 'x' },
  },
  { tag: '4.0.0', at: 'odd', annotated: true },
  ...tagged('4.1.0', { 'composer.json': composer({ version: '4.1' }) }),
  ...tagged('4.2.0', { 'composer.json': composer({ version: '4.1.0' }) }),
  ...tagged('4.3.0', { 'composer.json': composer({ version: 'newest' }) }),
  ...tagged('4.4.0', { 'composer.json': '{"name": "acme/lib",\n "require": }' }),
  ...tagged('4.5.0', { 'composer.json': null }),
  ...tagged('4.6.0', { 'composer.json': ' \n' }),
  ...tagged('4.7.0', { 'composer.json': composer({ require: { php: 'not a constraint' } }) }),
  ...tagged('4.8.0', { 'composer.json': composer({ name: 'old/name' }) }),
  ...tagged('4.9.0', { 'composer.json': JSON.stringify({ description: 'no name of its own' }) }),
  { branch: '1.0', from: 'main' },
  { branch: 'v2', from: 'main' },
  { branch: '2.x', from: 'odd' },
  { branch: 'feature/x', from: 'main' },
  { branch: 'fix#12', from: 'main' },
  { branch: 'a,b', from: 'main' },
  {
    commit: 'dated',
    from: 'main',
    authorTime: 1_000_000_000,
    committerTime: 1_100_000_000,
    files: { 'composer.json': composer({ version: '9.9.9' }) },
  },
];

let repository: TestRepository;
let source: Source;
let scan: Extract<Scan, { outcome: 'read' }>;

beforeAll(async () => {
  repository = createRepository(join(folder, 'lib'), steps);
  repository.git('update-ref', 'refs/tags/5.0.0', repository.git('rev-parse', 'main:src'));
  source = createGitSource({
    location: { kind: 'path', path: repository.path },
    cacheDirectory: join(folder, 'cache'),
    timeoutMs: 120_000,
    environment: { PATH: testGitEnvironment.PATH },
  });
  const result = await source.scan(undefined);
  if (result.outcome !== 'read') throw new Error(JSON.stringify(result));
  scan = result;
});
afterAll(async () => {
  await source.close();
  rmSync(folder, { recursive: true });
});

function find(version: string): Release {
  const release = scan.releases.find((candidate) => candidate.version === version);
  if (release === undefined) throw new Error(`no ${version}`);
  return release;
}

describe('versions of a git repository', () => {
  it('are those that Composer reads from it', () => {
    const releases = scan.releases.filter(
      ({ version }) => !/^v1\.(?:[1-9]|1\d|2\d)\.0$/.test(version) || version === 'v1.3.0',
    );
    expect(releases.map(({ version, normalized, dev, where }) => [version, normalized, dev, where]).sort()).toEqual(
      [
        ['1.3.0', '1.3.0.0', false, 'tag 1.3.0'],
        ['2.0', '2.0.0.0', false, 'tag release-2.0'],
        ['2.1.0-RC1', '2.1.0.0-RC1', false, 'tag 2.1.0-RC1'],
        ['4.0.0', '4.0.0.0', false, 'tag 4.0.0'],
        ['4.1', '4.1.0.0', false, 'tag 4.1.0'],
        ['4.8.0', '4.8.0.0', false, 'tag 4.8.0'],
        ['4.9.0', '4.9.0.0', false, 'tag 4.9.0'],
        ['1.0.x-dev', '1.0.9999999.9999999-dev', true, 'branch 1.0'],
        ['2.x-dev', '2.9999999.9999999.9999999-dev', true, 'branch 2.x'],
        ['dev-dated', 'dev-dated', true, 'branch dated'],
        ['dev-feature/x', 'dev-feature/x', true, 'branch feature/x'],
        ['dev-fix+12', 'dev-fix+12', true, 'branch fix#12'],
        ['dev-main', 'dev-main', true, 'branch main'],
        ['dev-odd', 'dev-odd', true, 'branch odd'],
        ['v1.0.0', '1.0.0.0', false, 'tag v1.0.0'],
      ].sort(),
    );
    expect(scan.releases.filter(({ version }) => version.startsWith('v1.')).length).toBe(25);
  });

  it('carry the commit, the author date, and the name of the default branch', () => {
    expect(new Set(scan.releases.map(({ name }) => name))).toEqual(new Set(['acme/lib']));
    expect(find('v1.0.0').reference).toBe(repository.git('rev-parse', 'v1.0.0^{commit}'));
    expect(find('dev-dated')).toMatchObject({
      time: '2001-09-09T01:46:40+00:00',
      content: { entryTime: 1_100_000_000 },
      reference: repository.git('rev-parse', 'dated'),
    });
    expect(scan.releases.filter(({ defaultBranch }) => defaultBranch).map(({ version }) => version)).toEqual([
      'dev-main',
    ]);
  });

  it('have the composer.json of their commit under that name', async () => {
    expect(await find('4.8.0').composerJson()).toMatchObject({ name: 'acme/lib', require: { php: '>=8.1' } });
    expect(await find('4.9.0').composerJson()).toMatchObject({ name: 'acme/lib', description: 'no name of its own' });
  });

  it('exclude, with a notice, the refs that Composer skips', () => {
    const about = (ref: string): string | undefined => scan.notices.find((notice) => notice.startsWith(`${ref}:`));
    expect(
      [
        'tag nightly',
        'tag v1.3.0',
        'tag 3.0.0-dev',
        'tag 1.0.0@dev',
        'tag 4.5.0',
        'tag 4.6.0',
        'tag 5.0.0',
        'branch a,b',
        'branch v2',
      ].filter((ref) => about(ref) === undefined),
    ).toEqual([]);
    expect(about('tag v1.3.0')).toContain('tag 1.3.0');
    expect(scan.notices.filter((notice) => !notice.includes('composer.json names the package')).length).toBe(9);
  });

  it('exclude, as quarantined, the refs that a maintainer must repair', () => {
    expect(scan.quarantined.map(({ where, code, version }) => [where, code, version])).toEqual([
      ['tag 4.2.0', 'VERSION_MISMATCH', '4.2.0'],
      ['tag 4.3.0', 'VERSION_INVALID', '4.3.0'],
      ['tag 4.4.0', 'INVALID_JSON', '4.4.0'],
      ['tag 4.7.0', 'CONSTRAINT_INVALID', '4.7.0'],
    ]);
    expect(scan.quarantined.every(({ name, message }) => name === 'acme/lib' && message.length > 20)).toBe(true);
  });

  it('hold the files of git archive', async () => {
    for (const release of scan.releases) {
      const { files } = await contentOf(release).list();
      expect(files.map(({ path }) => path).sort(), release.version).toEqual(
        archivedPaths(repository, release.reference),
      );
    }
  });

  it('hold the files byte for byte, with their modes', async () => {
    const release = find('4.0.0');
    const { reference } = release;
    const content = contentOf(release);
    const { files } = await content.list();
    const blobs: Buffer[] = [];
    for await (const bytes of content.read(files)) blobs.push(Buffer.from(bytes));
    expect(blobs).toEqual(files.map(({ path }) => repository.gitBytes('cat-file', 'blob', `${reference}:${path}`)));
    expect(files.map(({ identity }) => identity)).toEqual(
      files.map(({ path }) => repository.git('rev-parse', `${reference}:${path}`)),
    );
    const modes = Object.fromEntries(files.map(({ path, mode }) => [path, mode]));
    expect(modes).toMatchObject({
      'bin/run': 'executable',
      link: 'symlink',
      'composer.json': 'file',
      'docs/ü ber.md': 'file',
    });
  });
});
