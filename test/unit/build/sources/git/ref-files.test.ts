// Tests refs that are read from the files of a repository, without a git process.

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

import { findGitDirectory } from '../../../../../build/sources/git/git-directory.ts';
import { listRefs } from '../../../../../build/sources/git/list-refs.ts';
import { readRefFiles } from '../../../../../build/sources/git/ref-files.ts';
import { fingerprintOf, type Refs } from '../../../../../build/sources/git/refs.ts';
import { createRepository, testGitEnvironment, type RepositoryStep } from '../../../../util/git-repository.ts';

const folder = mkdtempSync(join(tmpdir(), 'libretto-refs-'));
afterAll(() => rmSync(folder, { recursive: true }));

const steps: readonly RepositoryStep[] = [
  { commit: 'main', files: { 'a.txt': '1' } },
  { tag: 'v1.0.0', at: 'main', annotated: true },
  { tag: '0.9.0', at: 'main' },
  { commit: 'main', files: { 'a.txt': '2' } },
  { branch: 'feature/x', from: 'main' },
  { tag: 'deep/name', at: 'main', annotated: true },
  { tag: 'ü1', at: 'main' },
];

function read(path: string): Refs {
  const directory = findGitDirectory(path);
  const refs = directory === undefined ? undefined : readRefFiles(directory);
  if (refs === undefined) throw new Error(`no refs at ${path}`);
  return refs;
}

/** `<oid> <name>` of each, as `git show-ref` prints them without peeling. */
function asShown(refs: Refs): string[] {
  const row = (prefix: string) => (ref: { oid: string; name: string }) =>
    `${ref.oid} ${prefix}${Buffer.from(ref.name, 'latin1').toString('utf8')}`;
  return [...refs.branches.map(row('refs/heads/')), ...refs.tags.map(row('refs/tags/'))];
}

describe('readRefFiles', () => {
  it('gives the refs of git show-ref in its order, loose, packed and mixed', () => {
    const repository = createRepository(join(folder, 'mixed'), steps);
    const shown = (): string[] => repository.git('show-ref', '--heads', '--tags').split('\n');
    expect(asShown(read(repository.path))).toEqual(shown());
    repository.git('pack-refs', '--all');
    expect(asShown(read(repository.path))).toEqual(shown());
    repository.append([
      { commit: 'main', files: { 'a.txt': '3' } },
      { tag: 'v1.1.0', at: 'main' },
      { deleteRef: 'refs/tags/0.9.0' },
    ]);
    expect(asShown(read(repository.path))).toEqual(shown());
    expect(read(repository.path).head).toEqual({ branch: 'main' });
  });

  it('knows the targets of packed annotated tags', () => {
    const repository = createRepository(join(folder, 'peeled'), steps);
    repository.git('pack-refs', '--all');
    const tag = read(repository.path).tags.find(({ name }) => name === 'v1.0.0');
    expect(tag?.peeled).toBe(repository.git('rev-parse', 'v1.0.0^{commit}'));
  });

  it('reads a bare repository, a linked work tree, a detached HEAD and a SHA-256 repository alike', () => {
    const bare = createRepository(join(folder, 'bare.git'), steps, { bare: true });
    expect(asShown(read(bare.path))).toEqual(bare.git('show-ref', '--heads', '--tags').split('\n'));
    const linked = join(folder, 'linked');
    bare.git('worktree', 'add', '--quiet', '--detach', linked, 'feature/x');
    expect(asShown(read(linked))).toEqual(asShown(read(bare.path)));
    expect(read(linked).head).toEqual({ commit: bare.git('rev-parse', 'feature/x') });
    const long = createRepository(join(folder, 'long'), steps, { objectFormat: 'sha256' });
    expect(asShown(read(long.path))).toEqual(long.git('show-ref', '--heads', '--tags').split('\n'));
  });

  it('reads names that are not UTF-8 and skips lock files', () => {
    const repository = createRepository(join(folder, 'latin1'), steps);
    const oid = repository.git('rev-parse', 'main');
    writeFileSync(Buffer.from(`${repository.gitDirectory}/refs/tags/\u00fc`, 'latin1'), `${oid}\n`);
    writeFileSync(join(repository.gitDirectory, 'refs/heads/main.lock'), '');
    const refs = read(repository.path);
    expect(refs.tags.at(-1)).toEqual({ name: '\u00fc', oid, peeled: undefined });
    expect(refs.branches.map(({ name }) => name)).toEqual(['feature/x', 'main']);
  });

  it('leaves a symbolic ref and a reftable to git', async () => {
    const repository = createRepository(join(folder, 'symbolic'), steps);
    const direct = read(repository.path);
    repository.git('symbolic-ref', 'refs/heads/alias', 'refs/heads/main');
    const directory = findGitDirectory(repository.path);
    if (directory === undefined) throw new Error('not found');
    expect(readRefFiles(directory)).toBeUndefined();
    const listed = await listRefs(directory, { PATH: testGitEnvironment.PATH }, 10_000);
    expect(asShown(listed)).toEqual(asShown(direct));
    expect(fingerprintOf(listed)).toBe(fingerprintOf(direct));
    mkdirSync(join(repository.gitDirectory, 'reftable'));
    expect(readRefFiles(directory)).toBeUndefined();
  });
});

describe('findGitDirectory', () => {
  it('finds no repository in a folder inside a repository', () => {
    const repository = createRepository(join(folder, 'outer'), steps);
    mkdirSync(join(repository.path, 'inner'));
    expect(findGitDirectory(join(repository.path, 'inner'))).toBeUndefined();
    expect(findGitDirectory(join(repository.path, 'absent'))).toBeUndefined();
    expect(findGitDirectory(repository.path)?.own).toBe(join(repository.path, '.git'));
  });
});

describe('fingerprintOf', () => {
  it('changes with every ref, with a deleted ref and with HEAD', () => {
    const repository = createRepository(join(folder, 'moves'), steps);
    const seen = new Set([fingerprintOf(read(repository.path))]);
    const changes: (() => void)[] = [
      () => repository.append([{ commit: 'main', files: { 'a.txt': 'new' } }]),
      () => repository.append([{ tag: '2.0.0', at: 'main' }]),
      () => repository.append([{ deleteRef: 'refs/tags/0.9.0' }]),
      () => repository.git('symbolic-ref', 'HEAD', 'refs/heads/feature/x'),
      () =>
        execFileSync('git', ['update-ref', '--no-deref', 'HEAD', 'main'], {
          cwd: repository.path,
          env: testGitEnvironment,
        }),
    ];
    for (const change of changes) {
      change();
      seen.add(fingerprintOf(read(repository.path)));
    }
    expect(seen.size).toBe(1 + changes.length);
    const before = fingerprintOf(read(repository.path));
    repository.git('pack-refs', '--all');
    expect(fingerprintOf(read(repository.path))).toBe(before);
  });
});
