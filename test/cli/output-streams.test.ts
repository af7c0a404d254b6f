// Tests --quiet, --verbose, the one-letter options, and colours: in a pipe, with FORCE_COLOR and on a terminal.

import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createProgram } from '../../cli/program/program.ts';
import type { ProcessContext } from '../../cli/io/context.ts';
import { listCommands } from '../util/command-reference.ts';
import { below, libraryTree, temporaryTree, type TemporaryTree } from '../util/package-tree.ts';
import { binary, cleanEnvironment, runCli, type CliOutcome } from '../util/run-cli.ts';
import { itInSeries } from '../util/series.ts';

let tree: TemporaryTree;
beforeAll(() => {
  tree = temporaryTree({
    ...below('src', libraryTree('acme/hello', { version: '1.0.0' })),
    ...below('bad', libraryTree('acme/bad', { version: 'not a version' })),
  });
});
afterAll(() => tree.remove());

const run = (...args: readonly string[]): Promise<CliOutcome> => runCli(args, { cwd: tree.root });
const coloured = (environment: Record<string, string>, ...args: readonly string[]): Promise<CliOutcome> =>
  runCli(args, { cwd: tree.root, environment });
const escape = '\u001b';

it('every command knows -q and -v, and -d and -c as --data and --config', () => {
  const commands = listCommands(createProgram({} as ProcessContext, () => undefined)).filter(
    ({ command }) => command.commands.length === 0,
  );
  const shorts = { '--quiet': '-q', '--verbose': '-v', '--data': '-d', '--config': '-c' };
  for (const { path, command } of commands) {
    const known = command.options.filter(({ long }) => long !== undefined && long in shorts);
    expect({ path, known: Object.fromEntries(known.map(({ long, short }) => [long, short])) }).toEqual({
      path,
      // init writes a configuration file, and reads none
      known:
        path !== 'init' && command.options.some(({ long }) => long === '--data')
          ? shorts
          : expect.objectContaining({ '--quiet': '-q', '--verbose': '-v' }),
    });
  }
});

describe('--quiet', () => {
  it('silences what a command has changed, and remarks', async () => {
    expect(await run('build', './src', '-q', '-d', 'quiet')).toEqual({ exitCode: 0, stdout: '', stderr: '' });
    expect(await run('-q', 'token', 'list', '-d', 'quiet')).toEqual({ exitCode: 0, stdout: '', stderr: '' });
  });

  it('prints what was asked for, and nothing else', async () => {
    const created = await run('token', 'create', '--description', 'CI', '-qd', 'quiet');
    expect(created).toEqual({ exitCode: 0, stdout: expect.stringMatching(/^lib_r_\w+$/), stderr: '' });
    expect((await run('why', 'acme/hello', '-q', '-d', 'quiet')).stdout).toContain('1.0.0');
    expect(JSON.parse((await run('build', '-q', '--json', '-d', 'quiet')).stdout)).toMatchObject({ published: false });
  });

  it('prints problems and errors', async () => {
    const left = await run('build', './bad', '--quiet', '-d', 'quiet-bad');
    expect(left).toEqual({ exitCode: 1, stdout: '', stderr: expect.stringContaining('1 version left out') });
    const refused = await run('history', 'diff', 'nothing', '-q', '-d', 'quiet');
    expect(refused).toEqual({ exitCode: 2, stdout: '', stderr: expect.stringMatching(/^libretto: .*nothing/) });
  });

  it('contradicts --verbose', async () => {
    const { exitCode, stderr } = await run('-q', 'build', '-v');
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('--quiet and --verbose are both given')]);
  });
});

describe('--verbose', () => {
  it('names each source, why a build reads it or not, and the timings', async () => {
    const first = await run('build', './src', '-v', '-d', 'verbose');
    expect(first.stderr).toMatch(/^Read .*src \(1\/1\): read for the first time; packages: 1, versions: 1$/m);
    expect(first.stderr).toMatch(/^Compared and packed acme\/hello \(1\/1\)$/m);
    expect(first.stderr).toMatch(/^Timings: sources \d+\.\d\d s, packages .* total \d+\.\d\d s\.$/m);
    // a build remembers a file once it is two seconds old, so one of the next two builds reads nothing
    const unchanged = /^Read .*src \(1\/1\): unchanged since the last build$/m;
    let next = await run('build', '-v', '-d', 'verbose');
    if (!unchanged.test(next.stderr)) next = await run('build', '-v', '-d', 'verbose');
    expect(next.stderr).toMatch(unchanged);
    expect(next.stdout).toContain('Nothing has changed');
  });
});

describe('colours', () => {
  it('a pipe gets none', async () => {
    const outcomes = [await run('build', './src', '-d', 'plain'), await run('build', './nothing', '-d', 'plain')];
    expect(outcomes.flatMap(({ stdout, stderr }) => [stdout, stderr]).join('')).not.toContain(escape);
  });

  itInSeries(
    'FORCE_COLOR gives additions green, removals red and errors red; NO_COLOR and --json give none',
    async () => {
      const force = { FORCE_COLOR: '1' };
      expect((await coloured(force, 'build', './src', '-d', 'c')).stdout).toContain(
        `${escape}[32m  + acme/hello 1.0.0${escape}[39m`,
      );
      expect((await coloured(force, 'build', '--forget', './src', '-d', 'c')).stdout).toContain(
        `${escape}[31m  - acme/hello 1.0.0${escape}[39m`,
      );
      const wrong = ['history', 'diff', 'nothing', '-d', 'c'];
      expect((await coloured(force, ...wrong)).stderr).toMatch(/^\u001b\[31mlibretto: .*nothing.*\u001b\[39m$/s);
      expect((await coloured(force, ...wrong, '--json')).stderr).not.toContain(escape);
      expect((await coloured({ ...force, NO_COLOR: '1' }, ...wrong)).stderr).not.toContain(escape);
      expect((await coloured(force, 'build', '--help')).stdout).toContain(`${escape}[1mExamples:${escape}[22m`);
      expect((await coloured(force, 'build', '--oops')).stderr).toContain(`${escape}[31merror: unknown option`);
    },
  );

  it('a terminal gets them', async () => {
    const line = [process.execPath, binary, 'build', './src', '-d', 'terminal'].join(' ');
    const { stdout } = await execa('script', ['-qec', line, '/dev/null'], {
      cwd: tree.root,
      env: cleanEnvironment({ TERM: 'xterm' }),
      extendEnv: false,
      stdin: 'ignore',
    });
    expect(stdout).toContain(`${escape}[32m  + acme/hello 1.0.0${escape}[39m`);
  });
});
