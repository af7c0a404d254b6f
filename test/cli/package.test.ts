// Tests `libretto package`: withdrawing a version by hand, and restoring it.

import { readdirSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { below, libraryTree, temporaryTree, type TemporaryTree } from '../util/package-tree.ts';
import { publishedVersions } from '../util/published-tree.ts';
import { runCli, type CliOutcome } from '../util/run-cli.ts';

let tree: TemporaryTree;
const run = (...args: readonly string[]): Promise<CliOutcome> => runCli(args, { cwd: tree.root });
const versions = (): string[] => Object.keys(publishedVersions(tree.path('data'))).toSorted();

beforeEach(async () => {
  tree = temporaryTree({
    ...below('src/one', libraryTree('acme/hello', { version: '1.0.0' })),
    ...below('src/two', libraryTree('acme/hello', { version: '1.1.0' })),
  });
  expect((await run('build', 'src', '--data', 'data')).exitCode).toBe(0);
});
afterEach(() => tree.remove());

describe('libretto package', () => {
  it('withdraws a version for all later builds, and restores it', async () => {
    const before = publishedVersions(tree.path('data'));
    const withdrawn = await run('package', 'withdraw', 'Acme/Hello', '1.1.0', '--data', 'data', '--json');
    expect([withdrawn.exitCode, withdrawn.stderr]).toEqual([0, '']);
    expect(JSON.parse(withdrawn.stdout)).toMatchObject({
      name: 'acme/hello',
      version: '1.1.0',
      withdrawn_by: expect.stringMatching(/^cli:/) as string,
    });
    expect((await run('build', '--data', 'data')).exitCode).toBe(0);
    expect(versions()).toEqual(['acme/hello@1.0.0']);
    expect((await run('verify', '--data', 'data')).exitCode).toBe(0);
    const restored = await run('package', 'restore', 'acme/hello', '1.1.0', '--data', 'data');
    expect([restored.exitCode, restored.stderr]).toEqual([0, '']);
    expect(publishedVersions(tree.path('data'))).toEqual(before);
  });

  it('restores a version while a source of other packages cannot be read', async () => {
    tree.write(below('other', libraryTree('acme/other', { version: '1.0.0' })));
    await run('build', 'other', '--data', 'data');
    await run('package', 'withdraw', 'acme/hello', '1.1.0', '--data', 'data');
    tree.delete('other');
    const restored = await run('package', 'restore', 'acme/hello', '1.1.0', '--data', 'data');
    expect([restored.exitCode, restored.stderr]).toEqual([0, '']);
    expect(versions()).toEqual(['acme/hello@1.0.0', 'acme/hello@1.1.0', 'acme/other@1.0.0']);
  });

  it('refuses an unknown version, and creates no folder for a mistyped one', async () => {
    expect(await run('package', 'withdraw', 'acme/hello', '9.9.9', '--data', 'data')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('9.9.9 is not published here') as string,
    });
    expect(await run('package', 'withdraw', 'hello', '1.0.0', '--data', 'data')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('not a package name') as string,
    });
    expect(await run('package', 'restore', 'acme/hello', '1.0.0', '--data', 'data')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('not withdrawn by hand') as string,
    });
    expect((await run('package', 'withdraw', 'acme/hello', '1.0.0', '--data', 'dtaa')).exitCode).toBe(2);
    expect(readdirSync(tree.root).toSorted()).toEqual(['data', 'src']);
  });
});
