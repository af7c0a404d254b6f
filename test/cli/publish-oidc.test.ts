// Tests `libretto publish --oidc` and `libretto ci login` with the shipped program, a CI system that gives ID tokens,
// and the real Composer.

import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createProject } from '../util/composer.ts';
import { startKeylessRegistry, type KeylessRegistry } from '../util/keyless-registry.ts';
import { libraryTree, writeTree } from '../util/package-tree.ts';
import { pathWithoutLibretto, runCli, type CliOutcome } from '../util/run-cli.ts';
import { itInSeries } from '../util/series.ts';

type Environment = Readonly<Record<string, string>>;

let served: KeylessRegistry;
beforeAll(async () => {
  served = await startKeylessRegistry((folder) => {
    writeTree(folder.at('packages/lib'), libraryTree('acme/lib', { version: '1.0.0' }));
    return 'packages/lib';
  });
  const github = ['publisher', 'add', '--issuer', 'github', '--repository', 'acme/app'];
  await served.json(...github, '--workflow', 'release.yml', '--environment', 'release', '--package', 'acme/app');
  await served.json(...github, '--purpose', 'read', '--package', 'acme/*');
  const gitlab = ['publisher', 'add', '--issuer', 'gitlab', '--repository', 'acme/tools/lib'];
  await served.json(...gitlab, '--package', 'acme/tool');
  await served.json(...gitlab, '--purpose', 'read', '--package', 'acme/*');
});
afterAll(() => served[Symbol.asyncDispose]());

const job = (args: readonly string[], environment: Environment): Promise<CliOutcome> =>
  runCli(args, { cwd: served.folder.path, environment: { LIBRETTO_URL: served.url, ...environment } });
const write = (name: string, version: string, more: Record<string, string> = {}): string => {
  const path = `job/${name}-${version}`;
  writeTree(served.folder.at(path), { ...libraryTree(name, { version }), ...more });
  return path;
};
const publish = (path: string, environment: Environment, ...more: readonly string[]): Promise<CliOutcome> =>
  job(['publish', path, '--oidc', ...more], environment);
/** Every token of a CI job is over. */
async function expectEnded(count: number): Promise<void> {
  const tokens = (await served.jobTokens()).filter(({ kind }) => kind === 'write');
  expect(tokens.map(({ status }) => status)).toEqual(Array<string>(count).fill('revoked'));
}

describe('a job without a stored secret', () => {
  it('publishes, and ends its token', async () => {
    const published = await publish(write('acme/app', '1.2.0'), served.githubJob(), '--verbose');
    expect(published.exitCode, published.stderr).toBe(0);
    expect(published.stdout).toMatch(/^Published acme\/app 1\.2\.0 on http/);
    expect(published.stderr).toContain('DELETE');
    expect(published.stdout + published.stderr).not.toMatch(/lib_w_|eyJ|the-secret-of-the-runner/);
    await expectEnded(1);
    const reasons = await served.host('why', 'acme/app', '1.2.0');
    expect([reasons.exitCode, reasons.stdout]).toEqual([
      0,
      expect.stringMatching(/^published by +acme\/app, refs\/tags\/v1\.2\.0, commit \w+, \S+$/m),
    ]);
  });

  itInSeries('installs with Composer what the registry had, and what a job published', async () => {
    const nextSteps = served.folder.at('github-env');
    const logged = await job(['ci', 'login'], { ...served.githubJob(), GITHUB_ENV: nextSteps });
    expect(logged.exitCode, logged.stderr).toBe(0);
    const [, token = ''] = /^::add-mask::(lib_r_\w+)$/.exec(logged.stdout) ?? [];
    const auth = readFileSync(nextSteps, 'utf8')
      .replace(/^COMPOSER_AUTH=/, '')
      .trim();
    expect(JSON.parse(auth)).toEqual({ bearer: { [new URL(served.url).host]: token } });
    expect(logged.stderr).not.toContain(token);
    await using project = createProject({ url: served.url, environment: { COMPOSER_AUTH: auth } });
    for (const name of ['acme/lib', 'acme/app']) {
      const required = await project.run('require', name);
      expect(required.exitCode, required.output).toBe(0);
    }
  });

  it('ends its token also after a refused upload, and a dry run publishes nothing', async () => {
    const before = (await served.jobTokens()).filter(({ kind }) => kind === 'write').length;
    const foreign = await publish(write('acme/lib', '2.0.0'), served.githubJob());
    expect([foreign.exitCode, foreign.stderr]).toEqual([1, expect.stringContaining('acme/lib')]);
    const planned = await publish(write('acme/app', '1.3.0'), served.githubJob(), '--dry-run');
    expect([planned.exitCode, planned.stdout]).toEqual([0, expect.stringMatching(/^Would publish acme\/app 1\.3\.0/)]);
    await expectEnded(before + 2);
  });

  it('reads which claim did not match', async () => {
    const { exitCode, stderr } = await publish(
      write('acme/app', '1.4.0'),
      served.githubJob({ environment: 'staging' }),
    );
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('environment is "staging"; expected: ')]);
  });

  itInSeries('takes the ID token from LIBRETTO_ID_TOKEN, or from the agent of Buildkite', async () => {
    const path = write('acme/tool', '1.0.0');
    const variable = await publish(path, { GITLAB_CI: 'true', LIBRETTO_ID_TOKEN: await served.gitlabToken() });
    expect(variable.exitCode, variable.stderr).toBe(0);
    expect(variable.stderr).not.toContain('does not use');
    const agent = served.folder.at('agent/buildkite-agent');
    mkdirSync(dirname(agent), { recursive: true });
    const expected = `oidc request-token --audience ${served.url}`;
    writeFileSync(agent, `#!/bin/sh\n[ "$*" = "${expected}" ] && echo '${await served.gitlabToken()}'\n`);
    chmodSync(agent, 0o755);
    const environment = { BUILDKITE: 'true', PATH: `${dirname(agent)}${delimiter}${pathWithoutLibretto}` };
    expect((await publish(path, environment)).stdout).toContain('is already published');
    const without = await publish(path, { BUILDKITE: 'true' });
    expect([without.exitCode, without.stderr]).toEqual([1, expect.stringContaining('mount-buildkite-agent: true')]);
  });
});

describe('a job that cannot exchange', () => {
  it.each([
    ['GitHub without the permission', { GITHUB_ACTIONS: 'true' }, '`id-token: write`'],
    ['Forgejo', { GITHUB_ACTIONS: 'true', FORGEJO_ACTIONS: 'true' }, '`enable-openid-connect: true`'],
    ['GitLab', { GITLAB_CI: 'true' }, '`LIBRETTO_ID_TOKEN:` and `aud: http://127.0.0.1:'],
    ['Bitbucket', { BITBUCKET_BUILD_NUMBER: '1' }, '$BITBUCKET_STEP_OIDC_TOKEN'],
    ['CircleCI', { CIRCLECI: 'true' }, 'circleci run oidc get'],
    ['a computer of a person', {}, 'Run the command in a CI job'],
    ['an empty variable', { LIBRETTO_ID_TOKEN: '' }, 'LIBRETTO_ID_TOKEN is empty.'],
    ['a text that is no ID token', { LIBRETTO_ID_TOKEN: 'abc' }, 'LIBRETTO_ID_TOKEN has no ID token'],
  ])('reads what is missing: %s', async (_, environment, message) => {
    const { exitCode, stderr } = await publish(write('acme/app', '9.0.0'), environment);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  it.each([
    ['a token', ['--token', 'lib_w_x'], 'Use --oidc or --token, not both'],
    ['a data folder', ['--data', 'data'], '--oidc publishes to a remote registry.'],
  ])('refuses %s beside --oidc', async (_, args, message) => {
    const { exitCode, stderr } = await publish(write('acme/app', '9.0.0'), {}, ...args);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  it('asks for no ID token for the address of another registry', async () => {
    const other = served.url.replace('127.0.0.1', 'localhost');
    const { exitCode, stderr } = await publish(write('acme/app', '9.0.0'), served.githubJob(), '--url', other);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`says that its address is ${served.url}.`)]);
  });

  it('warns of a stored token that it does not use', async () => {
    const { stderr } = await publish(write('acme/app', '9.0.0'), { LIBRETTO_TOKEN: 'lib_w_stored' });
    expect(stderr).toContain('LIBRETTO_TOKEN is set, and --oidc does not use it.');
    expect(stderr).not.toContain('lib_w_stored');
  });
});

describe('libretto ci login', () => {
  const login = (environment: Environment, ...args: readonly string[]): Promise<CliOutcome> =>
    job(['ci', 'login', ...args], { ...served.githubJob(), ...environment });

  it('adds the token to auth.json, which only its user reads', async () => {
    const folder = served.folder.at('composer-home');
    mkdirSync(folder);
    const file = `${folder}/auth.json`;
    writeFileSync(file, '{"bearer": {"other.example.org": "a"}, "github-oauth": {"github.com": "b"}}');
    const { exitCode, stdout, stderr } = await login({ GITHUB_ENV: '/nonexistent' }, '--composer-home', folder);
    expect([exitCode, stdout]).toEqual([0, '']);
    expect(stderr).toContain(`Wrote ${file}.`);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      bearer: { 'other.example.org': 'a', [new URL(served.url).host]: expect.stringMatching(/^lib_r_/) as string },
      'github-oauth': { 'github.com': 'b' },
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await login({ COMPOSER_HOME: folder })).stderr).toContain(`Wrote ${file}.`);
    writeFileSync(file, 'secret');
    const refused = await login({}, '--composer-home', folder);
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('auth.json is no JSON object')]);
    expect(refused.stderr).not.toContain('secret');
  });

  it('prints a line for the shell, with a warning', async () => {
    const { stdout, stderr } = await login({ COMPOSER_AUTH: '{"http-basic": {}}' }, '--print');
    expect(stdout).toMatch(
      /^export COMPOSER_AUTH='\{"http-basic":\{\},"bearer":\{"127\.0\.0\.1:\d+":"lib_r_\w+"\}\}'$/,
    );
    expect(stderr).toContain('The log of a CI job would keep it');
  });

  it('uses up no ID token where Composer would not find the token', async () => {
    const before = (await served.jobTokens()).length;
    const nowhere = await login({});
    expect([nowhere.exitCode, nowhere.stderr]).toEqual([2, expect.stringContaining('Set COMPOSER_HOME')]);
    const faulty = await login({ COMPOSER_AUTH: 'x' }, '--print');
    expect([faulty.exitCode, faulty.stderr]).toEqual([2, expect.stringContaining('COMPOSER_AUTH is no JSON object')]);
    expect((await served.jobTokens()).length).toBe(before);
  });
});
