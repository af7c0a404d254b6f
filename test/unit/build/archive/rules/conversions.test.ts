// Tests content that git attributes change. The result is git's own on every machine, and the builder asks git only for
// files that change.

import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { archivedContents, contentsOf } from '../../../../util/git-archive.ts';
import {
  createRepository,
  testGitEnvironment,
  type RepositoryStep,
  type TestRepository,
} from '../../../../util/git-repository.ts';
import { findRelease, listOf, withReleases } from '../../../../util/git-scan.ts';
import { createGitShim, type GitShim } from '../../../../util/git-shim.ts';
import { temporaryFolder } from '../../../../util/temporary-folder.ts';

const folder = temporaryFolder('conversions');
afterAll(() => folder.remove());
let shim: GitShim;
beforeAll(() => {
  shim = createGitShim(folder.at('shim'));
});

const attributes =
  '* text=auto\n*.bat eol=crlf\nversion.txt export-subst\nid.php ident\nwide.txt working-tree-encoding=UTF-16LE\n/tests export-ignore\nassets/** filter=lfs\n';
const files = {
  'composer.json': '{"name":"acme/lib"}',
  '.gitattributes': attributes,
  'run.bat': 'one\ntwo\n',
  'version.txt': '$Format:%H %h %cI %D %(describe)$\n',
  'id.php': '<?php // $Id$\n',
  'wide.txt': 'é\n',
  'src/a.php': '<?php\n',
  'tests/t.bat': 'test\n',
  'assets/a.txt': 'an asset\n',
};
const steps: readonly RepositoryStep[] = [
  { commit: 'main', files },
  { tag: 'v1.0.0', at: 'main', annotated: true },
  { commit: 'main', files: { 'src/a.php': '<?php // 2\n' } },
  { tag: 'v1.1.0', at: 'main' },
  { commit: 'main', files: { 'src/a.php': '<?php // 3\n' } },
];
const cacheDirectory = folder.at('cache');
const scanning = (repository: TestRepository) => ({
  path: repository.path,
  cacheDirectory,
  environment: { PATH: shim.path },
});

const text = async (repository: TestRepository, version: string): Promise<Record<string, string>> =>
  withReleases(scanning(repository), async (scan) =>
    Object.fromEntries(
      Array.from(await contentsOf(findRelease(scan, version)), ([path, bytes]) => [path, bytes.toString('latin1')]),
    ),
  );

describe('content that attributes change', () => {
  it('converted content equals the content of git archive', async () => {
    const repository = createRepository(folder.at('plain'), steps);
    await withReleases(scanning(repository), async (scan) => {
      expect(await contentsOf(findRelease(scan, 'v1.0.0'))).toEqual(archivedContents(repository, 'v1.0.0'));
      const [found, expected] = [await contentsOf(findRelease(scan, 'v1.1.0')), archivedContents(repository, 'v1.1.0')];
      // The distance to another tag is left out, because that tag may be moved or deleted later.
      for (const contents of [found, expected])
        contents.set(
          'version.txt',
          Buffer.from(
            contents
              .get('version.txt')
              ?.toString()
              .replace(/ v1\.0\.0-1-g\w+\n$| \n$/, '') ?? '',
          ),
        );
      expect(found).toEqual(expected);
    });
    expect(readdirSync(cacheDirectory)).toEqual([]);
  });

  it('the builder asks git only for blobs that attributes change, and once for each', async () => {
    const repository = createRepository(folder.at('cheap'), [
      ...steps,
      {
        commit: 'plain',
        from: 'main',
        files: {
          '.gitattributes':
            '* text=auto\n*.php diff=php text eol=lf\n*.png binary\n*.bat -text eol=crlf\nassets/* filter=lfs\n',
        },
      },
      { tag: '2.0.0', at: 'plain' },
    ]);
    await withReleases(scanning(repository), async (scan) => {
      shim.calls();
      await contentsOf(findRelease(scan, '2.0.0'));
      expect(shim.calls().filter((call) => call.includes('archive'))).toEqual([]);
      const [first, second] = [await listOf(findRelease(scan, 'v1.0.0')), await listOf(findRelease(scan, 'v1.1.0'))];
      const known = new Set(first.files.map(({ identity }) => identity));
      expect(
        second.files
          .filter(({ identity }) => !known.has(identity))
          .map(({ path }) => path)
          .sort(),
      ).toEqual(['src/a.php', 'version.txt']);
      expect(
        first.files
          .filter(({ identity }) => identity.startsWith('git-converted:'))
          .map(({ path }) => path)
          .sort(),
      ).toEqual(['id.php', 'run.bat', 'version.txt', 'wide.txt']);
    });
  });

  it('converted content depends only on the commit and its own tag', async () => {
    const repository = createRepository(folder.at('settled'), steps);
    const before = await text(repository, 'v1.0.0');
    expect(before['version.txt']).toMatch(/^[0-9a-f]{40} [0-9a-f]{7} 202[56]-\S+ tag: v1\.0\.0 v1\.0\.0\n$/);
    for (const [key, value] of [
      ['core.autocrlf', 'true'],
      ['core.eol', 'crlf'],
      ['core.abbrev', '20'],
      ['core.attributesFile', folder.at('attributes')],
      ['tar.umask', '0077'],
      ['log.date', 'iso'],
    ] as const)
      repository.git('config', key, value);
    writeFileSync(folder.at('attributes'), '*.php export-ignore\n');
    mkdirSync(join(repository.gitDirectory, 'info'), { recursive: true });
    writeFileSync(
      join(repository.gitDirectory, 'info/attributes'),
      '*.php export-ignore\n*.txt -export-subst\n* eol=crlf\n',
    );
    repository.git('tag', 'v1.0.0-alias', 'v1.0.0^{commit}');
    repository.git('branch', 'other', 'v1.0.0');
    repository.git('repack', '-adq');
    expect(await text(repository, 'v1.0.0')).toEqual(before);
    repository.git('clone', '--quiet', '--bare', repository.path, folder.at('clone.git'));
    expect(await text({ ...repository, path: folder.at('clone.git') }, 'v1.0.0')).toEqual(before);
  });

  it('converted content contains no time relative to today and no name from another commit', async () => {
    const repository = createRepository(folder.at('times'), [
      {
        commit: 'main',
        files: {
          ...files,
          'version.txt': '$Format:%cr|%ar|%d|%aN|%G?$\n',
          '.mailmap': 'Named Anew <author@example.org>\n',
        },
      },
    ]);
    repository.append([
      { commit: 'main', files: { '.mailmap': null } },
      { tag: '1.1.0', at: 'main' },
    ]);
    repository.git('tag', '1.0.0', 'main~1');
    expect((await text(repository, '1.0.0'))['version.txt']).toBe(
      '0 seconds ago|0 seconds ago| (tag: 1.0.0)|Named Anew|N\n',
    );
  });

  it('the conversion runs no filter, no signature program and no other configured command', async () => {
    const repository = createRepository(folder.at('hostile'), [
      {
        commit: 'main',
        files: { ...files, '.gitattributes': '* filter=evil export-subst ident\n', 'version.txt': '$Format:%G?%GG$\n' },
      },
    ]);
    const witness = folder.at('witness');
    const program = folder.at('program');
    writeFileSync(program, `#!/bin/sh\ntouch ${witness}\ncat\n`);
    chmodSync(program, 0o755);
    for (const key of [
      'filter.evil.smudge',
      'filter.evil.process',
      'gpg.program',
      'gpg.ssh.program',
      'core.fsmonitor',
      'core.pager',
      'tar.tar.command',
    ])
      repository.git('config', key, program);
    repository.git('config', 'filter.evil.required', 'true');
    expect((await text(repository, 'dev-main'))['src/a.php']).toBe('<?php\n');
    expect(existsSync(witness)).toBe(false);
  });

  it('the conversion applies to files that composer.json includes again', async () => {
    const repository = createRepository(folder.at('again'), [
      { commit: 'main', files: { ...files, 'composer.json': '{"name":"acme/lib","archive":{"exclude":["!/tests"]}}' } },
    ]);
    expect((await text(repository, 'dev-main'))['tests/t.bat']).toBe('test\r\n');
  });

  it('the conversion works for SHA-256 repositories, many files and long names', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 90 }, (_, index) => [
        `${'long'.repeat(20)}/${'name'.repeat(30)}/f${index}.bat`,
        `${index}\n`,
      ]),
    );
    const repository = createRepository(
      folder.at('sha256'),
      [
        { commit: 'main', files: { ...files, ...many } },
        { tag: '1.0.0', at: 'main' },
        { commit: 'main', files: { 'composer.json': null } },
      ],
      { objectFormat: 'sha256' },
    );
    await withReleases(scanning(repository), async (scan) =>
      expect(await contentsOf(findRelease(scan, '1.0.0'))).toEqual(archivedContents(repository, '1.0.0')),
    );
  });

  it('converted content can be read in any order, in part, or not to the end', async () => {
    const repository = createRepository(folder.at('order'), steps);
    await withReleases(scanning(repository), async (scan) => {
      const { content } = findRelease(scan, 'v1.0.0');
      if ('copyTo' in content) throw new Error('unexpected');
      const listed = [...(await content.list()).files].reverse();
      const found: string[] = [];
      for await (const bytes of content.read(listed)) found.push(Buffer.from(bytes).toString('latin1'));
      const expected = archivedContents(repository, 'v1.0.0');
      expect(found).toEqual(listed.map(({ path }) => expected.get(path)?.toString('latin1')));
      for await (const bytes of content.read(listed)) if (bytes.length > 0) break;
    });
    expect(readdirSync(cacheDirectory)).toEqual([]);
  });

  it('content that git cannot convert excludes only its own version', async () => {
    const repository = createRepository(folder.at('refused'), [
      ...steps,
      { commit: 'main', files: { '.gitattributes': '*.php working-tree-encoding\n' } },
      { tag: '2.0.0', at: 'main' },
    ]);
    await withReleases(scanning(repository), async (scan) => {
      await expect(contentsOf(findRelease(scan, '2.0.0'))).rejects.toMatchObject({
        code: 'UNREADABLE_FILE',
        message: expect.stringContaining('working-tree-encoding'),
      });
      expect((await contentsOf(findRelease(scan, 'v1.0.0'))).size).toBe(8);
    });
  });

  it('the conversion fails when git stops answering', async () => {
    const repository = createRepository(folder.at('hang'), steps);
    const tools = folder.at('tools');
    mkdirSync(tools);
    const git = testGitEnvironment.PATH.split(':')
      .map((path) => join(path, 'git'))
      .find((path) => existsSync(path));
    writeFileSync(
      join(tools, 'git'),
      `#!/bin/sh\ncase "$*" in *--format=tar*) exec sleep 60 ;; *) exec ${git} "$@" ;; esac\n`,
      { mode: 0o755 },
    );
    await withReleases(
      { ...scanning(repository), timeoutMs: 500, environment: { PATH: `${tools}:${testGitEnvironment.PATH}` } },
      async (scan) => {
        await expect(contentsOf(findRelease(scan, 'v1.0.0'))).rejects.toThrow(/gave no answer/);
      },
    );
  });
});
