// Tests a connection of a running server from the first repository to a pushed tag and an install: over the API, with
// real git over smart HTTP, with the webhook that the server installed at the forge, and over a kill of the server.

import { createHmac } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { request } from 'undici';
import { expect, it, vi } from 'vitest';
import { bearerAuth, createProject } from '../util/composer.ts';
import { startGitHub } from '../util/forges/fake-github.ts';
import { startGitHttpServer } from '../util/git-http-server.ts';
import { createRepository } from '../util/git-repository.ts';
import { startManagedRegistry } from '../util/managed-registry.ts';
import { publishedVersions } from '../util/published-tree.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';

const settings = { egress: { allow: ['127.0.0.0/8'] }, publicUrl: 'https://packages.example.org' };
const count = 12;
const eventually = (check: () => unknown): Promise<unknown> => vi.waitFor(check, { timeout: 60_000, interval: 50 });

it.skipIf(lacks('composer', 'php', 'git'))(
  'a connected owner appears by itself, a killed server goes on, a pushed tag arrives by the installed webhook, and Composer installs both packages of a monorepo',
  async () => {
    await using forge = await startGitHub();
    await using folder = temporaryFolder('story');
    mkdirSync(folder.at('acme'));
    for (let number = 1; number <= count; number += 1)
      forge.repositories.push({
        id: String(number),
        name: `tool-${number}`,
        composer: { name: `acme/tool-${number}` },
      });
    const tool = createRepository(
      folder.at('acme/tool-1.git'),
      [
        { commit: 'main', files: { 'composer.json': '{"name":"acme/tool-1"}' } },
        { tag: '1.0.0', at: 'main' },
      ],
      { bare: true },
    );
    const [one, two] = [{ name: 'acme/one' }, { name: 'acme/two' }];
    forge.repositories.push({ id: '99', name: 'mono', folders: { 'packages/one': one, 'packages/two': two } });
    const files = {
      'packages/one/composer.json': JSON.stringify(one),
      'packages/two/composer.json': JSON.stringify(two),
    };
    const mono = [
      { commit: 'main', files },
      { tag: '2.0.0', at: 'main' },
    ];
    createRepository(folder.at('acme/mono.git'), mono, { bare: true });
    const git = await startGitHttpServer(folder.path);
    const login = Buffer.from(`x-access-token:${forge.token}`).toString('base64');
    forge.git = { url: git.url, authorization: `Basic ${login}` };
    await using registry = await startManagedRegistry(settings);
    // the server is killed between two repositories
    let kill: Promise<void> | undefined;
    forge.onRequest = ({ path }) => {
      if (path.endsWith('/tool-6/contents/composer.json')) kill ??= registry.stop('SIGKILL');
    };
    const { status } = await registry.api('POST', '/api/connections', {
      forge: 'github',
      url: forge.url,
      owner: 'acme',
      hooks: true,
      subdirectories: ['packages/*'],
      credentials: { token: forge.token },
    });
    expect(status).toBe(201);
    await eventually(() => expect(kill).toBeDefined());
    await kill;
    await registry.start();
    await eventually(async () =>
      expect((await registry.api('GET', '/api/connections')).json).toMatchObject({
        data: [{ status: 'active', counts: { registered: count + 1 }, hooks_at: 'owner' }],
      }),
    );
    // what was read before the kill is not asked for again
    const asked = forge.requests.filter((line) => line.includes('composer.json')).length;
    expect(asked).toBeLessThanOrEqual(count + 3); // of the monorepo, those of the root and of a folder
    await eventually(() => expect(Object.keys(publishedVersions(registry.data))).toContain('acme/tool-1@1.0.0'));

    tool.append([{ tag: '1.1.0', at: 'main' }]);
    expect(forge.hooks).toHaveLength(1);
    const { url, secret } = forge.hooks[0]!.body['config'] as { readonly url: string; readonly secret: string };
    expect(url).toBe('https://packages.example.org/hooks');
    const body = JSON.stringify({ ref: 'refs/tags/1.1.0', repository: { clone_url: `${forge.url}/acme/tool-1.git` } });
    const delivered = await request(`${registry.url()}/hooks`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-github-event': 'push',
        'x-github-delivery': '72d3162e-cc78-11e3-81ab-4c9367dc0958',
        'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
      },
      body,
    });
    expect([delivered.statusCode, await delivered.body.text()]).toEqual([202, expect.any(String) as string]);
    await eventually(() => expect(Object.keys(publishedVersions(registry.data))).toContain('acme/tool-1@1.1.0'));

    await eventually(() => expect(Object.keys(publishedVersions(registry.data))).toContain('acme/two@2.0.0'));
    const created = await registry.cli('token', 'create', '--kind', 'read', '--description', 'a test');
    await using project = createProject({
      url: registry.url(),
      auth: bearerAuth(new URL(registry.url()).host, created.stdout.trim()),
      composerJson: { require: { 'acme/one': '^2.0', 'acme/two': '^2.0' } },
    });
    const { exitCode, output } = await project.run('install');
    expect([exitCode, output]).toEqual([
      0,
      expect.stringMatching(/Installing acme\/one \(2\.0\.0\).*acme\/two \(2\.0\.0\)/s),
    ]);
    await git.close();
  },
);
