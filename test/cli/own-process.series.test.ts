// Tests that a command or a server in a process of its own has the same output and exit code as in a shared process.
// Most tests share processes (test/util/command-pool.ts). `npm run fault` gives a process of its own to every command.

import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { below, writeTree } from '../util/package-tree.ts';
import { logLines, runCli, startCli, type CliOutcome } from '../util/run-cli.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { whoLibrary } from '../util/who-library.ts';
import { firstOf, playsSeries } from '../util/series.ts';

const folder = temporaryFolder('own-process');
/** The outcome, without the times that the command took. */
async function run(args: readonly string[], alone: boolean): Promise<CliOutcome> {
  const { exitCode, stdout, stderr } = await runCli(args, {
    cwd: folder.path,
    alone,
    environment: { LIBRETTO_DATA: 'data' },
  });
  return { exitCode, stderr, stdout: stdout.replaceAll(/\d+\.\d s|(?<=": )\d+(?=,?\n)/g, '<number>') };
}

beforeAll(async () => {
  writeTree(folder.path, {
    ...below('packages/good', whoLibrary('acme/good', '1.0.0')),
    ...below('packages/bad', whoLibrary('acme/bad', '1.0.0', { require: { 'acme/good': '^^1' } })),
  });
  expect((await run(['build', 'packages'], true)).exitCode).toBe(1);
  expect((await run(['restore', '--empty', '--data', 'served'], false)).exitCode).toBe(0);
});
afterAll(() => folder.remove());

it.each<[exitCode: number, args: readonly string[]]>(
  firstOf(
    [
      [0, ['--version']],
      [0, ['verify', '--json']],
      [1, ['build', '--json']],
      [2, ['nonsense']],
      [2, ['token', 'show', 'tok_none']],
      [2, ['rollback', '99']],
      [2, ['serve', '--listen', '192.0.2.1:1']],
    ],
    3,
  ),
)('a command exits with %i in its own and in a shared process: %j', async (exitCode, args) => {
  const alone = await run(args, true);
  expect(alone.exitCode, alone.stderr).toBe(exitCode);
  expect(await run(args, false)).toEqual(alone);
});

it('a build during another build exits with 75 in its own and in a shared process', async () => {
  const owner = { id: 'x', pid: 1, host: 'elsewhere', boot: '', startTicks: '1', since: '2026-01-01T00:00:00.000Z' };
  writeFileSync(folder.at('data/build/lock'), JSON.stringify(owner));
  const alone = await run(['build'], true);
  expect(alone.exitCode, alone.stderr).toBe(75);
  expect(await run(['build'], false)).toEqual(alone);
});

const signals: readonly (readonly [exitCode: number, signal: NodeJS.Signals])[] = [
  [0, 'SIGTERM'],
  [0, 'SIGINT'],
  [-1, 'SIGKILL'],
];
it.each(firstOf(signals, 1))(
  'a server ends with %i after %s in its own and in a shared process, however often one was there',
  async (code, signal) => {
    const serve = async (alone: boolean) => {
      const server = startCli(['serve', '--data', 'served', '--listen', '127.0.0.1:0'], { cwd: folder.path, alone });
      const [url] = await server.shows(/http:\/\/127\.0\.0\.1:\d+/);
      const { status } = await fetch(`${url}/packages.json`);
      await server.shows(/Or run `libretto user create .* here\./);
      server.signal(signal);
      const { exitCode, stdout, stderr } = await server.ended;
      const log = signal === 'SIGKILL' ? [] : logLines(stdout).map(({ path, status: logged }) => [path, logged]);
      return { status, exitCode, log, stderr: stderr.replaceAll(/127\.0\.0\.1:\d+|set_\w+/g, '<new>') };
    };
    const alone = await serve(true);
    expect([alone.status, alone.exitCode]).toEqual([401, code]);
    for (let turn = 0; turn < (playsSeries ? 2 : 1); turn += 1) expect(await serve(false)).toEqual(alone);
  },
);
