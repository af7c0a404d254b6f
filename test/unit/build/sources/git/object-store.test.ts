// Tests the objects of a repository, read through one git process.

import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';

import { GitFailure } from '../../../../../build/sources/git-failure.ts';
import { openObjects, type ObjectStore } from '../../../../../build/sources/git/object-store.ts';
import { listTree } from '../../../../../build/sources/git/package-files.ts';
import { createGitShim } from '../../../../util/git-shim.ts';
import { createRepository, testGitEnvironment, type TestRepository } from '../../../../util/git-repository.ts';
import { itInSeries } from '../../../../util/series.ts';

const folder = mkdtempSync(join(tmpdir(), 'libretto-objects-'));
const opened: ObjectStore[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((store) => store.close()));
});
afterAll(() => rmSync(folder, { recursive: true }));

function open(repository: TestRepository, timeoutMs = 10_000): ObjectStore {
  const store = openObjects(repository.gitDirectory, { environment: { PATH: testGitEnvironment.PATH }, timeoutMs });
  opened.push(store);
  return store;
}

async function collect(store: ObjectStore, oids: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for await (const bytes of store.blobs(oids.map((oid) => ({ oid, path: oid })))) found.push(bytes.toString('latin1'));
  return found;
}

/** Resolves when the store has been idle for a while. */
const idle = (store: ObjectStore): Promise<void> => new Promise((resolve) => store.whenIdle(resolve));

/** Overwrites the loose object with invalid bytes. */
function corrupt(repository: TestRepository, oid: string, bytes = 'no object'): void {
  const path = join(repository.gitDirectory, 'objects', oid.slice(0, 2), oid.slice(2));
  chmodSync(path, 0o644);
  writeFileSync(path, bytes);
}

/** Loose objects can be damaged one by one; fast-import writes packs. */
function looseBlobs(repository: TestRepository, contents: readonly string[]): string[] {
  return contents.map((content, index) => {
    const file = join(repository.path, `loose-${index}`);
    writeFileSync(file, content);
    return repository.git('hash-object', '-w', '--', file);
  });
}

describe('ObjectStore', () => {
  it('reads many blobs in order, whatever their size', async () => {
    const contents = Array.from({ length: 700 }, (_, index) =>
      index % 97 === 0 ? String(index).repeat(300_000) : index % 5 === 0 ? '' : `content ${index}\n`,
    );
    const files = Object.fromEntries(contents.map((content, index) => [`f${String(index).padStart(4, '0')}`, content]));
    const repository = createRepository(join(folder, 'many'), [{ commit: 'main', files }]);
    const oids = repository
      .git('ls-tree', 'main')
      .split('\n')
      .map((row) => row.slice(12, 52));
    expect(await collect(open(repository), oids)).toEqual(contents);
  });

  itInSeries('serves a second reader while the first one has stopped halfway', async () => {
    const big = 'x'.repeat(9 * 1024 * 1024);
    const repository = createRepository(join(folder, 'slow'), [
      { commit: 'main', files: { a: `${big}1`, b: `${big}2`, c: `${big}3`, d: 'small' } },
    ]);
    const oids = repository
      .git('ls-tree', 'main')
      .split('\n')
      .map((row) => row.slice(12, 52));
    const store = open(repository);
    const slow = store.blobs(oids.map((oid) => ({ oid, path: oid })));
    expect((await slow.next()).value?.length).toBe(big.length + 1);
    expect((await collect(store, oids)).map((content) => content.slice(-1))).toEqual(['1', '2', '3', 'l']);
    const rest: string[] = [];
    for await (const bytes of slow) rest.push(bytes.toString('latin1').slice(-1));
    expect(rest).toEqual(['2', '3', 'l']);
  });

  it('ends its process when unused, and starts another on demand', async () => {
    const repository = createRepository(join(folder, 'idle'), [{ commit: 'main', files: { a: 'first', b: 'second' } }]);
    const [first = '', second = ''] = repository
      .git('ls-tree', 'main')
      .split('\n')
      .map((row) => row.slice(12, 52));
    const shim = createGitShim(join(folder, 'shim'));
    const store = openObjects(repository.gitDirectory, { environment: { PATH: shim.path }, timeoutMs: 120_000 });
    opened.push(store);
    expect(await collect(store, [first])).toEqual(['first']);
    expect(await collect(store, [second])).toEqual(['second']);
    expect(shim.calls()).toHaveLength(1);
    await idle(store);
    expect(await collect(store, [first, second])).toEqual(['first', 'second']);
    expect(shim.calls()).toHaveLength(1);
  });

  it('keeps no object that is not requested, and reads it again on demand', async () => {
    const repository = createRepository(join(folder, 'kept'), [{ commit: 'main', files: { 'src/a.php': '<?php' } }]);
    const store = open(repository);
    const { tree } = await store.commit(repository.git('rev-parse', 'main').trim());
    const entries = await store.tree(tree);
    expect(await store.tree(tree)).toBe(entries);
    await idle(store);
    const again = await store.tree(tree);
    expect(again).not.toBe(entries);
    expect(again).toEqual(entries);
  });

  it('names a missing or corrupt object, and reads the others', async () => {
    const repository = createRepository(join(folder, 'broken'), [{ commit: 'main', files: { a: '1' } }]);
    const [first = '', bad = '', empty = '', last = ''] = looseBlobs(repository, [
      'first',
      'to be broken',
      'to be emptied',
      'last',
    ]);
    corrupt(repository, bad);
    corrupt(repository, empty, '');
    const store = open(repository);
    const absent = 'ab'.repeat(20);
    const outcomes = await Promise.allSettled(
      [first, bad, absent, empty, last].map(async (oid) => (await collect(store, [oid]))[0]),
    );
    expect(outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : undefined))).toEqual([
      'first',
      undefined,
      undefined,
      undefined,
      'last',
    ]);
    expect(outcomes[1]).toMatchObject({
      reason: {
        code: 'BROKEN_OBJECT',
        message: expect.stringContaining(`(object ${bad}) is corrupt, says git: unable to unpack`),
      },
    });
    expect(outcomes[2]).toMatchObject({
      reason: { code: 'BROKEN_OBJECT', message: expect.stringContaining('missing') },
    });
    expect(outcomes[3]).toMatchObject({
      reason: { code: 'BROKEN_OBJECT', message: expect.stringMatching(/ is corrupt, says git: .* is empty/) },
    });
    expect(store.sawBroken).toBe(true);
  });

  it('refuses an object whose bytes belong to another id', async () => {
    const repository = createRepository(join(folder, 'swapped'), [{ commit: 'main', files: { a: '1' } }]);
    const [good = '', other = ''] = looseBlobs(repository, ['good', 'evil']);
    const objects = join(repository.gitDirectory, 'objects');
    const path = (oid: string): string => join(objects, oid.slice(0, 2), oid.slice(2));
    rmSync(path(good));
    copyFileSync(path(other), path(good));
    await expect(collect(open(repository), [good])).rejects.toMatchObject({ code: 'BROKEN_OBJECT' });
  });

  it('fails as a whole without a repository or without git', async () => {
    const nowhere = openObjects(join(folder, 'nowhere'), {
      environment: { PATH: testGitEnvironment.PATH },
      timeoutMs: 120_000,
    });
    opened.push(nowhere);
    await expect(collect(nowhere, ['ab'.repeat(20)])).rejects.toThrow(GitFailure);
    const repository = createRepository(join(folder, 'no-git'), [{ commit: 'main', files: { a: '1' } }]);
    const toolless = openObjects(repository.gitDirectory, { environment: { PATH: folder }, timeoutMs: 120_000 });
    opened.push(toolless);
    await expect(collect(toolless, ['ab'.repeat(20)])).rejects.toThrow(/git was not found/);
  });

  it('stops a git process that does not answer', async () => {
    const repository = createRepository(join(folder, 'hang'), [{ commit: 'main', files: { a: '1' } }]);
    const tools = mkdtempSync(join(folder, 'tools-'));
    writeFileSync(join(tools, 'git'), '#!/bin/sh\nexec /bin/sleep 60\n', { mode: 0o755 });
    const store = openObjects(repository.gitDirectory, { environment: { PATH: tools }, timeoutMs: 200 });
    opened.push(store);
    await expect(collect(store, ['ab'.repeat(20)])).rejects.toThrow(/gave no answer/);
  });
});

describe('listTree', () => {
  it('lists the files of git ls-tree without submodules', async () => {
    const repository = createRepository(join(folder, 'tree'), [
      {
        commit: 'main',
        files: {
          'a.txt': '1',
          'bin/run': { mode: '100755', content: 'x' },
          'deep/er/ü.php': '2',
          link: { mode: '120000', content: 'a.txt' },
          sub: { mode: '160000', content: '12'.repeat(20) },
        },
      },
    ]);
    const store = open(repository);
    const { files, undecodable } = await listTree(store, repository.git('rev-parse', 'main^{tree}'));
    expect(files.map(({ path, mode, identity }) => `${mode} ${identity} ${path}`).sort()).toEqual(
      ['file a.txt', 'executable bin/run', 'file deep/er/ü.php', 'symlink link']
        .map((row) => {
          const [mode = '', path = ''] = row.split(' ');
          return `${mode} ${repository.git('rev-parse', `main:${path}`)} ${path}`;
        })
        .sort(),
    );
    expect(undecodable.size).toBe(0);
  });

  it('stops at a tree that would unfold into millions of files', async () => {
    const repository = createRepository(join(folder, 'bomb'), [{ commit: 'main', files: { a: '1' } }]);
    const blob = repository.git('rev-parse', 'main:a');
    let rows = Array.from({ length: 20 }, (_, index) => `100644 blob ${blob}\tf${index}`).join('\n');
    let tree = '';
    for (let depth = 0; depth < 6; depth += 1) {
      tree = execFileSync('git', ['mktree'], { cwd: repository.path, env: testGitEnvironment, input: rows })
        .toString()
        .trim();
      rows = Array.from({ length: 20 }, (_, index) => `040000 tree ${tree}\td${index}`).join('\n');
    }
    await expect(listTree(open(repository), tree)).rejects.toMatchObject({ code: 'UNSAFE_PATH' });
  });
});
