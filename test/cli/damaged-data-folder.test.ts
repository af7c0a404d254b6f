// Tests that a damaged data folder, with few files of a registry left, is no mistyped --data (data-folder.test.ts).

import { readdirSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { below, libraryTree, temporaryTree, type TemporaryTree } from '../util/package-tree.ts';
import { runCli, type CliOutcome } from '../util/run-cli.ts';

let tree: TemporaryTree;
beforeAll(() => void (tree = temporaryTree(below('src', libraryTree('acme/hello', { version: '1.0.0' })))));
beforeEach(() => rmSync(tree.path('typo'), { recursive: true, force: true }));
afterAll(() => tree.remove());

const run = (...args: readonly string[]): Promise<CliOutcome> =>
  runCli([...args, '--data', 'typo'], { cwd: tree.root });

it.each([
  ['public/dist', 0, 'No record of a purge was found'],
  ['build/history', 0, 'No record of a purge was found'],
  ['public/p2', 2, 'packages.json and the serving index are lost'],
])('a recovery treats a folder with only %s as a damaged registry', async (left, code, message) => {
  await run('build', 'src');
  const [folder = '', kept = ''] = left.split('/');
  for (const name of readdirSync(tree.path('typo')))
    if (name !== folder) rmSync(tree.path('typo', name), { recursive: true });
  for (const name of readdirSync(tree.path('typo', folder)))
    if (name !== kept) rmSync(tree.path('typo', folder, name), { recursive: true });
  const { exitCode, stdout, stderr } = await run('package', 'recover-purged');
  expect([exitCode, stdout + stderr]).toEqual([code, expect.stringContaining(message)]);
});
