// Tests where commands act: LIBRETTO_URL and --url name a remote registry, --data names a folder, and a token without
// an address is no local publication. Also tests unknown LIBRETTO_* variables.

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { runCli, startCli, type CliOutcome, type RunningCli } from '../util/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';
import { itInSeries } from '../util/series.ts';

let folder: TemporaryFolder;
let server: RunningCli;
let url: string;
let token: string;
beforeAll(async () => {
  folder = temporaryFolder('remote-address');
  mkdirSync(folder.at('hello'));
  writeFileSync(folder.at('hello/composer.json'), JSON.stringify({ name: 'acme/hello', version: '1.0.0' }));
  const created = await libretto([
    'token',
    'create',
    '--description',
    'CI',
    '--kind',
    'write',
    '--json',
    '--data',
    'there',
  ]);
  ({ token } = JSON.parse(created.stdout) as { token: string });
  server = startCli(['serve', '--listen', '127.0.0.1:0', '--data', 'there'], { cwd: folder.path });
  [url] = (await server.shows(/http:\/\/127\.0\.0\.1:\d+/)) as unknown as [string];
});
afterAll(async () => {
  server.signal('SIGTERM');
  await server.ended;
  await folder.remove();
});

const libretto = (args: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<CliOutcome> =>
  runCli(args, { cwd: folder.path, environment, heading: true });

describe('LIBRETTO_URL', () => {
  it('publishes to the registry that it names, and touches no data folder', async () => {
    const published = await libretto(['publish', 'hello'], { LIBRETTO_URL: url, LIBRETTO_TOKEN: token });
    expect([published.exitCode, published.stdout, published.stderr]).toEqual([
      0,
      expect.stringContaining(`Published acme/hello 1.0.0 on ${url}`),
      '',
    ]);
    const status = await libretto(['status', '--json'], { LIBRETTO_URL: `${url}/`, LIBRETTO_TOKEN: token });
    expect(JSON.parse(status.stdout)).toMatchObject({ counts: { packages: 1 } });
    expect(existsSync(folder.at('var'))).toBe(false);
  });

  it('is overridden by --url, and by --data', async () => {
    const environment = { LIBRETTO_URL: 'http://127.0.0.1:1', LIBRETTO_TOKEN: token };
    const there = await libretto(['repository', 'list', '--url', url, '--json'], environment);
    expect([there.exitCode, JSON.parse(there.stdout)]).toEqual([0, { repositories: [] }]);
    const here = await libretto(['publish', 'hello', '--data', 'here'], environment);
    expect([here.exitCode, here.stderr]).toEqual([0, `New data folder: ${folder.at('here')}`]);
  });

  it('overrides LIBRETTO_DATA', async () => {
    const environment = { LIBRETTO_URL: 'http://127.0.0.1:1', LIBRETTO_TOKEN: token, LIBRETTO_DATA: 'there' };
    const { exitCode, stderr } = await libretto(['status'], environment);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('http://127.0.0.1:1 cannot be reached')]);
  });

  itInSeries('is checked from outside by doctor', async () => {
    const { stdout } = await libretto(['doctor', '--data', 'there'], { LIBRETTO_URL: url });
    expect(stdout).toContain(url);
  });

  it.each([
    ['LIBRETTO_URL', 'packages.example.org'],
    ['LIBRETTO_URL', 'https://a..b'],
  ])('%s %s is refused by its name', async (name, value) => {
    const { exitCode, stderr } = await libretto(['status'], { [name]: value, LIBRETTO_TOKEN: token });
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringMatching(/^libretto: LIBRETTO_URL .*https:\/\/packages\.example\.org/),
    ]);
  });

  it('requires a token', async () => {
    const { exitCode, stderr } = await libretto(['status'], { LIBRETTO_URL: url });
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`The registry ${url} requires a token`)]);
  });
});

describe('a token without an address', () => {
  it.each([
    ['publish', 'hello'],
    ['status'],
    ['repository', 'list'],
    ['repository', 'show', 'repo_0000000000000000'],
    ['repository', 'sync', 'repo_0000000000000000'],
  ])('ends %s %s with exit code 2, and nothing is published here', async (...args) => {
    const command = args.filter(Boolean);
    const byVariable = await libretto(command, { LIBRETTO_TOKEN: token, LIBRETTO_DATA: 'nowhere' });
    const byFlag = await libretto([...command, '--token', token]);
    const message =
      'but no registry is named. Nothing was sent or changed. Name the address with LIBRETTO_URL or --url';
    expect([byVariable.exitCode, byVariable.stderr]).toEqual([
      2,
      expect.stringContaining(`LIBRETTO_TOKEN is set, ${message}`),
    ]);
    expect([byFlag.exitCode, byFlag.stderr]).toEqual([2, expect.stringContaining(`--token is given, ${message}`)]);
    expect([existsSync(folder.at('var')), existsSync(folder.at('nowhere'))]).toEqual([false, false]);
  });

  it('is no fault beside --data, nor for a command that is never remote', async () => {
    const environment = { LIBRETTO_TOKEN: token, LIBRETTO_URL: '' };
    expect((await libretto(['status', '--data', 'there'], environment)).exitCode).toBe(0);
    expect((await libretto(['history'], { ...environment, LIBRETTO_DATA: 'there' })).exitCode).toBe(0);
  });
});

describe('an empty variable, as a CI system sets it for a missing secret,', () => {
  it.each([
    [{ LIBRETTO_URL: '', LIBRETTO_TOKEN: '' }, [], 'LIBRETTO_URL and LIBRETTO_TOKEN are empty. Nothing was sent'],
    [{ LIBRETTO_URL: '' }, [], 'LIBRETTO_URL is empty. Nothing was sent'],
    [{ LIBRETTO_TOKEN: '' }, [], 'LIBRETTO_TOKEN is empty. Nothing was sent'],
    [{ LIBRETTO_TOKEN: '' }, ['--url', 'http://127.0.0.1:1'], 'LIBRETTO_TOKEN is empty. Nothing was sent'],
    [{}, ['--token', ''], '--token is empty. Nothing was sent'],
  ])('%j with %j ends publish with exit code 2, and nothing is published here', async (environment, flags, message) => {
    const { exitCode, stderr } = await libretto(['publish', 'hello', ...flags], environment);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(existsSync(folder.at('var'))).toBe(false);
  });

  it('is no fault beside --data', async () => {
    const empty = { LIBRETTO_URL: '', LIBRETTO_TOKEN: '' };
    expect((await libretto(['status', '--data', 'there'], empty)).exitCode).toBe(0);
  });
});

describe('unknown LIBRETTO_* variables', () => {
  it('are one line of warning, with the name that is meant, and no error', async () => {
    const environment = { LIBRETTO_DATA: 'there', LIBRETTO_JOB: '4', LIBRETTO_BUILD_NUMBER_OF_CI: '17' };
    const { exitCode, stderr } = await libretto(['token', 'list', '--json'], environment);
    expect([exitCode, stderr]).toEqual([
      0,
      'Warning: Libretto does not use LIBRETTO_BUILD_NUMBER_OF_CI, LIBRETTO_JOB (did you mean LIBRETTO_JOBS?). ' +
        'docs/reference/configuration.md lists every variable.',
    ]);
  });

  it.each([
    ['LIBRETTO_FOO', undefined],
    ['LIBRETTO_KEEP', undefined],
    ['LIBRETTO_IMAGE', undefined],
    ['LIBRETTO_DTAA', 'LIBRETTO_DATA'],
    ['LIBRETTO_ULR', 'LIBRETTO_URL'],
    ['LIBRETTO_METADATAURL', 'LIBRETTO_METADATA_URL'],
  ])('%s reads as a slip for %s', async (name, meant) => {
    const { stderr } = await libretto(['token', 'list', '--json'], { LIBRETTO_DATA: 'there', [name]: 'x' });
    const shown = meant === undefined ? name : `${name} (did you mean ${meant}?)`;
    expect(stderr).toContain(`Libretto does not use ${shown}. docs`);
  });

  it('are named before the refusal that a mistyped name causes', async () => {
    const { exitCode, stderr } = await libretto(['publish', 'hello'], { LIBRETTO_URI: url, LIBRETTO_TOKEN: token });
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringMatching(/LIBRETTO_URI \(did you mean LIBRETTO_URL\?\).*\n.*LIBRETTO_TOKEN is set/),
    ]);
  });
});
