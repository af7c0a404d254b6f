// Tests a tree that a CI job builds in an empty checkout: it is copied to the registry and received, and the real
// Composer installs from it.

import { cpSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearerAuth, createProject } from '../util/composer.ts';
import { createRepository, type FileChanges, type TestRepository } from '../util/git-repository.ts';
import { publishedVersions } from '../util/published-tree.ts';
import { startRegistry, type Registry } from '../util/registry.ts';
import { runCli } from '../util/run-cli.ts';
import { lacks } from '../util/tool.ts';
import { askWho, whoLibrary } from '../util/who-library.ts';

describe.skipIf(lacks('composer', 'php', 'git'))('a tree that a CI job built', () => {
  let registry: Registry;
  let origin: TestRepository;
  let jobs = 0;

  /** The files of one package of the repository, as a commit changes them. */
  const library = (name: string, version: string | undefined, who: string): FileChanges =>
    Object.fromEntries(
      Object.entries(whoLibrary(name, version, {}, who)).map(([path, entry]) => [
        `packages/${name}/${version ?? 'head'}/${path}`,
        typeof entry === 'string' ? entry : `${JSON.stringify((entry as { json: unknown }).json)}\n`,
      ]),
    );

  /** A later job has no data of an earlier one: another clone in another folder, built into another data folder. */
  const job = async (): Promise<void> => {
    const place = registry.folder.at(`job-${(jobs += 1)}`);
    origin.git('clone', '--quiet', origin.path, place);
    const built = await runCli(['build', 'packages', '--strict', '--data', '.libretto'], { cwd: place });
    expect(built.exitCode, built.stderr).toBe(0);
    rmSync(registry.folder.at('incoming'), { recursive: true, force: true });
    for (const part of ['public', 'index'])
      cpSync(`${place}/.libretto/${part}`, registry.folder.at('incoming', part), { recursive: true });
    rmSync(place, { recursive: true });
  };
  const receive = async (): Promise<{
    readonly added: readonly unknown[];
    readonly withdrawn: readonly unknown[];
    readonly published: boolean;
  }> => {
    const { exitCode, stdout, stderr } = await registry.cli(
      'receive',
      registry.folder.at('incoming'),
      '--as',
      'libraries',
      '--json',
    );
    expect(exitCode, stderr).toBe(0);
    return JSON.parse(stdout) as Awaited<ReturnType<typeof receive>>;
  };

  beforeAll(async () => {
    registry = await startRegistry();
    origin = createRepository(registry.folder.at('origin'), [
      {
        commit: 'main',
        files: {
          ...library('acme/hello', '1.0.0', 'one'),
          ...library('acme/hello', undefined, 'head one'),
          ...library('acme/other', '1.0.0', 'other'),
        },
      },
    ]);
  });
  afterAll(() => registry.stop());

  it('installs with Composer; the next job adds to it, and old locks still install', async () => {
    await job();
    expect((await receive()).added).toHaveLength(3);
    await using app = createProject({
      url: registry.url,
      auth: bearerAuth(registry.front.host, registry.token),
      composerJson: { require: { 'acme/hello': '^1.0', 'acme/other': '*' } },
    });
    await using edge = createProject({
      url: registry.url,
      auth: bearerAuth(registry.front.host, registry.token),
      composerJson: { require: { 'acme/hello': 'dev-main' } },
    });
    for (const project of [app, edge]) {
      const updated = await project.run('update');
      expect(updated.exitCode, updated.output).toBe(0);
    }
    expect([await app.php(askWho('acme/hello', 'acme/other')), await edge.php(askWho('acme/hello'))]).toEqual([
      'one other',
      'head one',
    ]);

    origin.append([
      {
        commit: 'main',
        files: { ...library('acme/hello', '1.1.0', 'two'), ...library('acme/hello', undefined, 'head two') },
      },
    ]);
    await job();
    expect(await receive()).toMatchObject({ added: [{ version: '1.1.0' }], withdrawn: [], published: true });
    await job();
    expect(await receive()).toMatchObject({ published: false });
    expect((await app.run('update')).exitCode).toBe(0);
    expect(await app.php(askWho('acme/hello'))).toBe('two');

    edge.removeVendor();
    edge.clearCache();
    expect((await edge.run('install')).exitCode).toBe(0);
    expect(await edge.php(askWho('acme/hello'))).toBe('head one');
    expect((await edge.run('update')).exitCode).toBe(0);
    expect(await edge.php(askWho('acme/hello'))).toBe('head two');
    expect(Object.keys(publishedVersions(registry.data))).toHaveLength(4);
    expect((await registry.cli('verify')).exitCode).toBe(0);
  });
});
