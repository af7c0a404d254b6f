// Tests a remote repository, or the dist of an inline package, that never answers: it delays only the build that reads
// it.

import { mkdirSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { verifyTree } from '../../build/inspect/verify.ts';
import { startDistServer } from '../util/dist-server.ts';
import { startGitHttpServer, type GitHttpServer } from '../util/git-http-server.ts';
import { createRepository, type TestRepository } from '../util/git-repository.ts';
import { startManagedRegistry } from '../util/managed-registry.ts';
import { libraryTree, writeTree } from '../util/package-tree.ts';
import { publishedVersions } from '../util/published-tree.ts';
import { runCli, startCli, type CliOutcome, type RunningCli } from '../util/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';
import { describeInSeries, itInSeries } from '../util/series.ts';

let folder: TemporaryFolder;
let server: GitHttpServer;
let repository: TestRepository;
const started: RunningCli[] = [];
beforeEach(async () => {
  folder = temporaryFolder('stalled-remote');
  mkdirSync(folder.at('repositories'));
  repository = createRepository(
    folder.at('repositories/lib.git'),
    [
      { commit: 'main', files: { 'composer.json': '{"name":"acme/lib"}' } },
      { tag: '1.0.0', at: 'main' },
    ],
    { bare: true },
  );
  for (const name of ['one', 'two']) writeTree(folder.at(name), libraryTree(`acme/${name}`, { version: '1.0.0' }));
  server = await startGitHttpServer(folder.at('repositories'));
});
afterEach(async () => {
  for (const program of started) program.signal('SIGKILL');
  await Promise.all(started.splice(0).map(({ ended }) => ended));
  await server.close();
  await folder.remove();
});

const cli = (args: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<CliOutcome> =>
  runCli([...args, '--data', 'data'], { cwd: folder.path, environment });
const versions = (): string[] => Object.keys(publishedVersions(folder.at('data'))).toSorted();
const url = (): string => `${server.url}/lib.git`;
const begin = (...args: readonly string[]): RunningCli => {
  const program = startCli([...args, '--data', 'data'], { cwd: folder.path });
  started.push(program);
  return program;
};

/** A build that has read the list of refs and waits for a fetch without an answer. Later requests are answered. */
async function beginStalledBuild(...more: readonly string[]): Promise<RunningCli> {
  const before = server.requests.length;
  server.behave({ hangAfterGets: 1 });
  const build = begin('build', url(), ...more);
  await vi.waitFor(
    () => expect(server.requests.slice(before).filter((each) => each.startsWith('GET'))).toHaveLength(2),
    { timeout: 60_000 },
  );
  server.behave('well');
  return build;
}

describeInSeries('while a build waits for a remote that never answers', () => {
  it('other builds, publications and withdrawals work, and a kill leaves sound data', async () => {
    const stalled = await beginStalledBuild('one');
    expect(await cli(['build', 'two'])).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await cli(['publish', 'one'])).toMatchObject({ exitCode: 0 });
    expect(await cli(['package', 'withdraw', 'acme/two', '1.0.0'])).toMatchObject({ exitCode: 0 });
    expect(versions()).toEqual(['acme/one@1.0.0']);

    stalled.signal('SIGKILL');
    expect((await stalled.ended).exitCode).toBe(-1);
    expect(await verifyTree(folder.at('data'))).toMatchObject({ faults: [] });
    expect(await cli(['build', url()])).toMatchObject({ exitCode: 0, stderr: '' });
    expect(versions()).toEqual(['acme/lib@1.0.0', 'acme/lib@dev-main', 'acme/one@1.0.0']);
  });

  it('a second build of that remote waits within its limit, and names the process that fetches', async () => {
    const stalled = await beginStalledBuild();
    const second = await cli(['build', url(), 'two'], { LIBRETTO_GIT_FETCH_TIMEOUT: '1' });
    expect([second.exitCode, second.stderr]).toEqual([
      1,
      expect.stringContaining(`a build with process id ${stalled.pid} on `),
    ]);
    expect(versions()).toEqual(['acme/two@1.0.0']);
  });

  it('a second build of that remote continues as soon as the first one gives up', async () => {
    const stalled = await beginStalledBuild();
    const second = begin('build', url());
    server.sever();
    expect((await stalled.ended).exitCode).toBe(1);
    expect((await second.ended).exitCode).toBe(0);
    expect(versions()).toEqual(['acme/lib@1.0.0', 'acme/lib@dev-main']);
  });

  it('a publication of another build survives the end of a stalled build', async () => {
    await cli(['build', url()]);
    repository.append([
      { commit: 'main', files: { a: '1' } },
      { tag: '1.1.0', at: 'main' },
    ]);
    const dists = await startDistServer();
    const held: (() => void)[] = [];
    dists.answers.set('/x.zip', (_request, response) => void held.push(() => response.writeHead(404).end()));
    const dist = { type: 'zip', url: `${dists.url}/x.zip` };
    writeFileSync(
      folder.at('libretto.json'),
      JSON.stringify({
        data: 'data',
        egress: { allow: ['127.0.0.1'] },
        sources: [url(), { type: 'package', packages: [{ name: 'acme/inline', version: '1.0.0', dist }] }],
      }),
    );
    const slow = begin('build');
    await vi.waitFor(() => expect(held).toHaveLength(1), { timeout: 60_000 });
    repository.append([
      { commit: 'main', files: { a: '2' } },
      { tag: '1.2.0', at: 'main' },
    ]);
    expect(await cli(['build', url()])).toMatchObject({ exitCode: 0 }); // it may wait for the other one's fetch
    for (const end of held) end();
    expect((await slow.ended).stderr).not.toContain('acme/lib');
    await dists[Symbol.asyncDispose]();
    expect(versions()).toEqual(['acme/lib@1.0.0', 'acme/lib@1.1.0', 'acme/lib@1.2.0', 'acme/lib@dev-main']);
  });
});

it('other builds work while a build waits for a dist that never arrives', async () => {
  await using dists = await startDistServer();
  let waiting = 0;
  dists.answers.set('/x.zip', () => void (waiting += 1));
  const inline = {
    type: 'package',
    packages: [{ name: 'acme/inline', version: '1.0.0', dist: { type: 'zip', url: `${dists.url}/x.zip` } }],
  };
  writeFileSync(
    folder.at('inline.json'),
    JSON.stringify({ data: 'data', egress: { allow: ['127.0.0.1'] }, sources: [inline] }),
  );
  begin('build', '--config', 'inline.json');
  await vi.waitFor(() => expect(waiting).toBe(1), { timeout: 60_000 });
  expect(await cli(['build', 'two'])).toMatchObject({ exitCode: 0, stderr: '' });
  expect(versions()).toEqual(['acme/two@1.0.0']);
});

itInSeries(
  'while a sync waits for a silent remote, another repository is registered and synced and an archive uploaded, all permanently',
  async () => {
    createRepository(
      folder.at('repositories/other.git'),
      [
        { commit: 'main', files: { 'composer.json': '{"name":"acme/other"}' } },
        { tag: '1.0.0', at: 'main' },
      ],
      { bare: true },
    );
    await using registry = await startManagedRegistry({ egress: { allow: ['127.0.0.0/8'] } });
    const register = async (name: string): Promise<string> =>
      String(
        (await registry.api('POST', '/api/repositories', { type: 'git', url: `${server.url}/${name}.git` })).json['id'],
      );
    const sync = async (id: string): Promise<string> =>
      String((await registry.api('POST', `/api/repositories/${id}/sync`)).json['id']);
    const ended = async (id: string, job: string): Promise<Record<string, unknown>> => {
      for (;;) {
        const { json } = await registry.api('GET', `/api/repositories/${id}/jobs/${job}`);
        if (json['finished_at'] !== null) return json;
        await sleep(100);
      }
    };

    let answer = (): void => undefined;
    const until = new Promise<void>((resolve) => (answer = resolve));
    server.behave({ hangAfterGets: 0, until });
    const slow = await register('lib');
    const stalled = await sync(slow);
    await vi.waitFor(() => expect(server.requests).toHaveLength(1), { timeout: 60_000 });
    server.behave('well');
    const other = await register('other');
    expect(await ended(other, await sync(other))).toMatchObject({ state: 'succeeded' });
    writeTree(folder.at('upload'), libraryTree('acme/upload', { version: '1.0.0' }));
    expect(await registry.cli('publish', folder.at('upload'))).toMatchObject({ exitCode: 0 });
    const meanwhile = ['acme/other@1.0.0', 'acme/other@dev-main', 'acme/upload@1.0.0'];
    expect(Object.keys(publishedVersions(registry.data)).toSorted()).toEqual(meanwhile);

    answer();
    expect(await ended(slow, stalled)).toMatchObject({ state: 'succeeded' });
    expect(Object.keys(publishedVersions(registry.data)).toSorted()).toEqual([
      'acme/lib@1.0.0',
      'acme/lib@dev-main',
      ...meanwhile,
    ]);
  },
);
