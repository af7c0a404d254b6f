// Tests `"reference-source": "include"`: metadata names the git repository, and Composer still installs archives unless
// its user asks for sources.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearerAuth, createProject, type Project } from '../util/composer.ts';
import { startGitHttpServer, type GitHttpServer } from '../util/git-http-server.ts';
import { createRepository } from '../util/git-repository.ts';
import { startRegistry, type Registry } from '../util/registry.ts';
import { firstOf, itInSeries } from '../util/series.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';
import { writeTree } from '../util/package-tree.ts';

describe.skipIf(lacks('composer', 'php', 'git'))('a repository that the metadata names', () => {
  let folder: TemporaryFolder;
  let server: GitHttpServer;
  let registry: Registry;

  beforeAll(async () => {
    folder = temporaryFolder('reference-source');
    createRepository(
      folder.at('lib.git'),
      [
        { commit: 'main', files: { 'composer.json': '{"name": "acme/lib"}' } },
        { tag: '1.0.0', at: 'main' },
      ],
      { bare: true },
    );
    server = await startGitHttpServer(folder.path);
    registry = await startRegistry();
    writeTree(folder.path, {
      'libretto.json': {
        json: { sources: [{ type: 'git', url: `${server.url}/lib.git`, 'reference-source': 'include' }] },
      },
    });
    await registry.build('--config', folder.at('libretto.json'));
  });

  afterAll(async () => {
    await registry.stop();
    await server.close();
    await folder.remove();
  });

  const project = (constraint: string, config: object = {}): Project =>
    createProject({
      url: registry.url,
      auth: bearerAuth(registry.front.host, registry.token),
      composerJson: { require: { 'acme/lib': constraint }, config },
    });

  it.each(firstOf(['1.0.0', 'dev-main'], 1))(
    'is recorded in the lock, and %s is installed from its archive',
    async (constraint) => {
      await using app = project(constraint);
      server.behave('fail');
      const { exitCode, output } = await app.run('update');
      server.behave('well');
      expect(exitCode, output).toBe(0);
      expect(app.locked()['acme/lib']).toMatchObject({
        source: {
          type: 'git',
          url: `${server.url}/lib.git`,
          reference: expect.stringMatching(/^[0-9a-f]{40}$/) as string,
        },
      });
      expect([app.exists('vendor/acme/lib/composer.json'), app.exists('vendor/acme/lib/.git')]).toEqual([true, false]);
    },
  );

  itInSeries('is cloned by a client that prefers sources, for branches alone with `auto`', async () => {
    for (const [constraint, cloned] of [
      ['1.0.0', false],
      ['dev-main', true],
    ] as const) {
      await using app = project(constraint, { 'preferred-install': 'auto' });
      const { exitCode, output } = await app.run('update');
      expect(exitCode, output).toBe(0);
      expect(app.exists('vendor/acme/lib/.git'), constraint).toBe(cloned);
    }
  });
});
