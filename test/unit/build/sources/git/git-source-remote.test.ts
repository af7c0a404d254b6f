// Tests git sources behind a URL against git's own HTTP server on loopback.

import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { createGitSource } from '../../../../../build/sources/git/git-source.ts';
import type { Scan, Source, SourceMemory } from '../../../../../build/sources/release.ts';
import { startGitHttpServer, type GitHttpServer } from '../../../../util/git-http-server.ts';
import { currentCopy } from '../../../../util/git-scan.ts';
import { createRepository, type RepositoryStep, type TestRepository } from '../../../../util/git-repository.ts';
import { contentOf } from '../../../../util/content-of.ts';
import { itInSeries } from '../../../../util/series.ts';

const folder = mkdtempSync(join(tmpdir(), 'libretto-remote-'));
let server: GitHttpServer;
let repository: TestRepository;
let cacheDirectory: string;
let count = 0;
const now = (): Date => new Date();

const steps: readonly RepositoryStep[] = [
  { commit: 'trunk', files: { 'composer.json': '{"name":"acme/far"}', 'a.php': '<?php\n' } },
  { tag: '1.0.0', at: 'trunk', annotated: true },
  { branch: '1.x', from: 'trunk' },
];

beforeAll(async () => {
  server = await startGitHttpServer(folder);
});
beforeEach(() => {
  server.behave('well');
  count += 1;
  repository = createRepository(join(folder, `far-${count}.git`), steps, { bare: true, head: 'trunk' });
  cacheDirectory = join(folder, `cache-${count}`);
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

interface Options {
  readonly url?: string;
  readonly timeoutMs?: number;
  readonly askingTimeoutMs?: number;
  readonly environment?: Record<string, string>;
}

/** Scans as a build does: once more where the fetched data was incomplete. */
async function fetchAndScan(source: Source, previous: SourceMemory | undefined): Promise<Scan> {
  for (let attempt = 1; ; attempt += 1) {
    await source.fetch?.(previous);
    const found = await source.scan(previous);
    if (found.outcome !== 'unfetched' || attempt === 3) return found;
  }
}

/** Scans and reads all files of all releases, as a build does with new ones. */
async function scan(previous?: SourceMemory, options: Options = {}): Promise<Scan & { readonly contents?: string[] }> {
  const environment = { PATH: process.env['PATH'], HOME: folder, ...options.environment };
  const source = createGitSource({
    location: { kind: 'url', url: options.url ?? `${server.url}/far-${count}.git`, now },
    cacheDirectory,
    timeoutMs: options.timeoutMs ?? 20_000,
    askingTimeoutMs: options.askingTimeoutMs,
    environment,
  });
  try {
    const result = await fetchAndScan(source, previous);
    if (result.outcome !== 'read') return result;
    const contents: string[] = [];
    for (const release of result.releases) {
      const { files } = await contentOf(release).list();
      for await (const bytes of contentOf(release).read(files)) contents.push(Buffer.from(bytes).toString());
    }
    return { ...result, contents };
  } finally {
    await source.close();
  }
}

const requested = (): readonly string[] => (server.requests as string[]).splice(0);
const memoryOf = (result: Scan): SourceMemory => {
  if (result.outcome !== 'read') throw new Error(JSON.stringify(result));
  return result.memory;
};

describe('a git source behind a URL', () => {
  it('gives the versions of the remote with its default branch', async () => {
    const result = await scan();
    expect(result).toMatchObject({ outcome: 'read', quarantined: [], notices: [] });
    const releases = result.outcome === 'read' ? result.releases : [];
    expect(releases.map(({ version, defaultBranch }) => [version, defaultBranch])).toEqual([
      ['1.0.0', false],
      ['dev-trunk', true],
      ['1.x-dev', false],
    ]);
    expect(result.contents).toContain('<?php\n');
  });

  it('costs one request and no fetch while the remote has not moved, with or without its memory', async () => {
    const memory = memoryOf(await scan());
    requested();
    expect(await scan(memory)).toEqual({ outcome: 'unchanged' });
    expect(requested().filter((request) => request.startsWith('GET'))).toHaveLength(1);
    const again = await scan();
    expect(requested().filter((request) => request.startsWith('GET'))).toHaveLength(1);
    expect(memoryOf(again)).toEqual(memory);
  });

  it('follows moved, new, deleted and renamed refs and another HEAD', async () => {
    const memory = memoryOf(await scan());
    repository.append([{ deleteRef: 'refs/heads/1.x' }, { deleteRef: 'refs/tags/1.0.0' }]);
    repository.append([
      { commit: 'trunk', files: { 'a.php': '<?php // new\n' } },
      { tag: '1.1.0', at: 'trunk' },
      { branch: '1.x/deeper', from: 'trunk' },
    ]);
    repository.git('symbolic-ref', 'HEAD', 'refs/heads/1.x/deeper');
    const result = await scan(memory);
    expect(
      result.outcome === 'read' && result.releases.map(({ version, defaultBranch }) => [version, defaultBranch]),
    ).toEqual([
      ['1.1.0', false],
      ['dev-1.x/deeper', true],
      ['dev-trunk', false],
    ]);
    expect(result.contents).toContain('<?php // new\n');
  });

  it('gives the same result as the repository on this disk', async () => {
    const near = createGitSource({
      location: { kind: 'path', path: repository.path },
      cacheDirectory,
      timeoutMs: 120_000,
      environment: { PATH: process.env['PATH'] },
    });
    const local = await near.scan(undefined);
    await near.close();
    const { contents: _, ...far } = await scan();
    expect(JSON.stringify(far)).toBe(JSON.stringify(local));
  });

  itInSeries('replaces a copy that a kill left locked or half written', async () => {
    memoryOf(await scan());
    const copy = currentCopy(cacheDirectory);
    repository.append([{ commit: 'trunk', files: { b: '1' } }]);
    writeFileSync(join(copy, 'refs/heads/trunk.lock'), '');
    expect((await scan()).outcome).toBe('read');
    rmSync(join(copy, 'objects'), { recursive: true });
    expect((await scan()).outcome).toBe('read');
  });

  itInSeries('fetches again when its copy is broken, and no version suffers', async () => {
    memoryOf(await scan());
    const objects = join(currentCopy(cacheDirectory), 'objects');
    for (const name of readdirSync(objects)) rmSync(join(objects, name), { recursive: true });
    const mended = await scan();
    expect(mended).toMatchObject({ outcome: 'read', quarantined: [] });
    expect(await scan(memoryOf(mended))).toEqual({ outcome: 'unchanged' });
  });

  it.each([
    ['refuse', /not found.*Check the address/i],
    ['askForPassword', /credential/],
  ] as const)('fails with the reason when the server has the fault %s', async (behaviour, reason) => {
    server.behave(behaviour);
    expect(await scan()).toEqual({ outcome: 'failed', reason: expect.stringMatching(reason) });
  });

  it('fails when the server is gone, stops halfway, or never answers', async () => {
    server.behave('failFetches');
    expect(await scan()).toMatchObject({ outcome: 'failed' });
    server.behave('hang');
    expect(await scan(undefined, { timeoutMs: 400 })).toEqual({
      outcome: 'failed',
      reason: expect.stringMatching(/took longer than/),
    });
    expect(await scan(undefined, { url: 'http://127.0.0.1:1/x.git' })).toEqual({
      outcome: 'failed',
      reason: expect.stringMatching(/Check the address/),
    });
  });

  it('waits less for the list of refs than for the fetch', async () => {
    server.behave('hang');
    expect(await scan(undefined, { timeoutMs: 600_000, askingTimeoutMs: 400 })).toEqual({
      outcome: 'failed',
      reason: expect.stringMatching(/took longer than/),
    });
  });

  it('is named next to the archives of its root, and not for folders that need a checkout of the whole', async () => {
    repository.append([{ commit: 'trunk', files: { 'packages/b/composer.json': '{"name":"acme/near"}' } }]);
    const url = `${server.url}/far-${count}.git`;
    const source = createGitSource({
      location: { kind: 'url', url, now },
      cacheDirectory,
      timeoutMs: 120_000,
      environment: { PATH: process.env['PATH'], HOME: folder },
      subdirectories: ['.', 'packages/*'],
      referenceSource: 'include',
    });
    const result = await fetchAndScan(source, undefined);
    await source.close();
    const named = new Set(
      result.outcome === 'read' ? result.releases.map(({ name, sourceUrl }) => `${name} ${String(sourceUrl)}`) : [],
    );
    expect(named).toEqual(new Set([`acme/far ${url}`, 'acme/near undefined']));
  });

  it("uses git's configured credential helper, and stores nothing of its answer", async () => {
    server.behave('askForPassword');
    const environment = {
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'credential.helper',
      GIT_CONFIG_VALUE_0: '!f() { echo username=me; echo password=s3cret; }; f',
    };
    const result = await scan(undefined, { environment });
    expect(result.outcome).toBe('read');
    expect(server.authorizations.at(-1)).toBe(`Basic ${Buffer.from('me:s3cret').toString('base64')}`);
    expect(JSON.stringify(result)).not.toContain('s3cret');
    expect(JSON.stringify(readdirSync(cacheDirectory, { recursive: true }))).not.toContain('s3cret');
  });

  it('is refused with credentials in its URL, without a process or a request', async () => {
    requested();
    const result = await scan(undefined, {
      url: server.url.replace('//', '//me:s3cret@'),
      environment: { PATH: '/nonexistent' },
    });
    expect(result).toEqual({ outcome: 'failed', reason: expect.stringContaining('credential helper') });
    expect(JSON.stringify(result)).not.toContain('s3cret');
    expect(requested()).toEqual([]);
    expect(existsSync(cacheDirectory)).toBe(false);
  });

  it('runs no hook and writes no FETCH_HEAD', async () => {
    memoryOf(await scan());
    const copy = currentCopy(cacheDirectory);
    expect(existsSync(join(copy, 'hooks'))).toBe(false);
    expect(existsSync(join(copy, 'FETCH_HEAD'))).toBe(false);
  });
});
