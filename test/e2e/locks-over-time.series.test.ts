// Tests locks from the life of a registry (I1, I3): after each build, rollback and prune, Composer installs the oldest
// and the newest lock from an empty cache, each with its original contents.

import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearerAuth, createProject, type Project } from '../util/composer.ts';
import { below, writeTree } from '../util/package-tree.ts';
import { startRegistry, type Registry } from '../util/registry.ts';
import { lacks } from '../util/tool.ts';
import { askWho, whoLibrary } from '../util/who-library.ts';

describe.skipIf(lacks('composer', 'php'))('locks over time', () => {
  let registry: Registry;
  const locks: { readonly project: Project; readonly contents: string }[] = [];

  const put = (version: string | undefined, who: string): void =>
    writeTree(registry.folder.at('packages'), below(version ?? 'head', whoLibrary('acme/hello', version, {}, who)));
  const take = (version: string): void => rmSync(registry.folder.at('packages', version), { recursive: true });
  const installed = (project: Project): Promise<string> => project.php(askWho('acme/hello'));

  /** The versions that a new project gets now; the test stores its lock. */
  const lock = async (constraint: string): Promise<string> => {
    const project = createProject({
      url: registry.url,
      auth: bearerAuth(registry.front.host, registry.token),
      composerJson: { require: { 'acme/hello': constraint } },
    });
    const updated = await project.run('update');
    expect(updated.exitCode, updated.output).toBe(0);
    const contents = await installed(project);
    locks.push({ project, contents });
    return contents;
  };
  const expectInstalled = async (): Promise<void> => {
    const [oldest, newest] = [locks.slice(0, 2), locks.slice(-1)];
    for (const { project, contents } of [...oldest, ...newest]) {
      project.removeVendor();
      project.clearCache();
      const result = await project.run('install');
      expect(result.exitCode, result.output).toBe(0);
      expect(await installed(project)).toBe(contents);
    }
    expect((await registry.cli('verify')).exitCode).toBe(0);
  };

  beforeAll(async () => {
    registry = await startRegistry();
    put('1.0.0', 'one');
    put(undefined, 'head one');
    await registry.build('packages');
  });
  afterAll(async () => {
    for (const { project } of locks) await project.remove();
    await registry.stop();
  });

  it('still install through builds, a rollback and a prune', async () => {
    expect([await lock('^1.0'), await lock('dev-main')]).toEqual(['one', 'head one']);

    put('1.1.0', 'two');
    put(undefined, 'head two');
    await registry.build('packages');
    expect(await lock('^1.0')).toBe('two');
    await expectInstalled();

    expect((await registry.cli('rollback', '1')).exitCode).toBe(0);
    await expectInstalled();
    expect(await lock('^1.0')).toBe('one');

    take('1.0.0');
    put('2.0.0', 'three');
    await registry.build('packages', '--keep', '1');
    expect((await registry.cli('prune')).exitCode).toBe(0);
    expect(await lock('^2.0')).toBe('three');
    await expectInstalled();

    // a version that is neither published nor recorded any more is gone, and no other one is installed in its place
    expect((await registry.cli('prune', '--keep-for', '0')).exitCode).toBe(0);
    await expectInstalled();
    const pruned = locks[2]?.project;
    pruned?.removeVendor();
    pruned?.clearCache();
    expect((await pruned?.run('install'))?.exitCode).not.toBe(0);
  });
});
