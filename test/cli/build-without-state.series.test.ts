// Tests that `libretto build` starts fast: without a state, a build opens none and loads no store.

import { existsSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';

import { libraryTree, writeTree } from '../util/package-tree.ts';
import { runCli, type CliOutcome } from '../util/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';

let folder: TemporaryFolder;
beforeEach(() => {
  folder = temporaryFolder('cli-build-without-state');
  writeTree(folder.at('packages'), libraryTree('acme/hello', { version: '1.0.0' }));
});
afterEach(() => folder.remove());

/** At its end, the program prints the shared libraries that it has loaded, as Node's diagnostic report lists them. */
const tellLibraries =
  "process.on('exit', () => process.stderr.write(process.report.getReport().sharedObjects.join('\\n')));";
const withLibraries = (...args: readonly string[]): Promise<CliOutcome> =>
  runCli(args, {
    cwd: folder.path,
    environment: { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(tellLibraries)}` },
  });

it('a build without a state loads no LMDB and creates no state', async () => {
  for (const outcome of [await withLibraries('build', 'packages'), await withLibraries('build')]) {
    expect(outcome.exitCode).toBe(0);
    expect(outcome.stderr).toContain('libc');
    expect(outcome.stderr).not.toContain('lmdb');
  }
  expect(existsSync(folder.at('var/state'))).toBe(false);
  expect((await runCli(['token', 'create', '--description', 'CI'], { cwd: folder.path })).exitCode).toBe(0);
  expect((await withLibraries('build')).stderr).toContain('lmdb');
});
