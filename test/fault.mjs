// Runs `npm run fault`: each series (setup/where-tests-run.mjs), the long rounds of all random tests from a new seed, all
// other fault tests, all HTTP tests on both node paths, all command tests with a process each, and each page of the
// console and of the catalogue in every way. `http-public` in vitest.config.ts has the second node path. Arguments go to
// vitest. The first line has the seed; the same variables play a run again. A random round that fails becomes a fixed one
// of its file.

import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import process from 'node:process';
import './setup/plain-output.mjs';
import { runsInFault, testFiles } from './setup/where-tests-run.mjs';

const root = new URL('..', import.meta.url).pathname;
const seed = String(randomInt(1_000_000_000));
const series = {
  CRASH_SEED: seed,
  SERIES_SEED: seed,
  ENDINGS_SEED: seed,
  CRASH_KILLS: '200',
  CONNECTED: '3000',
  ENDINGS: '10000',
  PATH_RUNS: '1000000',
  URL_RUNS: '10000',
  SERIES_RUNS: '2000',
  STORE_RUNS: '100',
  EDIT_RUNS: '200',
  HIDDEN_RUNS: '100',
  FLIPS: '60',
  FRAME_RUNS: '5000',
  DAMAGED_PAGES: 'all',
  HTTP_PUBLIC: 'all',
  OWN_PROCESSES: '1',
  CONSOLE_WAYS: 'all',
  SSO_MATRIX: 'all',
  HOOK_REPOSITORIES: '200',
  FEED_KILLS: '40',
  NOTIFICATION_KILLS: '40',
  NOTIFIED_RUNS: '60',
  POLICY_RUNS: '600',
  CONSTRAINT_RUNS: '3000',
  SERIES: 'all',
};
const env = { ...series, ...process.env };

process.stdout.write(
  `${Object.keys(series)
    .map((name) => `${name}=${env[name]}`)
    .join(' ')}\n`,
);
const args = [
  'node_modules/vitest/vitest.mjs',
  'run',
  '--config',
  'test/vitest.config.ts',
  // a limit against hanging, for the long series beside other work
  '--testTimeout=1800000',
  ...testFiles.filter(runsInFault),
  ...process.argv.slice(2),
];
const { status, error } = spawnSync(process.execPath, args, { cwd: root, env, stdio: 'inherit' });
if (error !== undefined) throw error;
process.exitCode = status ?? 1;
