// I21. Tests Composer with a purged version: its error message, and the update of a project to another version.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearerAuth, createProject, type Project } from '../util/composer.ts';
import { packageContaining } from '../util/leaked-version.ts';
import { writeTree } from '../util/package-tree.ts';
import { startRegistry, type Registry } from '../util/registry.ts';
import { itInSeries } from '../util/series.ts';
import { lacks } from '../util/tool.ts';
import { askWho } from '../util/who-library.ts';

describe.skipIf(lacks('composer', 'php'))('a purged version', () => {
  let registry: Registry;
  let pinned: Project;
  let older: Project;

  const project = (constraint: string): Project =>
    createProject({
      url: registry.url,
      auth: bearerAuth(registry.front.host, registry.token),
      composerJson: { require: { 'acme/hello': constraint } },
    });
  const succeeds = async (of: Project, command: 'install' | 'update'): Promise<string> => {
    const { exitCode, output } = await of.run(command);
    expect(exitCode, output).toBe(0);
    return of.php(askWho('acme/hello'));
  };
  const emptied = (of: Project): Project => {
    of.removeVendor();
    of.clearCache();
    return of;
  };

  beforeAll(async () => {
    registry = await startRegistry();
    for (const version of ['1.0.0', '1.1.0', '1.2.0'])
      writeTree(registry.folder.path, packageContaining(`packages/${version}`, version, `who ${version}`));
    await registry.build('packages/1.0.0', 'packages/1.1.0');
    [pinned, older] = [project('^1.1'), project('1.0.0')];
    expect([await succeeds(pinned, 'update'), await succeeds(older, 'update')]).toEqual(['who 1.1.0', 'who 1.0.0']);
    expect(await registry.cli('package', 'purge', 'acme/hello', '1.1.0', '--reason', 'malware', '--yes')).toMatchObject(
      { exitCode: 0 },
    );
  });
  afterAll(async () => {
    for (const one of [pinned, older]) await one.remove();
    await registry.stop();
  });

  it('fails an install from a lock that names it, with the reason, and a lock of another version installs', async () => {
    const { exitCode, output } = await emptied(pinned).run('install');
    expect(exitCode).not.toBe(0);
    expect(output).toMatch(
      /acme\/hello 1\.1\.0 was purged from this registry on \d{4}-\d\d-\d\d \(malware\) and will not come back\. Require another version\./,
    );
    expect(pinned.exists('vendor/acme/hello')).toBe(false);
    expect(await succeeds(emptied(older), 'install')).toBe('who 1.0.0');
  });

  itInSeries('is replaced by an update once the next version exists', async () => {
    const { exitCode, output } = await pinned.run('update');
    expect([exitCode, output]).toEqual([2, expect.stringMatching(/acme\/hello.*\^1\.1/s) as string]);
    await registry.build('packages/1.2.0');
    expect(await succeeds(pinned, 'update')).toBe('who 1.2.0');
    expect(pinned.locked()['acme/hello']).toMatchObject({ version: '1.2.0' });
  });
});
