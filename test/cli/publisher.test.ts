// Tests `libretto publisher` with the shipped program, and `publisher explain` with an issuer on a real socket.

import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { startOidcIssuer, type OidcIssuer } from '../util/oidc-issuer.ts';
import { audience, githubClaims } from '../util/publisher-claims.ts';
import { runCli, type CliOutcome } from '../util/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';
import { describeInSeries, itInSeries, playsSeries } from '../util/series.ts';

type Json = Record<string, unknown>;

let folder: TemporaryFolder;
let github: OidcIssuer;
beforeAll(async () => {
  folder = temporaryFolder('cli-publisher');
  github = await startOidcIssuer('/_services/token');
  configure({ publicUrl: audience });
});
afterAll(async () => {
  await github[Symbol.asyncDispose]();
  await folder.remove();
});

const configure = (more: object): void =>
  writeFileSync(
    folder.at('libretto.json'),
    JSON.stringify({
      data: 'data',
      egress: { allow: ['127.0.0.0/8'] },
      oidcIssuers: [`github=${github.url}`, 'bitbucket=https://api.bitbucket.org/2.0/workspaces/w/oidc'],
      ...more,
    }),
  );
const publisher = (...args: readonly string[]): Promise<CliOutcome> =>
  runCli(['publisher', ...args], { cwd: folder.path });
const document = async (...args: readonly string[]): Promise<Json> => {
  const { stdout, stderr } = await publisher(...args, '--json');
  expect(stdout, stderr).not.toBe('');
  return JSON.parse(stdout) as Json;
};
const add = async (...args: readonly string[]): Promise<string> =>
  String((await document('add', '--issuer', 'github', '--repository', 'acme/app', ...args))['id']);
const explain = async (claims: object, ...args: readonly string[]): Promise<CliOutcome> =>
  runCli(['publisher', 'explain', '--token-file', '-', ...args], {
    cwd: folder.path,
    input: `${await github.sign(claims)}\n`,
    alone: true,
  });
const claims = (over: object = {}): object => githubClaims({ issuer: github.url, nowMs: Date.now() }, over);

it.each(['--workflow', '--environment', '--repository-id', '--owner-id'])(
  'refuses an empty %s, which an unset variable makes: it would be no rule',
  async (option) => {
    const refused = await publisher(
      'add',
      '--issuer',
      'github',
      '--repository',
      'acme/app',
      '--package',
      'a/b',
      option,
      '',
    );
    expect([refused.exitCode, refused.stdout, refused.stderr]).toEqual([2, '', expect.stringContaining('must be the')]);
  },
);

describe('libretto publisher', () => {
  it('adds a publisher with all its rules, and shows, lists, changes and removes it', async () => {
    const rules =
      '--repository acme/app --repository-id 1001 --owner-id 77 --workflow release.yml --workflow-claim caller ' +
      '--environment release --refs tags --claim runner_environment=github-hosted --package acme/* --minutes 10 ' +
      '--exchanges 5 --name Release';
    const made = await document('add', '--issuer', 'github', ...rules.split(' '));
    expect(made).toMatchObject({
      purpose: 'publish',
      repository_id: '1001',
      owner_id: '77',
      workflow_claim: 'caller',
      environment: 'release',
      refs: 'tags',
      claims: { runner_environment: 'github-hosted' },
      packages: ['acme/*'],
      token_minutes: 10,
      exchanges_per_hour: 5,
      ids: 'given',
    });
    const id = String(made['id']);
    const shown = await publisher('show', id);
    expect(shown.stdout).toMatch(/^ids +repository 1001, owner 77$/m);
    expect(shown.stdout).toMatch(/^workflow +release\.yml \(the file that was started\)$/m);
    expect(
      await document('update', id, '--clear', 'environment', '--clear', 'ids', '--workflow', 'a.yml'),
    ).toMatchObject({
      environment: null,
      ids: 'unknown',
      workflow: 'a.yml',
      refs: 'tags',
    });
    expect((await publisher('list')).stdout).toContain('Release');
    const kept = await publisher('remove', id);
    expect([kept.exitCode, kept.stderr]).toEqual([2, expect.stringContaining('add --yes.')]);
    expect((await publisher('remove', id, '--yes')).stdout).toBe(
      `Removed the publisher ${id} (Release). Its tokens are revoked.`,
    );
    expect(await publisher('list')).toMatchObject({
      stdout: '',
      stderr: 'There is no trusted publisher. `libretto publisher add --help` shows how to add one.',
    });
    expect((await publisher('show', id)).stderr).toContain('`libretto publisher list` shows all of them.');
  });

  itInSeries('adds a publisher that reads with a view, and says that the ids are not known yet', async () => {
    const rules = '--issuer github --repository acme/app --purpose read --package acme/*:^1 --stability beta';
    const { stdout, stderr } = await publisher('add', ...rules.split(' '));
    expect(stdout).toMatch(/^versions +acme\/\*: \^1$/m);
    expect(stdout).toMatch(/^token lives +60 minutes$/m);
    expect(stderr).toContain('The first exchange pins the ids of the repository.');
    await publisher('remove', /pub_\w+/.exec(stdout)![0], '--yes');
  });

  it.each([
    [['--issuer', 'github', '--package', 'acme/app'], '--repository: must name the repository of the jobs'],
    [['--issuer', 'github', '--repository', 'acme/app'], '--package: must name the packages to publish'],
    [['--issuer', 'circleci', '--package', 'a/b'], '--issuer: is not accepted here; accepted: '],
    [['--issuer', 'bitbucket', '--package', 'a/b', '--refs', 'any'], '--repository-id: is required for Bitbucket'],
    [
      ['--issuer', 'github', '--repository', 'a/b', '--package', 'a/b', '--claim', 'sub=x'],
      '--claim sub: is no identity',
    ],
    [['--issuer', 'github', '--claim', 'x'], '--claim is "x". Write NAME=VALUE'],
    [
      ['--issuer', 'github', '--repository', 'a/b', '--package', 'a/b', '--claim', '__proto__=x'],
      '--claim __proto__: is no name of a claim',
    ],
    [
      ['--issuer', 'bitbucket', '--repository', 'a/b', '--package', 'a/b'],
      '--repository: is not in the tokens of Bitbucket Pipelines: give the id of the repository',
    ],
    [
      ['--issuer', 'bitbucket', '--repository-id', '{u}', '--package', 'a/b', '--workflow', 'a.yml'],
      '--workflow: is not in the tokens of Bitbucket Pipelines: leave it out, or write a rule for a claim',
    ],
    [['--issuer', 'github', '--refs', 'main'], '--refs is "main"; allowed: tags, protected, tags-or-protected, any.'],
    [['--issuer', 'github', '--minutes', 'ten'], '--minutes is "ten". Write a whole number'],
    [
      ['--issuer', 'github', '--repository', 'a/b', '--package', 'a/b', '--minutes', '16'],
      '--minutes: may be at most 15',
    ],
  ])('refuses %j, and names the option', async (args, message) => {
    const { exitCode, stderr } = await publisher('add', ...args);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  it('says how many tokens a change revoked, and names the repository of CircleCI in its help', async () => {
    const id = await add('--package', 'acme/app');
    expect(await document('update', id, '--refs', 'any')).toMatchObject({ refs: 'any', revoked_tokens: 0 });
    await publisher('remove', id, '--yes');
    expect((await publisher('add', '--help')).stdout.replaceAll(/\s+/g, ' ')).toContain(
      'at CircleCI github.com/acme/tool',
    );
    expect((await publisher('update', '--help')).stdout).toContain('are revoked');
  });

  it('names its options for the ids of another repository', async () => {
    const id = await add('--package', 'acme/app', '--repository-id', '1001');
    const { exitCode, stderr } = await publisher('update', id, '--repository', 'acme/other');
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('or remove them to learn them anew')]);
    await publisher('remove', id, '--yes');
  });

  it('refuses a change of nothing, and a rule that is set and cleared', async () => {
    expect((await publisher('update', 'pub_4fHj2kLm9QwErTy0')).stderr).toContain('Nothing to change was given.');
    expect(
      (await publisher('update', 'pub_4fHj2kLm9QwErTy0', '--workflow', 'a', '--clear', 'workflow')).stderr,
    ).toContain('--clear removes what another option sets (workflow)');
  });
});

describeInSeries('libretto publisher explain', () => {
  it('says what an ID token gets, also twice, and which claims do not match', async () => {
    const release = await add('--package', 'acme/app', '--workflow', 'release.yml', '--environment', 'release');
    const staging = await add('--package', 'acme/app', '--environment', 'staging', '--name', 'Staging');
    for (let turn = 0; turn < (playsSeries ? 2 : 1); turn += 1) {
      const { exitCode, stdout } = await explain(claims());
      expect(exitCode).toBe(0);
      expect(stdout).toMatch(/^job +acme\/app, refs\/tags\/v1\.2\.0, http/m);
      expect(stdout).toContain(`${release} (acme/app, publish) gives a write token for 15 minutes:`);
      expect(stdout).toContain(`${staging} (Staging, publish) does not accept the job.`);
      expect(stdout).toContain('  environment: expected staging, found "release"');
    }
    const foreign = await explain(claims({ repository: 'evil/app' }));
    expect([foreign.exitCode, foreign.stdout]).toEqual([
      1,
      expect.stringContaining('The job is of another repository.'),
    ]);
    const expired = await explain(claims({ exp: Math.floor(Date.now() / 1000) - 3600 }), '--json');
    expect(expired.exitCode).toBe(1);
    expect(JSON.parse(expired.stdout)).toMatchObject({
      verified: false,
      problem: expect.stringContaining('exp') as string,
      publishers: [{ id: release, accepts: true, token: null }, { id: staging }],
    });
  });

  it('and show know the id that another publisher of the repository pinned', async () => {
    const more = ['--package', 'acme/pinned', '--repository', 'acme/pinned'];
    await add(...more, '--repository-id', '51');
    const reader = await add(...more, '--purpose', 'read');
    const { exitCode, stdout } = await explain(claims({ repository: 'acme/pinned', repository_id: '52' }));
    expect([exitCode, stdout]).toEqual([1, expect.stringContaining('repository_id: expected 51, found "52"')]);
    expect(stdout).not.toContain('gives a');
    expect((await publisher('show', reader)).stdout).toMatch(/^ids +repository 51 \(pinned by another publisher of/m);
  });

  it('needs the address of the registry, and a readable file', async () => {
    const nowhere = await publisher('explain', '--token-file', 'nowhere.txt');
    expect([nowhere.exitCode, nowhere.stderr]).toEqual([2, expect.stringContaining('nowhere.txt cannot be read')]);
    configure({});
    const { exitCode, stderr } = await explain(claims());
    configure({ publicUrl: audience });
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('Set publicUrl in libretto.json')]);
  });
});
