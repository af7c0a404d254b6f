// Tests that `libretto config export` and `import` carry the trusted publishers of a registry: whole, since they have
// no secret, and completely or not at all.

import { readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { runCli, type CliOutcome } from '../util/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';

type Json = Record<string, unknown>;

const github = 'https://token.actions.githubusercontent.com';

let folder: TemporaryFolder;
beforeEach(() => {
  folder = temporaryFolder('cli-config-publishers');
});
afterEach(() => folder.remove());

const run = (data: string, ...args: readonly string[]): Promise<CliOutcome> =>
  runCli([...args, '--data', data], { cwd: folder.path });
const json = async (data: string, ...args: readonly string[]): Promise<Json> => {
  const { stdout, stderr } = await run(data, ...args, '--json');
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as Json;
};
const add = (data: string, rules: string): Promise<Json> =>
  json(data, 'publisher', 'add', '--issuer', 'github', ...rules.split(' '));
const writeFile = (publishers: readonly Json[]): void =>
  writeFileSync(folder.at('set-up.json'), JSON.stringify({ format: 1, publishers }));
const stored = async (data: string): Promise<readonly Json[]> =>
  (await json(data, 'publisher', 'list'))['publishers'] as readonly Json[];
const importing = (data: string, ...more: readonly string[]): Promise<CliOutcome> =>
  run(data, 'config', 'import', 'set-up.json', ...more);

const release = {
  name: 'Release',
  issuer: github,
  kind: 'github',
  purpose: 'publish',
  repository: 'acme/app',
  repository_id: '1001',
  owner_id: '77',
  workflow: 'release.yml',
  workflow_claim: 'caller',
  environment: 'release',
  refs: 'tags',
  claims: { runner_environment: 'github-hosted' },
  packages: ['acme/*'],
  constraints: null,
  stability: null,
  not_after: null,
  token_minutes: 10,
  exchanges_per_hour: 5,
};
const reader = {
  ...release,
  name: 'acme/shop',
  purpose: 'read',
  repository: 'acme/shop',
  repository_id: null,
  owner_id: null,
  workflow: null,
  workflow_claim: 'job',
  environment: null,
  refs: 'any',
  claims: {},
  constraints: { 'acme/*': '^1' },
  stability: 'beta',
  not_after: '2027-01-31T23:59:59.999Z',
  token_minutes: 60,
  exchanges_per_hour: 60,
};

async function setUp(data: string): Promise<void> {
  await add(
    data,
    '--repository acme/app --repository-id 1001 --owner-id 77 --workflow release.yml --workflow-claim caller ' +
      '--environment release --refs tags --claim runner_environment=github-hosted --package acme/* --minutes 10 ' +
      '--exchanges 5 --name Release',
  );
  await add(
    data,
    '--repository acme/shop --purpose read --package acme/*:^1 --stability beta --not-after 2027-01-31T23:59:59.999Z',
  );
}

describe('config export and import', () => {
  it('carry publishers with all their rules into another registry, and change nothing the second time', async () => {
    await setUp('first');
    const written = await run('first', 'config', 'export', '--out', 'set-up.json');
    expect(written.stderr).toContain('repositories: 0, trusted publishers: 2.');
    const text = readFileSync(folder.at('set-up.json'), 'utf8');
    expect((JSON.parse(text) as Json)['publishers']).toEqual([release, reader]);

    const dry = await importing('second', '--dry-run');
    expect([dry.exitCode, dry.stdout]).toEqual([
      0,
      '2 changes would be made:\n  + publisher Release\n  + publisher acme/shop',
    ]);
    const done = await json('second', 'config', 'import', 'set-up.json');
    const { name: _name, ...fields } = release;
    expect((done['changes'] as readonly Json[])[0]).toEqual({
      what: 'publisher',
      name: 'Release',
      change: 'create',
      fields,
    });
    expect((await run('second', 'config', 'export')).stdout.trim()).toBe(text.trim());
    const ids = (await stored('second')).map(({ name, ids: known }) => [name, known]);
    expect(Object.fromEntries(ids)).toEqual({ Release: 'given', 'acme/shop': 'unknown' });
    const events = (await json('second', 'audit', 'list'))['events'] as readonly Json[];
    expect(events.map(({ action }) => action)).toEqual(['publisher.create', 'publisher.create']);
    expect((await importing('second')).stdout).toBe('The registry already matches the file.');
  });

  it('change what differs of a publisher with this issuer, purpose and name, and remove none', async () => {
    await setUp('data');
    writeFile([{ ...release, repository_id: null, owner_id: null, workflow: 'publish.yml', packages: ['ACME/app'] }]);
    const { stdout } = await importing('data');
    expect(stdout).toBe('1 change made:\n  ~ publisher Release: workflow "publish.yml", packages ["acme/app"]');
    expect(await stored('data')).toMatchObject([
      { workflow: 'publish.yml', packages: ['acme/app'], repository_id: '1001', owner_id: '77' },
      { name: 'acme/shop' },
    ]);
    expect((await importing('data')).stdout).toBe('The registry already matches the file.');
    writeFile([{ ...release, repository: 'acme/other', repository_id: '2002' }]);
    expect((await importing('data')).exitCode).toBe(0);
    expect((await stored('data'))[0]).toMatchObject({
      repository: 'acme/other',
      repository_id: '2002',
      owner_id: '77',
    });
  });

  it('refuse a file with a claim named __proto__, which would be left out', async () => {
    writeFile([{ ...release, claims: JSON.parse('{"__proto__":"x","actor":"bob"}') as Json }]);
    const { exitCode, stderr } = await importing('data');
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining('set-up.json: publishers[0].claims.__proto__ is a name that no member can have'),
    ]);
  });

  it('tell publishers with one name apart by what they are', async () => {
    const staging = { ...release, environment: 'staging' };
    writeFile([release, staging]);
    await importing('data');
    writeFile([staging, release]);
    expect((await importing('data')).stdout).toBe('The registry already matches the file.');
    writeFile([{ ...staging, workflow: 'b.yml' }, release]);
    expect((await importing('data')).stdout).toBe('1 change made:\n  ~ publisher Release: workflow "b.yml"');
  });

  it('report all refused publishers at once, and then change nothing', async () => {
    writeFile([
      release,
      { ...release, issuer: 'https://git.example.org', kind: 'gitlab' },
      { ...release, kind: 'forgejo', environment: null },
      { ...release, packages: null },
      { ...release, repository: '', refs: 'any' },
    ]);
    const { exitCode, stdout, stderr } = await importing('data');
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr.split('\n').toSorted()).toEqual([
      expect.stringMatching(/^ {2}publishers\[1\]: issuer is not accepted here; accepted: .*oidcIssuers adds others$/),
      expect.stringMatching(
        /^ {2}publishers\[2\]: kind is forgejo, but the setting oidcIssuers names https.* as github$/,
      ),
      expect.stringMatching(/^ {2}publishers\[3\]: packages must name the packages to publish/),
      expect.stringMatching(/^ {2}publishers\[4\]: repository must be the path/),
      'libretto: The file cannot be imported, and nothing was changed:',
    ]);
    expect((await run('data', 'publisher', 'list')).stdout).toBe('');
  });
});
