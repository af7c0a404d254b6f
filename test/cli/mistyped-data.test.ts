// Tests commands that change a registry, with a --data that names none. They create no file, and ask for the right folder.

import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { below, libraryTree, temporaryTree, type TemporaryTree } from '../util/package-tree.ts';
import { runCli, type CliOutcome } from '../util/run-cli.ts';

let tree: TemporaryTree;
beforeAll(() => void (tree = temporaryTree(below('src', libraryTree('acme/hello', { version: '1.0.0' })))));
beforeEach(() => rmSync(tree.path('typo'), { recursive: true, force: true }));
afterAll(() => tree.remove());

const run = (...args: readonly string[]): Promise<CliOutcome> =>
  runCli([...args, '--data', 'typo'], { cwd: tree.root });
/** Every file and folder, sorted. */
const content = (): readonly string[] => readdirSync(tree.root, { recursive: true }).map(String).toSorted();
const reference = '0'.repeat(40);

describe.each([
  ['does not exist', () => undefined],
  ['is empty', () => void mkdirSync(tree.path('typo'))],
  ['has folders of another project', () => void mkdirSync(tree.path('typo/build/css'), { recursive: true })],
])('with a data folder that %s', (_, prepare) => {
  it.each([
    [['package', 'purged', '--recover'], 'Nothing is published in'],
    [['package', 'purged', '--recover', '--dry-run'], 'Nothing is published in'],
    [['package', 'withdraw', 'acme/hello', '1.0.0'], 'Nothing is published in'],
    [['package', 'restore', 'acme/hello', '1.0.0'], 'Nothing is published in'],
    [['rollback', '1'], 'Nothing is published in'],
    [['rollback', '--lift'], 'Nothing is published in'],
    [
      ['artifact', 'withdraw', 'acme/hello', '--as-version=1.0.0', `--reference=${reference}`],
      'Nothing is published in',
    ],
    [['keys', 'rotate'], 'There is no state in'],
    [['package', 'purge', 'acme/hello', '1.0.0', '--reason', 'secret', '--yes'], 'There is no version'],
    [['prune'], 'contains no published tree'],
    [['token', 'revoke', 'tok_0'], 'There is no token'],
    [['settings', 'unset', 'mirroring.enabled'], undefined],
    [['mirror', 'prune'], undefined],
  ])('%j creates nothing', async (command, message) => {
    prepare();
    const before = content();
    const { exitCode, stderr } = await run(...command);
    if (message !== undefined) expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(content()).toEqual(before);
  });
});

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
  const { exitCode, stdout, stderr } = await run('package', 'purged', '--recover');
  expect([exitCode, stdout + stderr]).toEqual([code, expect.stringContaining(message)]);
});
