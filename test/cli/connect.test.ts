// Tests `libretto connection` against fakes of forges, with real git over smart HTTP.

import { execa } from 'execa';
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addTools, allForges } from '../util/forges/all-forges.ts';
import type { FakeForge } from '../util/forges/fake-forge.ts';
import { startGitHub } from '../util/forges/fake-github.ts';
import { startGitHttpServer, type GitHttpServer } from '../util/git-http-server.ts';
import { createRepository } from '../util/git-repository.ts';
import { publishedVersions } from '../util/published-tree.ts';
import { binary, cleanEnvironment, runCli, type CliOutcome } from '../util/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';
import { firstOf, itInSeries } from '../util/series.ts';

type Json = Record<string, unknown>;

let folder: TemporaryFolder;
let git: GitHttpServer;
beforeEach(async () => {
  folder = temporaryFolder('connect');
  writeFileSync(folder.at('libretto.json'), JSON.stringify({ data: 'data', egress: { allow: ['127.0.0.0/8'] } }));
  writeFileSync(folder.at('token'), 'forge-token-5f0d3a\n');
  mkdirSync(folder.at('git'));
  git = await startGitHttpServer(folder.at('git'));
});
afterEach(async () => {
  await git.close();
  await folder.remove();
});

const run = (...args: readonly string[]): Promise<CliOutcome> => runCli(args, { cwd: folder.path });
const json = async (...args: readonly string[]): Promise<Json> =>
  JSON.parse((await run(...args, '--json')).stdout) as Json;
const connect = (forge: FakeForge, name: string, ...more: readonly string[]): Promise<CliOutcome> =>
  run('connection', 'add', name, '--forge-url', forge.url, '--owner', forge.owner, '--token-file', 'token', ...more);
const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

/** A private repository behind the forge, which git reads with this login only. */
function pushTool(forge: FakeForge, authorization: string, tag = '1.0.0'): void {
  const files = { 'composer.json': '{"name":"acme/tool-1"}' };
  const steps = [
    { commit: 'main', files },
    { tag, at: 'main' },
  ];
  mkdirSync(folder.at('git', forge.owner), { recursive: true });
  createRepository(folder.at('git', forge.owner, 'tool-1.git'), steps, { bare: true });
  forge.git = { url: git.url, authorization };
}

const gitUsers: Readonly<Record<string, string>> = {
  github: 'x-access-token',
  gitlab: 'oauth2',
  gitea: 'oauth2',
  bitbucket: 'x-token-auth',
};

describe.each(firstOf(allForges, 1))('libretto connection add %s', (name, start) => {
  it('registers repositories, and publishes private ones with the token', async () => {
    await using forge = await start();
    addTools(forge, 1);
    forge.repositories.push({ id: '9', name: 'website' });
    pushTool(forge, basic(gitUsers[name] ?? '', forge.token));
    const planned = await connect(forge, name, '--dry-run');
    expect([planned.exitCode, planned.stderr, planned.stdout]).toEqual([
      0,
      '',
      `Would register 1 repository; 1 is not registered.\n  + ${forge.owner}/tool-1 (acme/tool-1)\n` +
        `    ${forge.owner}/website: its default branch has no composer.json`,
    ]);
    expect(existsSync(folder.at('data'))).toBe(false);

    const connected = JSON.parse((await connect(forge, name, '--json')).stdout) as Json;
    expect(connected).toMatchObject({ dry_run: false, finished: true, message: null });
    const [{ repository } = { repository: '' }] = connected['steps'] as readonly { readonly repository: string }[];
    expect(await json('repository', 'sync', repository)).toMatchObject({ state: 'succeeded' });
    expect(Object.keys(publishedVersions(folder.at('data')))).toContain('acme/tool-1@1.0.0');

    expect(JSON.stringify(await json('connection', 'list'))).not.toContain(forge.token);
  });

  itInSeries('follows a rename', async () => {
    await using forge = await start();
    addTools(forge, 1);
    forge.repositories.push({ id: '9', name: 'website' });
    pushTool(forge, basic(gitUsers[name] ?? '', forge.token));
    const connected = JSON.parse((await connect(forge, name, '--json')).stdout) as Json;
    const { id } = connected['connection'] as { readonly id: string };
    const [{ repository } = { repository: '' }] = connected['steps'] as readonly { readonly repository: string }[];
    expect(await json('repository', 'sync', repository)).toMatchObject({ state: 'succeeded' });
    forge.repositories[0]!.name = 'renamed';
    renameSync(folder.at('git', forge.owner, 'tool-1.git'), folder.at('git', forge.owner, 'renamed.git'));
    const refreshed = await run('connection', 'refresh', id);
    expect(refreshed.stdout).toBe(
      `Registered 0 repositories.\n  ~ ${forge.owner}/renamed, ${forge.owner}/tool-1 before (${repository})`,
    );
    expect(await json('repository', 'sync', repository)).toMatchObject({
      state: 'succeeded',
      report: { counts: { withdrawn: 0 } },
    });
    expect(await json('connection', 'show', id)).toMatchObject({
      status: 'active',
      counts: { registered: 1, archived: 0, removed: 0, skipped: 1 },
      repositories: [{ path: `${forge.owner}/renamed`, state: 'registered', repository }, { state: 'skipped' }],
    });
  });
});

describe('libretto connection add', () => {
  itInSeries.each([['--token-stdin'], ['--token-file', '-']])(
    'reads the token from standard input with %s',
    async (...from) => {
      await using forge = await startGitHub();
      addTools(forge, 1);
      const piped = ['connection', 'add', 'github', '--forge-url', forge.url, '--owner', 'acme', ...from];
      const options = { cwd: folder.path, input: `${forge.token}\n`, alone: true };
      expect(await runCli([...piped, '--dry-run'], options)).toMatchObject({ exitCode: 0, stderr: '' });
      expect(await runCli(piped, options)).toMatchObject({ exitCode: 0 });
      const [{ id } = { id: '' }] = (await json('connection', 'list'))['connections'] as readonly {
        readonly id: string;
      }[];
      expect(await runCli(['connection', 'update', id, ...from], options)).toMatchObject({ exitCode: 0 });
      expect((await run('connection', 'refresh', id)).exitCode).toBe(0);
    },
  );

  itInSeries('reads the private key of a GitHub App from standard input', async () => {
    await using forge = await startGitHub();
    addTools(forge, 1);
    const { exitCode } = await runCli(
      ['connection', 'add', 'github', '--forge-url', forge.url, '--owner', 'acme', '--app', '12345', '--key-file', '-'],
      { cwd: folder.path, input: forge.app.privateKey, alone: true },
    );
    expect(exitCode).toBe(0);
  });

  itInSeries('takes a GitHub App, and renews the token of its installation before it ends', async () => {
    await using forge = await startGitHub();
    addTools(forge, 1);
    writeFileSync(folder.at('app.pem'), forge.app.privateKey);
    const byApp = [
      'connection',
      'add',
      'github',
      '--forge-url',
      forge.url,
      '--owner',
      'acme',
      '--app',
      '12345',
      '--key-file',
      'app.pem',
    ];
    const { id } = (await json(...byApp))['connection'] as { readonly id: string };
    const atFirst = forge.app.tokens.length;
    const [record] = (await json('repository', 'list'))['repositories'] as readonly { readonly id: string }[];
    pushTool(forge, basic('x-access-token', forge.app.tokens.at(-1) ?? ''));
    expect(await json('repository', 'sync', record?.id ?? '')).toMatchObject({ state: 'succeeded' });
    // the server, its syncs and commands share the token
    expect(forge.app.tokens).toHaveLength(atFirst);
    forge.app.lasts = 300; // less than the time before its end at which a token is renewed
    await run('connection', 'update', id, '--app', '12345', '--key-file', 'app.pem');
    await run('connection', 'refresh', id);
    const before = forge.app.tokens.length;
    await run('connection', 'refresh', id);
    expect(forge.app.tokens).toHaveLength(before + 1);
  });

  it('shows with refresh --dry-run what a refresh would register, and changes nothing', async () => {
    await using forge = await startGitHub();
    addTools(forge, 2);
    const connected = JSON.parse((await connect(forge, 'github', '--json')).stdout) as Json;
    const { id } = connected['connection'] as { readonly id: string };
    forge.repositories.push({ id: '77', name: 'later', composer: { name: 'acme/later' } });
    const stored = async (): Promise<unknown> => [
      await json('connection', 'show', id),
      await json('repository', 'list'),
    ];
    const before = await stored();
    const planned = await run('connection', 'refresh', id, '--dry-run');
    expect([planned.exitCode, planned.stderr]).toEqual([0, '']);
    expect(planned.stdout).toContain('Would register 1 repository');
    expect(planned.stdout).toContain('+ acme/later (acme/later)');
    expect(await stored()).toEqual(before);
  });

  itInSeries(
    'registers monorepos with --subdirectory, and reads them at their root after --no-subdirectory',
    async () => {
      await using forge = await startGitHub();
      const composer = { name: 'acme/mono' };
      forge.repositories.push({ id: '5', name: 'mono', composer, folders: { 'packages/a': { name: 'acme/a' } } });
      const wrong = await connect(forge, 'github', '--subdirectory', '../a');
      expect([wrong.exitCode, wrong.stderr]).toEqual([
        2,
        expect.stringContaining('--subdirectory: "../a" is no pattern'),
      ]);
      const [folders, given] = [
        ['packages/*', 'lib'],
        ['--subdirectory', 'packages/*', 'lib'],
      ];
      const connected = JSON.parse((await connect(forge, 'github', ...given, '--json')).stdout) as Json;
      const { id } = connected['connection'] as { readonly id: string };
      expect(connected).toMatchObject({ steps: [{ package: 'acme/a' }], connection: { subdirectories: folders } });
      const repositories = (): Promise<Json> => json('repository', 'list');
      expect(await repositories()).toMatchObject({ repositories: [{ subdirectories: folders }] });
      expect((await run('connection', 'show', id)).stdout).toMatch(/^subdirectories +packages\/\* lib$/m);
      expect(await json('connection', 'update', id, '--no-subdirectory')).toMatchObject({ subdirectories: null });
      expect((await run('connection', 'refresh', id)).exitCode).toBe(0);
      expect(await repositories()).toMatchObject({ repositories: [{ subdirectories: null }] });
    },
  );

  it.each(
    firstOf<[string, string, RegExp]>(
      [
        ['v1.0.0', 'nothing of a missing release', /^(?!.*has no release)/s],
        ['nightly', 'that no tag names a version', /acme\/tool-1 has no release, because no tag names a version/],
      ],
      1,
    ),
  )('registers repositories whose check says, with the tag %s, %s', async (tag, _, says) => {
    await using forge = await startGitHub();
    addTools(forge, 1);
    pushTool(forge, basic('x-access-token', forge.token), tag);
    await connect(forge, 'github');
    const [{ id } = { id: '' }] = (await json('repository', 'list'))['repositories'] as readonly {
      readonly id: string;
    }[];
    const { exitCode, stdout } = await run('repository', 'verify', id);
    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringContaining('can be read: 1 tag, 1 branch, default branch main.'),
    ]);
    expect(stdout).toMatch(says);
  });

  it('says what is wrong, and stores nothing', async () => {
    await using forge = await startGitHub();
    const refusal = async (...args: readonly string[]): Promise<string> => {
      const { exitCode, stderr } = await run('connection', 'add', ...args);
      expect(exitCode).toBe(2);
      return stderr;
    };
    const given = ['--forge-url', forge.url, '--token-file', 'token'];
    expect(await refusal('github', '--owner', 'nobody', ...given)).toContain('GitHub has no nobody');
    expect(await refusal('github', '--owner', 'acme/php', ...given)).toContain(
      'owner: is no name of an owner on GitHub',
    );
    expect(await refusal('svn', '--owner', 'acme', ...given)).toContain('Use one of: github, gitlab, gitea, bitbucket');
    expect(await refusal('github', '--owner', 'acme')).toContain('--token-stdin');
    expect(await refusal('gitea', '--owner', 'acme', '--token-file', 'token')).toContain('Gitea has no public address');
    expect(await refusal('gitlab', '--owner', 'acme', '--app', '1', '--key-file', 'token')).toContain(
      'an App is for GitHub',
    );
    writeFileSync(folder.at('token'), 'wrong\n');
    expect(await refusal('github', '--owner', 'acme', ...given)).toContain('did not accept the credentials');
    writeFileSync(folder.at('libretto.json'), JSON.stringify({ data: 'data' }));
    expect(await refusal('github', '--owner', 'acme', ...given)).toContain('egress.allow');
    expect(existsSync(folder.at('data'))).toBe(false);
  });

  itInSeries('shows on a terminal how many repositories were read', async () => {
    await using forge = await startGitHub();
    addTools(forge, 3);
    const given = ['--forge-url', forge.url, '--owner', forge.owner, '--token-file', 'token'];
    const line = ['stty cols 80;', process.execPath, binary, 'connection', 'add', 'github', ...given].join(' ');
    const { stdout } = await execa('script', ['-qec', line, '/dev/null'], {
      cwd: folder.path,
      env: cleanEnvironment({ TERM: 'xterm' }),
      extendEnv: false,
      stdin: 'ignore',
    });
    expect(stdout).toContain('Reading repositories');
    expect(stdout).toMatch(/Registered 3 repositories/);
  });

  it('connects an owner once, and forgets a connection only with --yes', async () => {
    await using forge = await startGitHub();
    addTools(forge, 2);
    await connect(forge, 'github');
    const [{ id } = { id: '' }] = (await json('connection', 'list'))['connections'] as readonly {
      readonly id: string;
    }[];
    const again = await connect(forge, 'github');
    expect([again.exitCode, again.stderr]).toEqual([
      2,
      `libretto: acme at ${forge.url} is connected already, as ${id}. ` +
        `\`libretto connection refresh ${id}\` goes on with it, and with --dry-run it only shows the plan.`,
    ]);
    const asked = await run('connection', 'remove', id);
    expect([asked.exitCode, asked.stderr]).toEqual([
      2,
      expect.stringContaining('2 repositories stay registered') as string,
    ]);
    expect((await run('connection', 'remove', id, '--yes')).exitCode).toBe(0);
    expect((await json('repository', 'list'))['repositories']).toHaveLength(2);
  });
});
