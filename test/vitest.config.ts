// Nearly all test files belong to one project, `all`. Its four processes run one file after the other: each process
// imports a module once, and Vite transforms it once. A folder chooses files: `vitest run --config
// test/vitest.config.ts test/http`.
//
// `faulty-disk` has the files that replace Node's functions for files, with a process for each: modules that other
// files imported before would keep the real functions.
//
// `http-public` runs test/http once more with node's public interface alone (proxy/core/http/node-path.ts): its core by
// default, all files where HTTP_PUBLIC is `all` (`npm run fault`).
//
// A series (`*.series.test.ts`, setup/where-tests-run.mjs) runs in `npm run fault` alone, or where the command names it.
//
// ONLY_UNIT=1 leaves the unit tests of one module alone: those that start no other program, make no whole build, and
// have no server of an upstream, an object store or a forge (`npm run test:unit`).
//
// LIBRETTO_COMPOSERS holds commands, separated by commas, such as `composer,php /opt/composer-2.10.phar`: each runs
// every scenario of test/e2e, as a project of its own. By default the installed `composer` does, in `all`.

import { readdirSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { FileOrder } from './setup/file-order.ts';
import { isSeries, testFiles } from './setup/where-tests-run.mjs';

const root = new URL('..', import.meta.url).pathname;

/** Imports of a unit test that start a program or a server, or make a build. */
const manyModules =
  /from '(?:node:child_process|execa|[./]+\/(?:build\/sources\/git\/run-git|util\/(?:git-[\w-]+|publish\w+-\w+|run-cli|build-series|running-mirror|opened-store|forges\/[\w-]+))\.ts)'/;

const quickUnitFiles = (): string[] =>
  readdirSync(`${root}test/unit`, { recursive: true, encoding: 'utf8' })
    .map((path) => `test/unit/${path}`)
    .filter((path) => path.endsWith('.test.ts') && !manyModules.test(readFileSync(`${root}${path}`, 'utf8')));

const replacesDisk = (path: string): boolean =>
  /(?:from|import) '[./]+\/util\/faulty-disk\.mjs'/.test(readFileSync(`${root}${path}`, 'utf8'));

const faultyDiskFiles = testFiles.filter(replacesDisk);

/** A run of chosen files names a series itself: `vitest run --config test/vitest.config.ts test/cli/pages.series`. */
const playsSeries = process.env['SERIES'] === 'all' || process.argv.some((argument) => argument.includes('.series'));
const seriesFiles = playsSeries ? [] : testFiles.filter(isSeries);

const clients = (process.env['LIBRETTO_COMPOSERS'] ?? '')
  .split(',')
  .map((client) => client.trim())
  .filter((client) => client !== '');
// The program would warn of a LIBRETTO_* variable that it does not know, with every command.
delete process.env['LIBRETTO_COMPOSERS'];

const e2eFiles = 'test/e2e/**/*.test.ts';

const settings = {
  // a limit against hanging; no test waits for it
  testTimeout: 180_000,
  hookTimeout: 180_000,
  isolate: false,
  // The first is against garbage collection: with the small heap of a new process, it takes a sixth of the processor
  // time. With the second, V8 optimizes functions later, since most run a few times only. That saves a tenth.
  execArgv: ['--initial-old-space-size=256', '--interrupt-budget=4000000'],
  // for two processors: most tests wait for other programs half of the time
  maxWorkers: 4,
  sequence: { groupOrder: 1 },
  expect: { poll: { timeout: 120_000, interval: 20 } },
  setupFiles: ['test/setup/each-file.ts'],
};

const all = {
  ...settings,
  name: 'all',
  include: process.env['ONLY_UNIT'] === '1' ? quickUnitFiles() : ['test/**/*.test.ts'],
  exclude: [...faultyDiskFiles, ...seriesFiles, ...(clients.length === 0 ? [] : [e2eFiles])],
};

const faultyDisk = { ...settings, name: 'faulty-disk', include: faultyDiskFiles, exclude: seriesFiles, isolate: true };

/** Its files need little time: one process runs them first, while lint keeps another processor busy. */
const publicPath = {
  ...settings,
  name: 'http-public',
  include:
    process.env['HTTP_PUBLIC'] === 'all'
      ? ['test/http/**/*.test.ts']
      : ['dist', 'conditional', 'head', 'drain'].map((name) => `test/http/${name}.test.ts`),
  env: { TEST_NODE_PATH: 'public' },
  ...(process.env['HTTP_PUBLIC'] === 'all' ? {} : { maxWorkers: 1, sequence: { groupOrder: 0 } }),
};

/** The tests of such a project learn the client's command from TEST_COMPOSER (util/composer.ts). */
const withClient = (client: string) => ({
  ...settings,
  name: `e2e ${client}`,
  include: [e2eFiles],
  exclude: seriesFiles,
  env: { TEST_COMPOSER: client },
});

export default defineConfig({
  root,
  test: {
    pool: 'forks',
    // transformed modules, in node_modules/
    experimental: { fsModuleCache: true },
    sequence: { sequencer: FileOrder },
    projects: [publicPath, all, faultyDisk, ...clients.map(withClient)].map((test) => ({ test })),
    passWithNoTests: false,
  },
});
