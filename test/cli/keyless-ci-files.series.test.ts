// Runs the steps of docs/ci/ as a CI system does: the composite actions of GitHub and the component of GitLab, against
// the compiled service, with the real curl, git and Composer.

import { parseYaml } from '@redocly/openapi-core';
import { execa } from 'execa';
import { mkdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { composerEnvironment, createProject } from '../util/composer.ts';
import { startKeylessRegistry, type KeylessRegistry } from '../util/keyless-registry.ts';
import { libraryTree, writeTree } from '../util/package-tree.ts';

const root = new URL('../../docs/ci/', import.meta.url).pathname;
const yaml = (path: string): string => readFileSync(`${root}${path}`, 'utf8');
const git = ['-c', 'user.name=A', '-c', 'user.email=a@example.org'];

type Json = Readonly<Record<string, unknown>>;
type Variables = Readonly<Record<string, string>>;
interface Outcome {
  readonly exitCode: number | undefined;
  readonly all: string;
}

let served: KeylessRegistry;
beforeAll(async () => {
  served = await startKeylessRegistry((folder) => {
    writeTree(folder.at('packages/lib'), libraryTree('acme/lib', { version: '1.0.0' }));
    return 'packages/lib';
  });
  for (const forge of [
    ['--issuer', 'github', '--repository', 'acme/app'],
    ['--issuer', 'gitlab', '--repository', 'acme/tools/lib'],
  ]) {
    await served.json('publisher', 'add', ...forge, '--package', 'acme/app');
    await served.json('publisher', 'add', ...forge, '--purpose', 'read', '--package', 'acme/*');
  }
  const checkout = served.folder.at('checkout');
  writeTree(checkout, libraryTree('acme/app', {}));
  await execa('git', ['init', '--quiet'], { cwd: checkout });
  await execa('git', ['add', '.'], { cwd: checkout });
  await execa('git', [...git, 'commit', '--quiet', '--message', 'all'], { cwd: checkout });
});
afterAll(() => served[Symbol.asyncDispose]());

async function shell(lines: string, cwd: string, variables: Variables): Promise<Outcome> {
  const env = { ...composerEnvironment(served.folder.at('home')), ...variables };
  const { exitCode, all } = await execa('sh', ['-e', '-c', lines], {
    cwd,
    env,
    extendEnv: false,
    reject: false,
    all: true,
    stdin: 'ignore',
    timeout: 60_000,
  });
  return { exitCode, all };
}

interface Action {
  readonly runs: { readonly steps: readonly { readonly run: string; readonly env: Variables }[] };
}

/** `inputs`: the values of the expressions in the variables of the step. */
function runAction(path: string, inputs: Variables, variables: Variables): Promise<Outcome> {
  const [step] = (parseYaml(yaml(path)) as Action).runs.steps;
  const own = Object.entries(step!.env).map(([name, text]) => {
    const [, input = ''] = /^\$\{\{ inputs\.(\w+) \}\}$/.exec(text) ?? [];
    return [name, inputs[input] ?? ''] as const;
  });
  const runner = { RUNNER_TEMP: served.folder.at('temp'), GITHUB_ENV: served.folder.at('github-env') };
  mkdirSync(runner.RUNNER_TEMP, { recursive: true });
  return shell(step!.run, served.folder.at('checkout'), { ...runner, ...variables, ...Object.fromEntries(own) });
}

interface GitLabJob {
  readonly before_script?: readonly string[];
  readonly script?: readonly string[];
}

async function runComponent(
  job: string,
  more: readonly string[],
  variables: Variables,
  url = served.url,
): Promise<Outcome> {
  const inputs: Variables = { url, package: 'acme/app', image: 'none' };
  const [, jobs = ''] = yaml('gitlab/templates/libretto.yml').split(/^---$/m);
  const filled = jobs.replaceAll(/\$\[\[ inputs\.(\w+) \]\]/g, (_, name: string) => inputs[name] ?? '');
  const { before_script: before = [], script = [] } = (parseYaml(filled) as Record<string, GitLabJob>)[job]!;
  const given = { GITLAB_CI: 'true', LIBRETTO_ID_TOKEN: await served.gitlabToken(), ...variables };
  return shell([...before, ...script, ...more].join('\n'), served.folder.at('checkout'), given);
}

const ended = async (): Promise<readonly unknown[]> =>
  (await served.jobTokens()).filter(({ kind }) => kind === 'write').map(({ status }) => status);

const readers = async (): Promise<readonly unknown[]> =>
  (await served.jobTokens()).filter(({ kind }) => kind === 'read').map(({ status }) => status);

describe('the actions for GitHub', () => {
  it('let Composer of the next steps read, with a masked token', async () => {
    const { exitCode, all } = await runAction('github/login/action.yml', { url: served.url }, served.githubJob());
    expect(exitCode, all).toBe(0);
    const [, token = ''] = /^::add-mask::(lib_r_\w+)$/m.exec(all) ?? [];
    expect(all.replace(`::add-mask::${token}`, '').trim()).toBe('');
    const auth = readFileSync(served.folder.at('github-env'), 'utf8').replace('COMPOSER_AUTH=', '').trim();
    await using project = createProject({ url: served.url, environment: { COMPOSER_AUTH: auth } });
    const required = await project.run('require', 'acme/lib');
    expect(required.exitCode, required.output).toBe(0);
  });

  it('end the token as the last step, and take it from Composer', async () => {
    const auth = readFileSync(served.folder.at('github-env'), 'utf8').replace('COMPOSER_AUTH=', '').trim();
    const logout = (url: string, COMPOSER_AUTH: string): Promise<Outcome> =>
      runAction('github/logout/action.yml', { url }, { COMPOSER_AUTH });
    const other = auth.replace(new URL(served.url).host, 'other.example.org');
    const nested = JSON.stringify({ 'http-basic': { [new URL(served.url).host]: { password: 'lib_r_x' } } });
    for (const kept of ['', '{}', other, 'x', nested])
      expect(await logout(served.url, kept)).toEqual({ exitCode: 0, all: 'There is no token of this job to end.' });
    expect(await readers()).toEqual(['active']);
    const ended = await logout(`${served.url}/`, auth);
    expect([ended.exitCode, ended.all]).toEqual([0, 'The token of this job has ended.']);
    expect(await readers()).toEqual(['revoked']);
    const left = readFileSync(served.folder.at('github-env'), 'utf8').trim().split('\n').at(-1);
    expect(left).toBe('COMPOSER_AUTH={}');
    await using project = createProject({ url: served.url, environment: { COMPOSER_AUTH: '{}' } });
    const refused = await project.run('require', 'acme/lib');
    expect([refused.exitCode === 0, refused.output]).toEqual([false, expect.stringContaining('401')]);
    expect(await logout(served.url, auth)).toEqual({ exitCode: 0, all: 'The token of this job had ended already.' });
    const unreachable = auth.replace(new URL(served.url).host, '127.0.0.1:1');
    const warned = await logout('http://127.0.0.1:1', unreachable);
    expect([warned.exitCode, warned.all]).toEqual([0, expect.stringContaining('::warning::')]);
  });

  const basic = { 'http-basic': { 'b.example.org': { username: 'a', password: 'b' } } };
  it.each([
    ['before it', (own: Json) => ({ bearer: { 'o.example': 'zz', ...own } }), { bearer: { 'o.example': 'zz' } }],
    ['after it', (own: Json) => ({ bearer: { ...own, 'o.example': 'zz' } }), { bearer: { 'o.example': 'zz' } }],
    ['of other kinds', (own: Json) => ({ ...basic, bearer: own }), basic],
    ['of other kinds behind', (own: Json) => ({ bearer: own, ...basic }), basic],
  ])('end their own token and keep other credentials, %s', async (_place, withOwn, left) => {
    await runAction('github/login/action.yml', { url: served.url }, served.githubJob());
    const lines = (): string[] => readFileSync(served.folder.at('github-env'), 'utf8').trim().split('\n');
    const { bearer } = JSON.parse((lines().at(-1) ?? '').replace('COMPOSER_AUTH=', '')) as { bearer: Json };
    const COMPOSER_AUTH = JSON.stringify(withOwn(bearer), null, left === basic ? 2 : 0);
    const { exitCode, all } = await runAction('github/logout/action.yml', { url: served.url }, { COMPOSER_AUTH });
    expect([exitCode, all]).toEqual([0, 'The token of this job has ended.']);
    expect(new Set(await readers())).toEqual(new Set(['revoked']));
    expect(JSON.parse((lines().at(-1) ?? '').replace('COMPOSER_AUTH=', ''))).toEqual(left);
  });

  it('do not end a stored token, and keep it', async () => {
    const { token } = await served.json('token', 'create', '--description', 'person');
    const COMPOSER_AUTH = JSON.stringify({ bearer: { [new URL(served.url).host]: token } });
    const before = readFileSync(served.folder.at('github-env'), 'utf8');
    const { exitCode, all } = await runAction('github/logout/action.yml', { url: served.url }, { COMPOSER_AUTH });
    expect([exitCode, all]).toEqual([0, expect.stringContaining('is not of the action login')]);
    expect(readFileSync(served.folder.at('github-env'), 'utf8')).toBe(before);
  });

  it('publish the commit, and end the token', async () => {
    const inputs = { url: `${served.url}/`, package: 'acme/app', version: 'v1.2.0' };
    const { exitCode, all } = await runAction('github/publish/action.yml', inputs, served.githubJob());
    expect(exitCode, all).toBe(0);
    expect(all).toContain('"version":"v1.2.0"');
    expect(await ended()).toEqual(['revoked']);
  });

  it('end the token after a refusal, and print the reason', async () => {
    const inputs = { url: served.url, package: 'acme/lib', version: 'v1.2.0' };
    const { exitCode, all } = await runAction('github/publish/action.yml', inputs, served.githubJob());
    expect([exitCode, all]).toEqual([22, expect.stringContaining('"code":"')]);
    expect(await ended()).toEqual(['revoked', 'revoked']);
  });

  it.each(['login', 'publish'])('print why nothing is exchanged: %s', async (name) => {
    const inputs = { url: served.url, package: 'acme/app', version: 'v1.2.0' };
    const path = `github/${name}/action.yml`;
    expect(await runAction(path, inputs, {})).toMatchObject({
      exitCode: 1,
      all: expect.stringContaining('::error::This job may not ask for an ID token. Add the permission') as string,
    });
    const foreign = await runAction(path, inputs, served.githubJob({ repository: 'evil/app', repository_id: '9' }));
    expect([foreign.exitCode, foreign.all]).toEqual([1, expect.stringContaining('PUBLISHER_MISMATCH')]);
    const plain = await runAction(path, { ...inputs, url: 'http://packages.example.org' }, served.githubJob());
    expect([plain.exitCode, plain.all]).toEqual([1, expect.stringContaining('must begin with https://')]);
  });
});

describe('the component for GitLab', () => {
  it('lets Composer read in the same job', async () => {
    await using project = createProject({ url: served.url });
    const outcome = await runComponent('.libretto-login', [`cd '${project.path}'`, 'composer require acme/lib'], {});
    expect(outcome.exitCode, outcome.all).toBe(0);
    expect(project.locked()).toHaveProperty('acme/lib');
    expect(outcome.all).not.toContain('lib_r_');
    expect(outcome.all).toContain('The token of this job has ended.');
    expect(new Set(await readers())).toEqual(new Set(['revoked']));
  });

  it.each(['{}', '[]', '{"bearer":{"o.example":"zz"},"http-basic":{}}'])(
    'keeps other credentials: %s',
    async (given) => {
      const { all } = await runComponent('.libretto-login', ['echo "$COMPOSER_AUTH"'], { COMPOSER_AUTH: given });
      const [, shown = ''] = /^(\{.*\})$/m.exec(all) ?? [];
      const { bearer, ...others } = JSON.parse(shown) as { bearer: Json };
      const kept = given.includes('zz') ? { 'o.example': 'zz' } : {};
      expect(bearer).toEqual({ [new URL(served.url).host]: expect.stringMatching(/^lib_r_/) as string, ...kept });
      expect(Object.keys(others)).toEqual(given.includes('zz') ? ['http-basic'] : []);
      expect(new Set(await readers())).toEqual(new Set(['revoked']));
    },
  );

  it.each([
    ['.libretto-login', '/', 'The input url ends with a slash.'],
    ['libretto-publish', '/', 'The input url ends with a slash.'],
  ])('%s refuses an address that ends with %s', async (job, end, words) => {
    const variables = { CI_COMMIT_TAG: 'v2.0.0' };
    const slash = await runComponent(job, [], variables, `${served.url}${end}`);
    expect([slash.exitCode, slash.all]).toEqual([1, expect.stringContaining(words)]);
    const plain = await runComponent(job, [], variables, 'http://packages.example.org');
    expect([plain.exitCode, plain.all]).toEqual([1, expect.stringContaining('must begin with https://')]);
  });

  it('ends the token that reads also after a failure, which stays the result of the job', async () => {
    const outcome = await runComponent('.libretto-login', ['composer --version', 'exit 7'], {});
    expect(outcome.exitCode).toBe(7);
    expect(new Set(await readers())).toEqual(new Set(['revoked']));
  });

  it('publishes the tag, and ends the token', async () => {
    const { exitCode, all } = await runComponent('libretto-publish', [], { CI_COMMIT_TAG: 'v2.0.0' });
    expect(exitCode, all).toBe(0);
    expect(all).toContain('"version":"v2.0.0"');
    expect(new Set(await ended())).toEqual(new Set(['revoked']));
    const used = await runComponent('libretto-publish', [], { LIBRETTO_ID_TOKEN: 'a.b.c' });
    expect([used.exitCode, used.all]).toEqual([1, expect.stringContaining('ID_TOKEN_INVALID')]);
  });
});
