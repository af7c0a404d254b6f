// Tests what the command line says of webhooks that a connection installs at the forge, or cannot install there.

import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { addTools } from '../util/forges/all-forges.ts';
import type { FakeForge } from '../util/forges/fake-forge.ts';
import { startGitHub } from '../util/forges/fake-github.ts';
import { runCli, type CliOutcome } from '../util/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';
import { itInSeries } from '../util/series.ts';

type Json = Record<string, unknown>;

let folder: TemporaryFolder;
let forge: FakeForge;
beforeEach(async () => {
  folder = temporaryFolder('connection-hooks');
  const settings = { data: 'data', egress: { allow: ['127.0.0.0/8'] }, publicUrl: 'https://packages.example.org' };
  writeFileSync(folder.at('libretto.json'), JSON.stringify(settings));
  forge = await startGitHub();
  addTools(forge, 2);
  writeFileSync(folder.at('token'), forge.token);
});
afterEach(async () => {
  await forge[Symbol.asyncDispose]();
  await folder.remove();
});

const run = (...args: readonly string[]): Promise<CliOutcome> => runCli(args, { cwd: folder.path });
const connect = (...more: readonly string[]): Promise<CliOutcome> =>
  run('connection', 'add', 'github', '--forge-url', forge.url, '--owner', 'acme', '--token-file', 'token', ...more);
const onlyId = async (): Promise<string> => {
  const { connections } = JSON.parse((await run('connection', 'list', '--json')).stdout) as { connections: Json[] };
  return String(connections[0]?.['id']);
};
const findings = async (name: string): Promise<readonly Json[]> => {
  const { checks } = JSON.parse((await run('doctor', '--json')).stdout) as { readonly checks: readonly Json[] };
  return checks.filter(({ check }) => check === name);
};

itInSeries('says at once that the webhooks could not be made, and counts those that nobody has heard of', async () => {
  forge.may.ownerHooks = false;
  forge.may.repositoryHooks = false;
  const refused = await connect('--hooks');
  const id = await onlyId();
  expect([refused.exitCode, refused.stderr]).toEqual([
    1,
    expect.stringContaining('Webhooks are missing: GitHub refused'),
  ]);
  expect(refused.stderr).toContain(`libretto connection refresh ${id}`);
  forge.may.ownerHooks = true;
  await run('connection', 'update', id, '--hooks');
  const mended = await run('connection', 'refresh', id);
  expect([mended.exitCode, mended.stderr]).toEqual([0, '']);
  expect(await findings('hook')).toMatchObject([
    { verdict: 'ok', message: '2 repositories have a webhook; no hook has come yet from any of them' },
  ]);
});

it('removes the webhook of the owner with the connection, and says it before', async () => {
  await connect('--hooks');
  const id = await onlyId();
  await run('connection', 'update', id, '--no-hooks');
  const { stdout } = await run('connection', 'show', id);
  expect(stdout).toContain('at the owner; no more are installed');
  const asked = await run('connection', 'remove', id);
  expect([asked.exitCode, asked.stderr]).toEqual([
    2,
    expect.stringContaining("The owner's webhook at the forge is removed"),
  ]);
  expect(forge.hooks).toHaveLength(1);
  const removed = await run('connection', 'remove', id, '--yes');
  expect([removed.exitCode, removed.stdout, removed.stderr]).toEqual([
    0,
    `Removed the connection to acme at ${forge.url}. Its webhook there is removed, too.`,
    '',
  ]);
  expect(forge.hooks).toEqual([]);
});

it('says what stays at the forge if the credentials may not remove the webhook any more', async () => {
  await connect('--hooks');
  const id = await onlyId();
  forge.token = 'another';
  const removed = await run('connection', 'remove', id, '--yes');
  expect([removed.exitCode, removed.stderr]).toEqual([
    1,
    expect.stringContaining(`The webhook of acme stays at ${forge.url}, and its deliveries are refused`),
  ]);
  expect(forge.hooks).toHaveLength(1);
});

itInSeries(
  'shows a connection that is not in step, and repositories that the forge has no more, where people look',
  async () => {
    await connect();
    const id = await onlyId();
    expect(await findings('connection')).toMatchObject([{ verdict: 'ok' }]);
    forge.repositories[0]!.archived = true;
    await run('connection', 'refresh', id);
    const { token } = forge;
    forge.token = 'another';
    await run('connection', 'refresh', id);
    expect(await findings('connection')).toMatchObject([
      {
        verdict: 'warning',
        message: expect.stringMatching(/^acme at .* is not in step: GitHub did not accept/) as string,
      },
      { verdict: 'warning', message: expect.stringContaining('1 archived') as string },
    ]);
    expect((await run('status')).stdout).toContain('1, 1 not in step');
    forge.token = token;
    await run('connection', 'refresh', id);
    expect(await findings('connection')).toMatchObject([{ message: expect.stringContaining('1 archived') as string }]);
  },
);

it('shows what needs a look first, and a repository that a person has removed as such', async () => {
  forge.repositories.push(
    { id: '7', name: 'unread', readable: false, composer: { name: 'acme/unread' } },
    { id: '8', name: 'website' },
    { id: '9', name: 'a-filtered', composer: { name: 'acme/filtered' } },
  );
  const planned = await connect('--except', 'a-*', '--dry-run');
  expect(planned.stdout).toContain('acme/unread: the credentials may not read its files: they lack the permission');
  expect(planned.stdout).toContain('1 name is excluded by the filters');
  await connect('--except', 'a-*');
  const id = await onlyId();
  forge.repositories[1]!.archived = true;
  await run('connection', 'refresh', id);
  const { repositories } = JSON.parse((await run('repository', 'list', '--json')).stdout) as { repositories: Json[] };
  const first = repositories.find(({ url }) => String(url).endsWith('/tool-1.git'));
  await run('repository', 'remove', String(first?.['id']), '--yes');
  const { stdout } = await run('connection', 'show', id);
  const places = ['acme/tool-2', 'acme/unread', 'acme/tool-1', 'acme/website', '1 name is excluded'];
  const lines = stdout.split('\n');
  const at = places.map((place) => lines.findIndex((line) => line.startsWith(place)));
  expect(at).toEqual(at.toSorted((one, other) => one - other));
  expect(at[0]).toBeGreaterThan(0);
  expect(lines[at[2] ?? 0]).toContain('somebody removed it from this registry');
  expect(stdout).toContain('0 registered, 1 archived, 0 removed, 4 not registered');
  expect((await run('connection', 'remove', id)).stderr).toContain('1 repository stays registered');
});
