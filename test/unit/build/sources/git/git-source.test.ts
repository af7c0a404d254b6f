// Tests repeated scans of a repository on this disk, and repositories with faults.

import { chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

import { createGitSource } from '../../../../../build/sources/git/git-source.ts';
import type { Scan, SourceMemory } from '../../../../../build/sources/release.ts';
import { createRepository, type RepositoryStep } from '../../../../util/git-repository.ts';
import { createGitShim } from '../../../../util/git-shim.ts';
import { contentOf } from '../../../../util/content-of.ts';
import { createArchiver } from '../../../../../build/archive/archiver.ts';

const folder = mkdtempSync(join(tmpdir(), 'libretto-git-source-'));
afterAll(() => rmSync(folder, { recursive: true }));
const shim = createGitShim(join(folder, 'shim'));

type ReadScan = Extract<Scan, { outcome: 'read' }>;

/** Scans, passes the result to the test while the source is open, and closes. */
async function scanned<Result>(
  path: string,
  previous: SourceMemory | undefined,
  use: (scan: Scan) => Result | Promise<Result>,
): Promise<Result> {
  const source = createGitSource({
    location: { kind: 'path', path },
    cacheDirectory: join(folder, 'cache'),
    timeoutMs: 120_000,
    environment: { PATH: shim.path },
  });
  try {
    return await use(await source.scan(previous));
  } finally {
    await source.close();
  }
}

const read = (path: string, previous?: SourceMemory): Promise<ReadScan> =>
  scanned(path, previous, (scan) => {
    if (scan.outcome !== 'read') throw new Error(JSON.stringify(scan));
    return { ...scan, memory: JSON.parse(JSON.stringify(scan.memory)) as SourceMemory };
  });

const reasonOf = (path: string): Promise<string> =>
  scanned(path, undefined, (scan) => (scan.outcome === 'failed' ? scan.reason : scan.outcome));

const versions = (scan: ReadScan): string[] => scan.releases.map(({ version }) => version).sort();
const composer = (json: object = {}): string => JSON.stringify({ name: 'acme/lib', ...json });
const first: readonly RepositoryStep[] = [
  { commit: 'main', files: { 'composer.json': composer(), 'a.php': '<?php\n' } },
  { tag: '1.0.0', at: 'main', annotated: true },
  { tag: 'nightly', at: 'main' },
  { commit: 'main', files: { 'a.php': '<?php // 2\n' } },
  { tag: '1.1.0', at: 'main' },
];

describe('scanning again', () => {
  it('starts no process while no ref has moved', async () => {
    const repository = createRepository(join(folder, 'unchanged'), first);
    const { memory } = await read(repository.path);
    shim.calls();
    expect(await scanned(repository.path, memory, (scan) => scan)).toEqual({ outcome: 'unchanged' });
    repository.git('pack-refs', '--all');
    expect(await scanned(repository.path, memory, (scan) => scan)).toEqual({ outcome: 'unchanged' });
    expect(shim.calls()).toEqual([]);
  });

  it('reads only new and moved refs, and gives the result of a first scan', async () => {
    const repository = createRepository(join(folder, 'moved'), first);
    const { memory } = await read(repository.path);
    repository.append([
      { commit: 'main', files: { 'a.php': '<?php // 3\n' } },
      { tag: '1.2.0', at: 'main' },
      { deleteRef: 'refs/tags/1.0.0' },
    ]);
    shim.asked();
    const again = await read(repository.path, memory);
    const asked = shim.asked();
    expect(asked).not.toContain(repository.git('rev-parse', '1.1.0'));
    expect(asked).toContain(repository.git('rev-parse', '1.2.0'));
    const afresh = await read(repository.path);
    const plain = (scan: ReadScan): unknown => JSON.parse(JSON.stringify(scan));
    expect(plain(again)).toEqual(plain(afresh));
    expect(versions(again)).toEqual(['1.1.0', '1.2.0', 'dev-main']);
  });

  it('reads remembered releases like new ones', async () => {
    const repository = createRepository(join(folder, 'remembered'), first);
    const { memory } = await read(repository.path);
    repository.append([{ tag: '2.0.0', at: 'main' }]);
    await scanned(repository.path, memory, async (scan) => {
      const release = scan.outcome === 'read' ? scan.releases.find(({ version }) => version === '1.0.0') : undefined;
      expect(await release?.composerJson()).toEqual({ name: 'acme/lib' });
      expect((await contentOf(release).list()).files.map(({ path }) => path).sort()).toEqual([
        'a.php',
        'composer.json',
      ]);
    });
  });

  it('reads everything again when the default branch renames the package', async () => {
    const repository = createRepository(join(folder, 'renamed'), [...first, { commit: 'main', files: {} }]);
    const { memory } = await read(repository.path);
    repository.append([{ commit: 'main', files: { 'composer.json': JSON.stringify({ name: 'acme/new' }) } }]);
    const again = await read(repository.path, memory);
    expect(new Set(again.releases.map(({ name }) => name))).toEqual(new Set(['acme/new']));
    expect(versions(again)).toEqual(['1.0.0', '1.1.0', 'dev-main']);
  });

  it('ignores an unknown format of its memory', async () => {
    const repository = createRepository(join(folder, 'memory'), first);
    for (const detail of [
      null,
      7,
      '{"refs":',
      '[]',
      { name: 'acme/lib', refs: [['t 1.0.0', 'x', 'r', 5]] },
      { name: 'NO', refs: [] },
    ]) {
      expect(versions(await read(repository.path, { fingerprint: 'other', detail }))).toEqual([
        '1.0.0',
        '1.1.0',
        'dev-main',
      ]);
    }
  });

  it('remembers 500 tags in less than 60 kB', async () => {
    const tags = Array.from({ length: 500 }, (_, index): RepositoryStep[] => [
      { commit: 'main', files: { 'a.php': `<?php // ${index}\n` } },
      { tag: `v1.${index}.0`, at: 'main' },
    ]).flat();
    const repository = createRepository(join(folder, 'large'), [...first, ...tags]);
    const { memory } = await read(repository.path);
    expect(JSON.stringify(memory).length).toBeLessThan(60_000);
  });
});

describe('a repository with a fault', () => {
  it.each([
    ['does not exist', () => join(folder, 'absent'), /does not exist/],
    ['is a plain folder', () => (mkdirSync(join(folder, 'plain')), join(folder, 'plain')), /not a git repository/],
    ['has no commits', () => createRepository(join(folder, 'unborn'), []).path, /no commits yet/],
    [
      'has no composer.json',
      () => createRepository(join(folder, 'empty'), [{ commit: 'main', files: { a: '1' } }]).path,
      /no version to publish.*no composer\.json/,
    ],
  ])('fails with the reason when it %s', async (_, path, reason) => {
    expect(await reasonOf(path())).toMatch(reason);
  });

  it('is read without tags, and without the branch that HEAD names', async () => {
    const repository = createRepository(join(folder, 'branches'), [
      { commit: 'topic', files: { 'composer.json': composer() } },
    ]);
    const scan = await read(repository.path);
    expect(versions(scan)).toEqual(['dev-topic']);
    expect(scan.notices.join()).toMatch(/HEAD points at the branch main, which does not exist/);
    expect(scan.releases.some(({ defaultBranch }) => defaultBranch)).toBe(false);
  });

  it('takes the name from the commit of a detached HEAD and marks no default branch', async () => {
    const repository = createRepository(join(folder, 'detached'), [
      ...first,
      { commit: 'main', files: { 'composer.json': JSON.stringify({ name: 'acme/renamed' }) } },
    ]);
    repository.git('update-ref', '--no-deref', 'HEAD', repository.git('rev-parse', '1.0.0^{commit}'));
    const scan = await read(repository.path);
    expect(new Set(scan.releases.map(({ name }) => name))).toEqual(new Set(['acme/lib']));
    expect(scan.releases.some(({ defaultBranch }) => defaultBranch)).toBe(false);
    expect(scan.notices.join()).toMatch(/HEAD is detached/);
  });

  it('excludes the one version whose objects are broken, and reads it again in the next scan', async () => {
    const repository = createRepository(join(folder, 'broken'), first);
    const orphan = '12'.repeat(20);
    writeFileSync(join(repository.gitDirectory, 'refs/tags/1.2.0'), `${orphan}\n`);
    const scan = await read(repository.path);
    expect(versions(scan)).toEqual(['1.0.0', '1.1.0', 'dev-main']);
    expect(scan.quarantined).toMatchObject([
      { code: 'BROKEN_OBJECT', where: 'tag 1.2.0', message: expect.stringContaining(orphan) },
    ]);
    expect((await read(repository.path, scan.memory)).quarantined).toHaveLength(1);
  });

  it('quarantines a tag whose name is no path or no text', async () => {
    const repository = createRepository(join(folder, 'names'), [
      ...first,
      { branch: `long-${'x'.repeat(140)}`, from: 'main' },
    ]);
    writeFileSync(
      Buffer.from(`${repository.gitDirectory}/refs/tags/1.0.\u00fc`, 'latin1'),
      `${repository.git('rev-parse', 'main')}\n`,
    );
    const scan = await read(repository.path);
    expect(scan.quarantined.map(({ code, where }) => [code, where.slice(0, 11)])).toEqual([
      ['UNSAFE_PATH', 'tag "1.0.ü"'],
      ['UNSAFE_PATH', 'branch long'],
    ]);
  });

  it('refuses a version with an unsafe path when its archive is made, and leaves out an unsafe link', async () => {
    const repository = createRepository(join(folder, 'unsafe'), [
      ...first,
      { commit: 'links', from: 'main', files: { out: { mode: '120000', content: '../../etc/passwd' } } },
      { commit: 'paths', from: 'main', files: { 'back\\slash': 'x' } },
    ]);
    await scanned(repository.path, undefined, async (scan) => {
      const codes: unknown[] = [];
      const archiver = createArchiver({ scratchDirectory: folder, jobs: 1 });
      for (const version of ['dev-links', 'dev-paths']) {
        const release =
          scan.outcome === 'read' ? scan.releases.find((candidate) => candidate.version === version) : undefined;
        const target = join(folder, `${version}.zip`);
        codes.push(
          await archiver
            .archive(contentOf(release), { topFolder: 'top', target })
            .then(({ unsafeLinks }) => unsafeLinks)
            .catch((error: unknown) => (error instanceof Error && 'code' in error ? error.code : error)),
        );
      }
      await archiver.close();
      expect(codes).toEqual([['"out" → "../../etc/passwd": it leaves the package'], 'UNSAFE_PATH']);
    });
  });

  it('reports that submodules are excluded', async () => {
    const files = { '.gitmodules': '[submodule "x"]\n', sub: { mode: '160000', content: '12'.repeat(20) } } as const;
    const repository = createRepository(join(folder, 'submodules'), [...first, { commit: 'main', files }]);
    expect((await read(repository.path)).notices).toContainEqual(
      'archives do not contain submodules: branch main are published without them',
    );
  });

  it('is read if it is a bare SHA-256 repository, or one that borrows its objects', async () => {
    const long = createRepository(join(folder, 'long.git'), first, { bare: true, objectFormat: 'sha256' });
    const scan = await read(long.path);
    expect(scan.releases.find(({ version }) => version === '1.1.0')?.reference).toBe(long.git('rev-parse', '1.1.0'));
    const origin = createRepository(join(folder, 'origin'), first);
    origin.git('clone', '--quiet', '--bare', '--shared', origin.path, join(folder, 'borrower.git'));
    expect(versions(await read(join(folder, 'borrower.git')))).toEqual(['1.0.0', '1.1.0', 'dev-main']);
  });

  it.skipIf(process.getuid?.() !== 0)('is read although another user owns it', async () => {
    const repository = createRepository(join(folder, 'foreign'), first);
    for (const path of [repository.path, repository.gitDirectory, join(repository.gitDirectory, 'objects')])
      chownSync(path, 65_534, 65_534);
    expect(versions(await read(repository.path))).toEqual(['1.0.0', '1.1.0', 'dev-main']);
  });

  it('runs none of the programs that it configures', async () => {
    const repository = createRepository(join(folder, 'hostile'), first);
    const witness = join(folder, 'witness');
    writeFileSync(
      join(repository.gitDirectory, 'config'),
      `[core]\n\trepositoryformatversion = 1\n\tfsmonitor = "touch ${witness}"\n\tsshCommand = "touch ${witness}"\n\tpager = "touch ${witness}"\n\tgitProxy = "touch ${witness}"\n[extensions]\n\tpartialClone = origin\n[remote "origin"]\n\turl = "ext::touch ${witness}"\n\tpromisor = true\n\tuploadpack = "touch ${witness}"\n[protocol "ext"]\n\tallow = always\n`,
    );
    writeFileSync(join(repository.gitDirectory, 'refs/tags/1.2.0'), `${'12'.repeat(20)}\n`);
    expect((await read(repository.path)).quarantined).toHaveLength(1);
    expect(readdirSync(folder)).not.toContain('witness');
  });
});
