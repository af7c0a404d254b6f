// Tests `libretto ci logout` with the shipped program: it ends the token of `libretto ci login`, takes it from
// Composer, keeps all other credentials, and never fails a job that has nothing to end.

import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';

import { startKeylessRegistry, type KeylessRegistry } from '../util/keyless-registry.ts';
import { libraryTree, writeTree } from '../util/package-tree.ts';
import { runCli, type CliOutcome } from '../util/run-cli.ts';
import { itInSeries } from '../util/series.ts';

type Environment = Readonly<Record<string, string>>;

let served: KeylessRegistry;
let host: string;
let home: string;
beforeAll(async () => {
  served = await startKeylessRegistry((folder) => {
    writeTree(folder.at('packages/lib'), libraryTree('acme/lib', { version: '1.0.0' }));
    return 'packages/lib';
  });
  host = new URL(served.url).host;
  const rules = ['--issuer', 'github', '--repository', 'acme/app', '--purpose', 'read', '--package', 'acme/*'];
  await served.json('publisher', 'add', ...rules);
});
afterAll(() => served[Symbol.asyncDispose]());
let folders = 0;
beforeEach(() => {
  folders += 1;
  home = served.folder.at(`home-${folders}`);
  mkdirSync(home);
});

const ci = (args: readonly string[], environment: Environment = {}): Promise<CliOutcome> =>
  runCli(['ci', ...args], { cwd: served.folder.path, environment: { LIBRETTO_URL: served.url, ...environment } });
const file = (): string => `${home}/auth.json`;
const auth = (): unknown => JSON.parse(readFileSync(file(), 'utf8'));
const statusOfLast = async (): Promise<unknown> => {
  const tokens = [...(await served.jobTokens())];
  return tokens.toSorted((one, other) => (String(one['created_at']) < String(other['created_at']) ? -1 : 1)).at(-1)?.[
    'status'
  ];
};

it('ends the token, and removes it from auth.json, where all other credentials stay', async () => {
  const others = { 'github-oauth': { 'github.com': 'b' } };
  writeFileSync(file(), JSON.stringify({ bearer: { 'other.example.org': 'a' }, ...others }));
  await ci(['login', '--composer-home', home], served.githubJob());
  expect(await statusOfLast()).toBe('active');
  const { exitCode, stdout, stderr } = await ci(['logout', '--composer-home', home]);
  expect([exitCode, stdout]).toEqual([0, '']);
  expect(stderr).toBe(`The token of this job has ended.\nRemoved it from ${file()}.`);
  expect(await statusOfLast()).toBe('revoked');
  expect(auth()).toEqual({ bearer: { 'other.example.org': 'a' }, ...others });
  expect(statSync(file()).mode & 0o777).toBe(0o600);

  writeFileSync(file(), '{}');
  await ci(['login'], { ...served.githubJob(), COMPOSER_HOME: home });
  await ci(['logout'], { COMPOSER_HOME: home });
  expect(auth()).toEqual({});
});

it('takes the token from COMPOSER_AUTH of the next steps', async () => {
  const nextSteps = `${home}/github-env`;
  const lines = (): string[] => readFileSync(nextSteps, 'utf8').trim().split('\n');
  await ci(['login'], { ...served.githubJob(), GITHUB_ENV: nextSteps, COMPOSER_AUTH: '{"http-basic":{}}' });
  const COMPOSER_AUTH = (lines()[0] ?? '').replace('COMPOSER_AUTH=', '');
  expect(COMPOSER_AUTH).toContain('lib_r_');
  const { exitCode, stdout, stderr } = await ci(['logout'], { GITHUB_ENV: nextSteps, COMPOSER_AUTH });
  expect([exitCode, stdout, stderr]).toEqual([0, '', expect.stringContaining('Removed it from COMPOSER_AUTH.')]);
  expect(lines().at(-1)).toBe('COMPOSER_AUTH={"http-basic":{}}');
  expect(await statusOfLast()).toBe('revoked');
  const again = await ci(['logout'], { COMPOSER_AUTH });
  expect([again.exitCode, again.stderr]).toEqual([0, 'The token in COMPOSER_AUTH had ended already.']);
});

it('succeeds where there is nothing to end, and says so', async () => {
  const nothing = `There is no token for ${host}, so none was ended.`;
  const foreign = { COMPOSER_AUTH: '{"bearer":{"other.example.org":"a"}}', COMPOSER_HOME: home };
  for (const environment of [{}, foreign, { COMPOSER_AUTH: '' }])
    expect(await ci(['logout'], environment)).toMatchObject({ exitCode: 0, stdout: '', stderr: nothing });
  expect(existsSync(file())).toBe(false);
  writeFileSync(file(), 'secret');
  const faulty = await ci(['logout'], { COMPOSER_HOME: home, COMPOSER_AUTH: '[1]' });
  expect(faulty.exitCode).toBe(0);
  expect(faulty.stderr).toContain('COMPOSER_AUTH is no JSON object, so its credentials cannot be read');
  expect(faulty.stderr).toContain('auth.json is no JSON object');
  expect([faulty.stderr.includes('secret'), readFileSync(file(), 'utf8')]).toEqual([false, 'secret']);
});

it('keeps a token of a person, and a token that it could not end', async () => {
  const { token } = await served.json('token', 'create', '--description', 'person');
  writeFileSync(file(), JSON.stringify({ bearer: { [host]: token } }));
  const stored = await ci(['logout'], { COMPOSER_HOME: home });
  expect([stored.exitCode, stored.stderr]).toEqual([0, expect.stringContaining('is not of `libretto ci login`')]);
  expect(auth()).toEqual({ bearer: { [host]: token } });
  expect(await served.json('token', 'list')).toMatchObject({
    tokens: expect.arrayContaining([
      expect.objectContaining({ description: 'person', status: 'active' }) as unknown,
    ]) as unknown,
  });
  const away = { bearer: { '127.0.0.1:1': 'lib_r_x' } };
  writeFileSync(file(), JSON.stringify(away));
  const unreachable = await ci(['logout', '--url', 'http://127.0.0.1:1'], { COMPOSER_HOME: home });
  expect([unreachable.exitCode, unreachable.stderr]).toEqual([
    0,
    expect.stringContaining('could not be ended, and stays there'),
  ]);
  expect(unreachable.stderr).not.toContain('lib_r_x');
  expect(auth()).toEqual(away);
});

it('needs the address of the registry', async () => {
  const { exitCode, stderr } = await runCli(['ci', 'logout'], { cwd: served.folder.path });
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('needs a registry')]);
});

itInSeries('a change of the publisher ends the tokens of its jobs, and says how many', async () => {
  const { publishers } = (await served.json('publisher', 'list')) as { publishers: { id: string }[] };
  const id = publishers[0]?.id ?? '';
  await served.json('publisher', 'update', id, '--stability', 'stable');
  await ci(['login', '--composer-home', home], served.githubJob());
  const renamed = await served.host('publisher', 'update', id, '--name', 'Renamed');
  expect([renamed.stdout.includes('Revoked'), await statusOfLast()]).toEqual([false, 'active']);
  const changed = await served.host('publisher', 'update', id, '--clear', 'stability');
  expect(changed.stdout).toMatch(/\nRevoked 1 token that it had given out\.$/);
  expect(await statusOfLast()).toBe('revoked');
});
