// Tests the command line itself: help, version, and the messages about wrong arguments and settings (row 88).

import { readFileSync } from 'node:fs';
import { execa } from 'execa';
import { afterAll, describe, expect, it } from 'vitest';

import { otherVariables, settingNames, settings } from '../../cli/config/settings.ts';
import { runCli } from '../util/run-cli.ts';
import { parseCommandLine } from '../util/run-program.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { itInSeries } from '../util/series.ts';

const root = new URL('../..', import.meta.url).pathname;
const folder = temporaryFolder('arguments');
afterAll(() => folder.remove());

const run = (...args: readonly string[]) => runCli(args, { cwd: folder.path });

describe('help and version', () => {
  it('--version prints the version of package.json', async () => {
    const { version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { version: string };
    expect(await run('--version')).toEqual({ exitCode: 0, stdout: version, stderr: '' });
  });

  it.each([
    'build',
    'verify',
    'import',
    'import satis',
    'serve',
    'start',
    'token',
    'token create',
    'token list',
    'token show',
    'token update',
    'token revoke',
    'user',
    'user create',
    'user list',
    'user update',
    'user disable',
    'keys',
    'keys list',
    'keys rotate',
  ])('%s --help shows an example', async (command) => {
    const { exitCode, stdout, stderr } = await parseCommandLine([...command.split(' '), '--help']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toContain(`Usage: libretto ${command} `);
    expect(stdout).toMatch(new RegExp(`Examples?:\\n  libretto ${command} `));
  });

  it('--help begins with five commands, then lists those that people need in groups, on one screen; --all lists all', async () => {
    const { stdout } = await parseCommandLine(['--help']);
    const lines = stdout.split('\n');
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(lines.length).toBeLessThanOrEqual(60);
    const headings = lines.filter((line) => /^[A-Z][a-z ]+:$/.test(line));
    const groups = ['Start here:', 'Publish:', 'Serve:', 'Give access:', 'Inspect:', 'Maintain:'];
    expect(headings).toEqual([...groups, 'Options:']);
    const groupOf = (name: string): string | undefined =>
      lines
        .slice(
          0,
          lines.findIndex((line) => new RegExp(`^ {2}${name} {2}`).test(line)),
        )
        .findLast((line) => headings.includes(line));
    expect(['token create', 'package', 'init', 'token', 'why', 'backup'].map(groupOf)).toEqual(groups);
    const namesIn = (text: string) => [...text.matchAll(/^ {2}([a-z]+) /gm)].map(([, name = '']) => name);
    const hidden = /shows the rare ones too:\n(.*)$/m.exec(stdout)?.[1]?.split(' ') ?? [];
    const all = namesIn((await parseCommandLine(['--help', '--all'])).stdout);
    expect(all.filter((name) => !namesIn(stdout).includes(name)).toSorted()).toEqual(hidden.toSorted());
    expect(all).toEqual(expect.arrayContaining(['import', 'keys', 'receive', 'rollback']));
  });

  it('libretto without a command prints its usage', async () => {
    const { exitCode, stdout, stderr } = await run();
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain('Usage: libretto [options] [command]');
  });
});

describe('unusable arguments', () => {
  it.each([
    [['biuld'], "error: unknown command 'biuld'\n(Did you mean build?)\nRun `libretto --help` to see the commands."],
    [
      ['package', 'list', '--output', 's3://bucket'],
      "error: unknown option '--output'\n(name the object store in LIBRETTO_OUTPUT or in `output` of libretto.json; a folder with the packages is --data DIRECTORY)\nRun `libretto package list --help` to see its arguments.",
    ],
    [['build', '--forse'], "error: unknown option '--forse'\nRun `libretto build --help` to see its arguments."],
    [
      ['build', '--stricht'],
      "error: unknown option '--stricht'\n(Did you mean --strict?)\nRun `libretto build --help` to see its arguments.",
    ],
    [['purge'], "error: unknown command 'purge'\nRun `libretto --help` to see the commands."],
    [['package', 'purges'], "error: unknown command 'purges'\nRun `libretto package --help` to see the commands."],
    [['help', 'prunes'], "error: unknown command 'prunes'\nRun `libretto --help` to see the commands."],
    [['token', 'frobnicate'], "error: unknown command 'frobnicate'\nRun `libretto token --help` to see the commands."],
    [
      ['token', 'create'],
      "error: required option '--description <text>' not specified\nRun `libretto token create --help` to see its arguments.",
    ],
    [
      ['token', 'show'],
      "error: missing required argument 'id'\nRun `libretto token show --help` to see its arguments.",
    ],
    [
      ['verify', 'it'],
      "error: too many arguments for 'verify'. Expected 0 arguments but got 1.\nRun `libretto verify --help` to see its arguments.",
    ],
  ])('%j ends with the reason', async (args, stderr) => {
    expect(await parseCommandLine(args)).toEqual({ exitCode: 2, stdout: '', stderr });
  });

  it('end the compiled program with exit code 2', async () => {
    expect(await run('build', '--forse')).toEqual(await parseCommandLine(['build', '--forse']));
    expect((await run('build', '--help')).stdout).toBe((await parseCommandLine(['build', '--help'])).stdout);
  });
});

describe('an unusable configuration', () => {
  it('is reported with all faults at once, and the command does nothing', async () => {
    const outcome = await runCli(['token', 'create', '--description', 'x', '--json'], {
      cwd: folder.path,
      environment: { LIBRETTO_LISTEN: 'here', LIBRETTO_JOBS: '0' },
    });
    expect(outcome).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: [
        'libretto: The configuration cannot be used, 2 things are wrong:',
        '  LIBRETTO_LISTEN is "here"; allowed: HOST:PORT, [IPV6]:PORT, a port alone (0 to 65535), which means 127.0.0.1, or an address, localhost or a host name with a dot alone, which means port 8080.',
        '  LIBRETTO_JOBS is "0"; allowed: a whole number from 1 to 256.',
      ].join('\n'),
    });
  });

  itInSeries('shows the origin of an unexpected error only on request', async () => {
    const script = `rmdir "$PWD" && exec ${process.execPath} ${root}lib/cli/main.js token list`;
    const stderrOf = async (flag: string): Promise<string> => {
      await using gone = temporaryFolder('gone');
      return (await execa('sh', ['-c', `${script} ${flag}`], { cwd: gone.path, reject: false })).stderr;
    };
    expect(await stderrOf('')).toMatch(/^libretto: unexpected error: .* \(--debug or LIBRETTO_DEBUG=1 shows where\)$/);
    expect(await stderrOf('--debug')).toMatch(/\n +at .*cli\/main\.ts:\d+/);
  });
});

describe('docs/reference/configuration.md', () => {
  it('names every flag, variable and key', () => {
    const text = readFileSync(`${root}docs/reference/configuration.md`, 'utf8');
    for (const name of settingNames) {
      const { flag, variable, key } = settings[name];
      const row = text.split('\n').find((line) => line.startsWith('|') && line.includes(`| \`${key}\` |`));
      expect(row, key).toContain(variable ?? '| none |');
      if (flag !== undefined) expect(row).toContain(`\`${flag.split(' ')[0] ?? ''}\``);
    }
    for (const variable of Object.keys(otherVariables)) expect(text).toContain(variable);
  });
});
