// Tests a git repository behind HTTP that is registered with a running service: verified, synced and installed by
// Composer, and then changed, broken, killed and removed.

import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearerAuth, createProject } from '../util/composer.ts';
import { filesBelow } from '../util/files-below.ts';
import { startGitHttpServer, type GitHttpServer } from '../util/git-http-server.ts';
import { createRepository, type TestRepository } from '../util/git-repository.ts';
import { startManagedRegistry, type ManagedRegistry } from '../util/managed-registry.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';
import { itInSeries } from '../util/series.ts';

type Json = Record<string, unknown>;

const password = 'hunter2-of-the-repository';
const onlyWith = `Basic ${Buffer.from(`ci:${password}`).toString('base64')}`;
const composerJson = (version: string): Record<string, string> => ({
  'composer.json': JSON.stringify({ name: 'acme/tool', autoload: { files: ['tool.php'] } }),
  'tool.php': `<?php function tool() { return '${version}'; }`,
});

describe.skipIf(lacks('composer', 'php', 'git'))('a registered repository', () => {
  const folder = temporaryFolder('remote');
  let repository: TestRepository;
  let server: GitHttpServer;
  let registry: ManagedRegistry;
  let id = '';
  let readToken = '';

  beforeAll(async () => {
    repository = createRepository(
      folder.at('tool.git'),
      [
        { commit: 'main', files: composerJson('one') },
        { tag: '1.0.0', at: 'main' },
      ],
      { bare: true },
    );
    server = await startGitHttpServer(folder.path);
    server.behave({ onlyWith });
    registry = await startManagedRegistry({ egress: { allow: ['127.0.0.0/8'] } });
    const made = await registry.api('POST', '/api/repositories', {
      type: 'git',
      url: `${server.url}/tool.git`,
      credentials: { username: 'ci', password },
    });
    expect([made.status, made.json['status'], made.json['credentials']]).toEqual([201, 'pending', 'basic']);
    id = String(made.json['id']);
    readToken = await createToken('read');
  });

  afterAll(async () => {
    await registry[Symbol.asyncDispose]();
    await server.close();
    await folder.remove();
  });

  const createToken = async (kind: string): Promise<string> =>
    (await registry.cli('token', 'create', '--kind', kind, '--description', 'a test')).stdout.trim();
  const show = async (): Promise<Json> => (await registry.api('GET', `/api/repositories/${id}`)).json;
  const ended = async (job: string): Promise<Json> => {
    for (;;) {
      const { json } = await registry.api('GET', `/api/repositories/${id}/jobs/${job}`);
      if (json['finished_at'] !== null) return json;
      await sleep(25);
    }
  };
  const sync = async (as?: string): Promise<Json> => {
    const { status, json } = await registry.api('POST', `/api/repositories/${id}/sync`, undefined, as);
    expect(status, JSON.stringify(json)).toBe(200);
    return ended(String(json['id']));
  };
  const installed = async (version: string): Promise<string> => {
    await using project = createProject({
      url: registry.url(),
      auth: bearerAuth(new URL(registry.url()).host, readToken),
      composerJson: { require: { 'acme/tool': version } },
    });
    const result = await project.run('install');
    return result.exitCode === 0 ? await project.php('echo tool();') : result.output;
  };
  const versions = (): string[] =>
    Object.keys(
      (
        JSON.parse(readFileSync(join(registry.data, 'public/p2/acme/tool.json'), 'utf8')) as {
          packages: Record<string, Json>;
        }
      ).packages['acme/tool'] ?? {},
    );

  itInSeries('is verified: its versions are listed, and nothing is published', async () => {
    const { status, json } = await registry.api('POST', `/api/repositories/${id}/verify`);
    expect([status, json]).toEqual([
      200,
      {
        ok: true,
        message: null,
        tags: 1,
        branches: 1,
        default_branch: 'main',
        protocol: null,
        package_count: null,
        packages: ['acme/tool'],
        problems: [],
      },
    ]);
    expect(readdirSync(registry.data)).not.toContain('public');
  });

  it('is synced with its own credentials, and Composer installs from it', async () => {
    const job = await sync();
    expect(job).toMatchObject({ state: 'succeeded', report: { counts: { added: 2, quarantined: 0 } } });
    expect(await show()).toMatchObject({ status: 'active', error_message: null, last_synced_at: job['finished_at'] });
    expect(await installed('1.0.0')).toBe('one');
    const history = (await registry.cli('history')).stdout;
    expect(history, 'names the person who asked for the sync').toMatch(/user:usr_\w+, repository sync/);
  });

  itInSeries(
    'follows pushes; an invalid tag is excluded with its reason, and a moved tag changes no published version',
    async () => {
      repository.append([
        { commit: 'main', files: composerJson('two') },
        { tag: '2.0.0', at: 'main' },
        { commit: 'broken', from: 'main', files: { 'composer.json': '{"name": "acme/tool",' } },
        { tag: '3.0.0', at: 'broken' },
      ]);
      repository.git('tag', '-f', '1.0.0', 'main');
      const job = await sync();
      expect(job['state']).toBe('succeeded');
      const quarantined = (job['report'] as { quarantined: Json[] }).quarantined;
      expect(quarantined.map(({ version, code }) => [version, code])).toContainEqual(['1.0.0', 'VERSION_CHANGED']);
      expect(JSON.stringify(quarantined)).toContain('3.0.0');
      expect(await show()).toMatchObject({ status: 'active' });
      expect([await installed('1.0.0'), await installed('2.0.0')]).toEqual(['one', 'two']);
      expect(versions().toSorted()).toEqual(['1.0.0', '2.0.0']);
    },
  );

  itInSeries('is synced by a write token, from the command line, and by a build of everything', async () => {
    expect(await sync(await createToken('write'))).toMatchObject({ state: 'succeeded', report: { published: false } });
    repository.append([
      { commit: 'main', files: composerJson('two-one') },
      { tag: '2.1.0', at: 'main' },
    ]);
    const bySelf = await registry.cli('repository', 'sync', id, '--json');
    // 1 because of the excluded tag
    expect([bySelf.exitCode, (JSON.parse(bySelf.stdout) as Json)['state']], bySelf.stderr).toEqual([1, 'succeeded']);
    repository.append([
      { commit: 'main', files: composerJson('two-two') },
      { tag: '2.2.0', at: 'main' },
    ]);
    const built = await registry.cli('build', '--json');
    expect((JSON.parse(built.stdout) as { added: Json[] }).added.map(({ version }) => version)).toEqual(['2.2.0']);
    expect(await installed('2.2.0')).toBe('two-two');
  });

  itInSeries('keeps its published versions while its credentials are wrong, and shows the error', async () => {
    await registry.api('PATCH', `/api/repositories/${id}`, { credentials: { username: 'ci', password: 'another' } });
    const verified = await registry.api('POST', `/api/repositories/${id}/verify`);
    expect(verified.json).toMatchObject({
      ok: false,
      message: expect.stringContaining(
        `Credentials are missing or were not accepted: give this repository others: \`libretto repository update ${id}`,
      ) as string,
    });
    expect(await sync()).toMatchObject({
      state: 'failed',
      error: { code: 'BUILD_FAILED', message: expect.stringContaining(`libretto repository update ${id}`) as string },
    });
    expect(await show()).toMatchObject({ status: 'error' });
    expect(await installed('2.2.0')).toBe('two-two');
    await registry.api('PATCH', `/api/repositories/${id}`, { credentials: { username: 'ci', password } });
    expect(await sync()).toMatchObject({ error: null, state: 'succeeded' });
    expect(await show()).toMatchObject({ status: 'active', error_message: null });
  });

  it('row 69: is not followed to another host, which would get its credentials', async () => {
    const asked = server.authorizations.length;
    const other = await startGitHttpServer(folder.path);
    try {
      server.behave({ redirect: other.url });
      expect(await sync()).toMatchObject({
        state: 'failed',
        error: { message: expect.stringContaining('redirects elsewhere') as string },
      });
      expect([other.requests, server.authorizations.length > asked]).toEqual([[], true]);
    } finally {
      server.behave({ onlyWith });
      await other.close();
    }
  });

  itInSeries('keeps its published versions when its remote dies during a sync', async () => {
    repository.append([
      { commit: 'main', files: composerJson('two-three') },
      { tag: '2.3.0', at: 'main' },
    ]);
    server.behave({ endless: 'pack' });
    const { json } = await registry.api('POST', `/api/repositories/${id}/sync`);
    while (!server.requests.at(-1)?.startsWith('POST')) await sleep(20);
    expect((await show())['status']).toBe('syncing');
    await sleep(200);
    server.behave('refuse');
    server.sever();
    expect(await ended(String(json['id']))).toMatchObject({ state: 'failed' });
    expect(await installed('2.2.0')).toBe('two-two');
    server.behave({ onlyWith });
    expect(await sync()).toMatchObject({ state: 'succeeded', report: { counts: { added: 1 } } });
  });

  itInSeries(
    'loses no acknowledged change when the service is killed between two calls, and is never left syncing',
    async () => {
      const patched = await registry.api('PATCH', `/api/repositories/${id}`, { interval: 7200 });
      server.behave('hang');
      const begun = await registry.api('POST', `/api/repositories/${id}/sync`);
      while (processesWith(`${server.url}/tool.git`).length === 0) await sleep(20);
      await registry.stop('SIGKILL');
      server.behave({ onlyWith }); // the stalled connection stays stalled
      // the builder notices that no process waits for it, and releases the lock
      await expect.poll(() => processesWith(`${server.url}/tool.git`), { timeout: 60_000 }).toEqual([]);
      await registry.start();
      const now = await show();
      expect([patched.json['interval'], now['interval'], now['status']]).toEqual([7200, 7200, 'error']);
      expect(await ended(String(begun.json['id']))).toMatchObject({
        state: 'failed',
        error: { message: expect.stringContaining('Sync again') as string },
      });
      expect(await sync()).toMatchObject({ error: null, state: 'succeeded' });
      const other = await registry.api('POST', '/api/repositories', { type: 'git', url: `${server.url}/other.git` });
      await registry.stop('SIGKILL');
      await registry.start();
      expect((await registry.api('GET', `/api/repositories/${String(other.json['id'])}`)).json).toEqual(other.json);
      await registry.api('DELETE', `/api/repositories/${String(other.json['id'])}?confirm=${String(other.json['id'])}`);
    },
  );

  itInSeries('ends its sync with the service, together with all started processes', async () => {
    server.behave('hang');
    const begun = await registry.api('POST', `/api/repositories/${id}/sync`);
    const gits = (): string[] => processesWith(`${server.url}/tool.git`);
    while (gits().length === 0) await sleep(20);
    await registry.stop('SIGTERM');
    expect(gits()).toEqual([]);
    server.behave({ onlyWith });
    await registry.start();
    expect(await ended(String(begun.json['id']))).toMatchObject({
      state: 'failed',
      error: { message: expect.stringContaining('was stopped') as string },
    });
  });

  it('row 73: never shows its password', async () => {
    server.behave('hang');
    const begun = await registry.api('POST', `/api/repositories/${id}/sync`);
    while (processesWith(`${server.url}/tool.git`).length === 0) await sleep(20);
    const secrets = [password, Buffer.from(`ci:${password}`).toString('base64')];
    for (const line of processesWith('')) for (const secret of secrets) expect(line).not.toContain(secret);
    server.behave({ onlyWith });
    server.sever();
    const job = await ended(String(begun.json['id']));
    const outputs = [
      JSON.stringify([job, await show(), (await registry.api('GET', '/api/repositories')).json]),
      registry.output(),
      ...filesBelow(registry.data).map((file) => readFileSync(file, 'latin1')),
    ];
    for (const text of outputs) for (const secret of secrets) expect(text.includes(secret)).toBe(false);
  });

  itInSeries('is withdrawn when it is removed', async () => {
    const asked = await registry.api('DELETE', `/api/repositories/${id}`);
    expect(asked.json).toMatchObject({
      code: 'CONFIRMATION_REQUIRED',
      details: { confirm: id, packages: ['acme/tool'] },
    });
    expect((await registry.api('DELETE', `/api/repositories/${id}?confirm=${id}`)).json).toEqual({
      id,
      packages: ['acme/tool'],
    });
    const names = async (): Promise<unknown> =>
      (await registry.api('GET', '/packages.json', undefined, readToken)).json['available-packages'];
    while (((await names()) as string[]).length > 0) await sleep(25);
    expect(await installed('1.0.0')).toContain('could not be found');
    expect((await registry.cli('verify')).exitCode).toBe(0);
  });
});

/** Command lines of all processes that mention this. */
function processesWith(text: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        readlinkSync(`/proc/${pid}/exe`); // a zombie is no process: it has ended, and waits for its parent
        const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
        return line.includes(text) ? [line] : [];
      } catch {
        return [];
      }
    });
}
