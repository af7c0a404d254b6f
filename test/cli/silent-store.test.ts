// Tests commands whose object store takes requests and never answers them.

import { existsSync } from 'node:fs';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { startHostileStore, type HostileStore } from '../util/hostile-store.ts';
import { below, temporaryTree, type TemporaryTree } from '../util/package-tree.ts';
import { runCli, startCli } from '../util/run-cli.ts';
import { whoLibrary } from '../util/who-library.ts';
import { firstOf, itInSeries } from '../util/series.ts';

let tree: TemporaryTree;
let store: HostileStore;

beforeEach(async () => {
  tree = temporaryTree();
  store = await startHostileStore();
  tree.write(below('packages/one', whoLibrary('acme/hello', '1.0.0', {}, 'one')));
});
afterEach(async () => {
  await store.close();
  tree.remove();
});

const options = () => ({
  cwd: tree.root,
  environment: { ...store.environment, LIBRETTO_OUTPUT: `s3://${store.bucket}/registry`, LIBRETTO_DATA: 'data' },
});
const hang = (): void => {
  store.fault = () => ({ delayMs: 600_000 });
  store.requests.length = 0;
};

itInSeries('is named by status after three short attempts, and status shows what the data folder has', async () => {
  expect(await runCli(['build', './packages'], options())).toMatchObject({ exitCode: 0 });
  hang();
  const { exitCode, stdout, stderr } = await runCli(['status'], options());
  expect(stderr).toMatch(/^GET s3:.*: no whole answer came .* This shows what the data folder has\.$/);
  expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^published +1 package, 1 version$/m)]);
  expect(store.requests).toHaveLength(3);
});

it.each(
  firstOf<[string, string[]]>(
    [
      ['build', ['./packages']],
      ['serve', ['--listen', '127.0.0.1:0']],
    ],
    1,
  ),
)('leaves no lock behind a %s that SIGTERM ends before its first answer', async (command, words) => {
  hang();
  const started = startCli([command, ...words], { ...options(), alone: true });
  await vi.waitFor(() => expect(store.requests).toHaveLength(1));
  expect(existsSync(tree.path('data/build/lock'))).toBe(true);
  started.signal('SIGTERM');
  expect(await started.ended).toMatchObject({ exitCode: 143 });
  expect(existsSync(tree.path('data/build/lock'))).toBe(false);
});
