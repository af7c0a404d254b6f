// Tests the way of a release: a tag is pushed to a git server, the server calls the webhook, and Composer installs the
// new version. Nothing else starts a sync.

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { bearerAuth, createProject } from '../util/composer.ts';
import { sendGitHubHook } from '../util/github-hook.ts';
import { startGitHttpServer, type GitHttpServer } from '../util/git-http-server.ts';
import { createRepository, type TestRepository } from '../util/git-repository.ts';
import { startManagedRegistry, type ManagedRegistry } from '../util/managed-registry.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';
import { itInSeries } from '../util/series.ts';

const files = (version: string): Record<string, string> => ({
  'composer.json': JSON.stringify({ name: 'acme/tool', autoload: { files: ['tool.php'] } }),
  'tool.php': `<?php function tool() { return '${version}'; }`,
});

describe.skipIf(lacks('composer', 'php', 'git'))('a pushed tag', () => {
  const folder = temporaryFolder('webhook');
  let repository: TestRepository;
  let server: GitHttpServer;
  let registry: ManagedRegistry;
  let id = '';
  let token = '';

  beforeAll(async () => {
    repository = createRepository(
      folder.at('tool.git'),
      [
        { commit: 'main', files: files('one') },
        { tag: '1.0.0', at: 'main' },
      ],
      { bare: true },
    );
    server = await startGitHttpServer(folder.path);
    registry = await startManagedRegistry({ egress: { allow: ['127.0.0.0/8'] } });
    const made = await registry.api('POST', '/api/repositories', { type: 'git', url: `${server.url}/tool.git` });
    id = String(made.json['id']);
    token = (await registry.cli('token', 'create', '--description', 'CI')).stdout.trim();
  });
  afterAll(async () => {
    await registry[Symbol.asyncDispose]();
    await server.close();
    await folder.remove();
  });

  /** What Composer installs for ^1.0. */
  const installed = async (): Promise<string> => {
    await using project = createProject({
      url: registry.url(),
      auth: bearerAuth(new URL(registry.url()).host, token),
      composerJson: { require: { 'acme/tool': '^1.0' } },
    });
    const result = await project.run('install');
    return result.exitCode === 0 ? await project.php('echo tool();') : result.output;
  };
  const deliveries = async (path: string) =>
    (await registry.api('GET', path)).json['deliveries'] as { provider_id: string; syncs: { state: string }[] }[];
  const synced = (path: string, delivery: string): Promise<void> =>
    vi.waitFor(
      async () => {
        const found = (await deliveries(path)).find(({ provider_id: one }) => one === delivery);
        expect(found?.syncs.map(({ state }) => state)).toEqual(['succeeded']);
      },
      { timeout: 60_000, interval: 100 },
    );
  const push = (tag: string): void =>
    repository.append([
      { commit: 'main', files: files(tag) },
      { tag, at: 'main' },
    ]);

  it('is installed by Composer after the hook of its repository', async () => {
    const secret = (await registry.cli('repository', 'hook', id)).stdout.trim();
    const address = `${registry.url()}/hooks/${id}`;
    expect((await sendGitHubHook({ address, secret, delivery: 'first' })).status).toBe(202);
    await synced(`/api/repositories/${id}/hook`, 'first');
    expect(await installed()).toBe('one');
    push('1.1.0');
    expect((await sendGitHubHook({ address, secret, delivery: 'second' })).status).toBe(202);
    await synced(`/api/repositories/${id}/hook`, 'second');
    expect(await installed()).toBe('1.1.0');
  });

  itInSeries('that was moved is not installed, and the repository shows why after the hook', async () => {
    push('1.1.0');
    const secret = (await registry.cli('repository', 'hook', id, '--rotate')).stdout.trim();
    const address = `${registry.url()}/hooks/${id}`;
    expect((await sendGitHubHook({ address, secret, delivery: 'moved' })).status).toBe(202);
    await synced(`/api/repositories/${id}/hook`, 'moved');
    expect((await registry.cli('repository', 'hook', id)).stdout).toContain(`libretto repository show ${id}`);
    expect((await registry.cli('repository', 'show', id)).stdout).toMatch(
      /\nLeft out:\n {2}acme\/tool 1\.1\.0 \(.*\): .*\[VERSION_CHANGED\]$/,
    );
  });

  itInSeries(
    'is installed by Composer after the hook of its organisation, which names the repository by its address',
    async () => {
      const secret = (await registry.cli('repository', 'hook', '--all')).stdout.trim();
      push('1.2.0');
      const payload = { ref: 'refs/tags/1.2.0', repository: { clone_url: `${server.url}/tool.git` } };
      const address = `${registry.url()}/hooks`;
      expect((await sendGitHubHook({ address, secret, delivery: 'third', payload })).status).toBe(202);
      await synced('/api/hook', 'third');
      expect(await installed()).toBe('1.2.0');
    },
  );
});
