// Tests what a rename at the forge does to registered repositories: their address follows, a new repository under the
// old name is another one, and the identity survives the removal of the connection.

import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { addTools } from '../util/forges/all-forges.ts';
import type { FakeForge } from '../util/forges/fake-forge.ts';
import { startGitHub } from '../util/forges/fake-github.ts';
import { startGitHttpServer, type GitHttpServer } from '../util/git-http-server.ts';
import { createRepository } from '../util/git-repository.ts';
import { publishedVersions } from '../util/published-tree.ts';
import { runCli, type CliOutcome } from '../util/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';

type Json = Record<string, unknown>;

let folder: TemporaryFolder;
let git: GitHttpServer;
let forge: FakeForge;
beforeEach(async () => {
  folder = temporaryFolder('rename');
  writeFileSync(folder.at('libretto.json'), JSON.stringify({ data: 'data', egress: { allow: ['127.0.0.0/8'] } }));
  mkdirSync(folder.at('git/acme'), { recursive: true });
  git = await startGitHttpServer(folder.at('git'));
  forge = await startGitHub();
  writeFileSync(folder.at('token'), forge.token);
  const login = Buffer.from(`x-access-token:${forge.token}`).toString('base64');
  forge.git = { url: git.url, authorization: `Basic ${login}` };
});
afterEach(async () => {
  await git.close();
  await forge[Symbol.asyncDispose]();
  await folder.remove();
});

const run = (...args: readonly string[]): Promise<CliOutcome> => runCli(args, { cwd: folder.path });
const json = async (...args: readonly string[]): Promise<Json> =>
  JSON.parse((await run(...args, '--json')).stdout) as Json;
const connect = async (): Promise<string> => {
  const given = ['--forge-url', forge.url, '--owner', 'acme', '--token-file', 'token'];
  return ((await json('connection', 'add', 'github', ...given))['connection'] as { readonly id: string }).id;
};
const repositories = async (): Promise<Readonly<Record<string, string>>> => {
  const listed = (await json('repository', 'list'))['repositories'] as readonly { id: string; url: string }[];
  return Object.fromEntries(listed.map(({ id, url }) => [url.replace(`${forge.url}/acme/`, ''), id]));
};
const published = (): readonly string[] => Object.keys(publishedVersions(folder.at('data'))).toSorted();

function push(repository: string, name: string, tag: string): void {
  const files = { 'composer.json': JSON.stringify({ name }) };
  const steps = [
    { commit: 'main', files },
    { tag, at: 'main' },
  ];
  createRepository(folder.at('git/acme', `${repository}.git`), steps, { bare: true });
}

function rename(from: string, to: string): void {
  forge.repositories.find(({ name }) => name === from)!.name = to;
  renameSync(folder.at('git/acme', `${from}.git`), folder.at('git/acme', `${to}.git`));
}

it('shows a renamed repository under its new address, and publishes a new one under the old name', async () => {
  addTools(forge, 1);
  push('tool-1', 'acme/tool-1', '1.0.0');
  const connection = await connect();
  const { 'tool-1.git': first = '' } = await repositories();
  await run('repository', 'sync', first);

  rename('tool-1', 'renamed');
  await run('connection', 'refresh', connection);
  expect(await repositories()).toEqual({ 'renamed.git': first });
  expect((await run('repository', 'show', first)).stdout).toContain(`${forge.url}/acme/renamed.git`);
  const again = await run('repository', 'add', `${forge.url}/acme/renamed.git`);
  expect([again.exitCode, again.stderr]).toEqual([2, expect.stringContaining(`registered already, as ${first}`)]);

  forge.repositories.push({ id: '501', name: 'tool-1', composer: { name: 'acme/other' } });
  push('tool-1', 'acme/other', '3.0.0');
  await run('connection', 'refresh', connection);
  const both = await repositories();
  expect(Object.keys(both)).toEqual(['renamed.git', 'tool-1.git']);
  for (const id of Object.values(both))
    expect(await json('repository', 'sync', id)).toMatchObject({ state: 'succeeded' });
  expect(published().filter((version) => !version.includes('dev-'))).toEqual(['acme/other@3.0.0', 'acme/tool-1@1.0.0']);

  await run('repository', 'remove', both['tool-1.git'] ?? '', '--yes');
  await run('build');
  expect(published().filter((version) => !version.includes('dev-'))).toEqual(['acme/tool-1@1.0.0']);
  // a person, too, may register what has the old name
  expect((await run('repository', 'add', `${forge.url}/acme/tool-1.git`)).exitCode).toBe(0);
});

it('finds renamed repositories by the id of the forge, after their connection was removed', async () => {
  addTools(forge, 2);
  const first = await connect();
  const before = await repositories();
  await run('connection', 'remove', first, '--yes');
  forge.repositories[0]!.name = 'renamed';
  forge.repositories[1]!.name = 'tool-1';
  await connect();
  expect(await repositories()).toEqual({ 'renamed.git': before['tool-1.git'], 'tool-1.git': before['tool-2.git'] });
  expect((await run('state', 'verify')).stderr).not.toContain('damaged');
});
