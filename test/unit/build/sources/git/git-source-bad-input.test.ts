// Tests repositories with invalid content: the message names fault and version, and every other version is published.

import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { contentsOf } from '../../../../util/git-archive.ts';
import {
  createRepository,
  testGitEnvironment,
  type FileChanges,
  type FileSpec,
  type RepositoryStep,
  type TestRepository,
} from '../../../../util/git-repository.ts';
import { findRelease, listOf, withReleases, type ReadScan } from '../../../../util/git-scan.ts';
import { itInSeries } from '../../../../util/series.ts';
import { temporaryFolder } from '../../../../util/temporary-folder.ts';

const folder = temporaryFolder('bad-input');
afterAll(() => folder.remove());
const cacheDirectory = folder.at('cache');
let count = 0;

const composer = '{"name":"acme/lib"}';
const good: readonly RepositoryStep[] = [
  { commit: 'main', files: { 'composer.json': composer, 'a.php': '<?php\n' } },
  { tag: '1.0.0', at: 'main' },
];

/** A repository whose 1.0.0 is valid, and whose 2.0.0 has these files too. */
const repositoryWith = (files: FileChanges): TestRepository =>
  createRepository(folder.at(`lib-${(count += 1)}`), [
    ...good,
    { commit: 'bad', from: 'main', files },
    { tag: '2.0.0', at: 'bad' },
  ]);

/** Adds a hand-made tree on top of main's, under the tag 2.0.0. */
function tagTree(repository: TestRepository, rows: string | Buffer): void {
  const tree = execFileSync('git', ['mktree', '--missing'], {
    cwd: repository.path,
    env: testGitEnvironment,
    input: Buffer.concat([repository.gitBytes('ls-tree', 'main'), Buffer.from(rows)]),
  })
    .toString()
    .trim();
  repository.git('tag', '2.0.0', repository.git('commit-tree', '-m', 'bad', tree));
}

const scanOf = <Result>({ path }: TestRepository, use: (scan: ReadScan) => Result | Promise<Result>): Promise<Result> =>
  withReleases({ path, cacheDirectory }, use);

describe('a version with an unusable composer.json', () => {
  it.each<[string, string | FileSpec, string, RegExp]>([
    [
      'has 2 MB',
      JSON.stringify({ name: 'acme/lib', description: 'x'.repeat(2_000_000) }),
      'INVALID_COMPOSER_JSON',
      /larger than 1 MiB/,
    ],
    ['is an array', '["acme/lib"]', 'INVALID_COMPOSER_JSON', /object/],
    ['is a text', '"acme/lib"', 'INVALID_COMPOSER_JSON', /object/],
    ['is a symlink', { mode: '120000', content: 'other.json' }, 'INVALID_COMPOSER_JSON', /symlink/],
    [
      'is not UTF-8',
      { mode: '100644', content: Buffer.from('{"name":"acme/lib","description":"\xff"}', 'latin1') },
      'INVALID_JSON',
      /UTF-8/,
    ],
  ])('is excluded where the file %s', async (_, file, code, message) => {
    await scanOf(repositoryWith({ 'composer.json': file }), (scan) => {
      expect(scan.releases.map(({ version }) => version).sort()).toEqual(['1.0.0', 'dev-main']);
      expect(scan.quarantined.find(({ where }) => where === 'tag 2.0.0')).toMatchObject({
        code,
        message: expect.stringMatching(message),
        name: 'acme/lib',
        version: '2.0.0',
      });
    });
  });

  it('is listed under the name of the default branch when the package was renamed between tags', async () => {
    const repository = createRepository(folder.at('renamed'), [
      ...good,
      { commit: 'main', files: { 'composer.json': '{"name":"acme/new"}' } },
      { tag: '2.0.0', at: 'main' },
    ]);
    await scanOf(repository, (scan) =>
      expect(scan.releases.map(({ name, version }) => `${name} ${version}`)).toEqual([
        'acme/new 1.0.0',
        'acme/new 2.0.0',
        'acme/new dev-main',
      ]),
    );
  });
});

describe('a version with files that no archive can hold', () => {
  it('is refused for a file of 5 GB, and the file is not read', async () => {
    const repository = createRepository(folder.at('huge'), good);
    const oid = '5b'.repeat(20);
    const object = join(repository.gitDirectory, 'objects', oid.slice(0, 2), oid.slice(2));
    mkdirSync(dirname(object), { recursive: true });
    // The rest of the object is missing: a further read reports a broken object.
    writeFileSync(object, deflateSync(Buffer.concat([Buffer.from(`blob ${5 * 1024 ** 3}\0`), Buffer.alloc(200_000)])));
    tagTree(repository, `100644 blob ${oid}\thuge.bin\n`);
    await scanOf(repository, async (scan) => {
      await expect(contentsOf(findRelease(scan, '2.0.0'))).rejects.toMatchObject({
        code: 'UNREADABLE_FILE',
        message: expect.stringContaining('huge.bin is larger than 1 GiB (5368709120 bytes)'),
      });
      expect((await contentsOf(findRelease(scan, '1.0.0'))).get('a.php')?.toString()).toBe('<?php\n');
    });
  });

  itInSeries('is refused for 100,000 files, and none is read', async () => {
    const repository = createRepository(folder.at('many'), good);
    const blob = repository.git('rev-parse', 'main:a.php');
    const rows = Array.from({ length: 100_000 }, (_, index) => `100644 blob ${blob}\tf${index}\n`).join('');
    tagTree(repository, rows);
    await scanOf(repository, async (scan) => {
      await expect(listOf(findRelease(scan, '2.0.0'))).rejects.toMatchObject({
        code: 'UNSAFE_PATH',
        message: expect.stringMatching(/more than 50000 files/),
      });
      expect((await listOf(findRelease(scan, '1.0.0'))).files.length).toBe(2);
    });
  });

  it('is refused for a name that is not UTF-8, unless the file is excluded', async () => {
    const repository = createRepository(folder.at('names'), good);
    const blob = repository.git('rev-parse', 'main:a.php');
    const odd = Buffer.concat([Buffer.from(`100644 blob ${blob}\t"r\\351sum\\351"\n`)]);
    tagTree(repository, odd);
    await scanOf(repository, async (scan) =>
      expect(listOf(findRelease(scan, '2.0.0'))).rejects.toMatchObject({
        code: 'UNSAFE_PATH',
        message: expect.stringContaining('not valid UTF-8'),
      }),
    );
    await withReleases({ path: repository.path, cacheDirectory, extraExcludes: ['/r*'] }, async (scan) =>
      expect((await listOf(findRelease(scan, '2.0.0'))).files.length).toBe(2),
    );
  });
});

it('a version whose .gitattributes are larger than 1 MiB together is refused, also where they are one blob', async () => {
  const states = `a ${'b '.repeat(1000)}\n`.repeat(300);
  const repository = repositoryWith({ 'x/.gitattributes': states, 'y/.gitattributes': states });
  await scanOf(repository, async (scan) =>
    expect(listOf(findRelease(scan, '2.0.0'))).rejects.toMatchObject({
      code: 'UNREADABLE_FILE',
      message: expect.stringMatching(/up to y\/\.gitattributes, are larger than 1 MiB together/),
    }),
  );
});

describe('a tag or HEAD that is no commit', () => {
  it('is skipped with a notice', async () => {
    const repository = createRepository(folder.at('tags'), good);
    repository.git('tag', '2.0.0', 'main^{tree}');
    repository.git('tag', '2.1.0', 'main:a.php');
    repository.git('tag', '-a', '-m', 'x', '2.2.0', 'main:composer.json');
    repository.git('symbolic-ref', 'HEAD', 'refs/heads/gone');
    await scanOf(repository, (scan) => {
      expect(scan.releases.map(({ version }) => version)).toEqual(['1.0.0', 'dev-main']);
      expect(
        scan.notices.filter((notice) => /^tag 2\.[0-2]\.0: it does not point at a commit$/.test(notice)),
      ).toHaveLength(3);
      expect(scan.notices.join()).toMatch(/HEAD points at the branch gone, which does not exist/);
    });
  });
});

describe('content that an archive holds only by name', () => {
  it('a submodule is reported, also below a package of a monorepo', async () => {
    const sub: FileSpec = { mode: '160000', content: '12'.repeat(20) };
    const repository = repositoryWith({
      '.gitmodules': '[submodule "x"]\n',
      sub,
      'packages/a/composer.json': '{"name":"acme/a"}',
      'packages/a/sub': sub,
      'packages/b/composer.json': '{"name":"acme/b"}',
    });
    await scanOf(repository, async (scan) => {
      expect(scan.notices).toEqual([
        'archives do not contain submodules: tag 2.0.0, branch bad are published without them',
      ]);
      expect((await listOf(findRelease(scan, '2.0.0'))).files.map(({ path }) => path)).not.toContain('sub');
    });
    await withReleases({ path: repository.path, cacheDirectory, subdirectories: ['packages/*'] }, (scan) =>
      expect(scan.notices.at(-1)).toMatch(
        /submodules: tag 2\.0\.0, folder packages\/a, branch bad, folder packages\/a are published without them$/,
      ),
    );
  });
});
