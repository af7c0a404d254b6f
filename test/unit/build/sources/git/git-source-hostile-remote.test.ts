// Tests hostile and broken git servers: the source fails with a reason within its limits, or gives the usable refs.
// Fetched data is never lost.

import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Scan } from '../../../../../build/sources/release.ts';
import { startGitHttpServer, type GitHttpServer } from '../../../../util/git-http-server.ts';
import { createRepository, type TestRepository } from '../../../../util/git-repository.ts';
import { currentCopy, withReleases, withScan, type ScanOptions } from '../../../../util/git-scan.ts';
import { createGitShim } from '../../../../util/git-shim.ts';
import { temporaryFolder } from '../../../../util/temporary-folder.ts';
import { describeInSeries, itInSeries } from '../../../../util/series.ts';

const folder = temporaryFolder('hostile-remote');
let server: GitHttpServer;
let repository: TestRepository;
let options: ScanOptions;
let count = 0;

beforeAll(async () => {
  server = await startGitHttpServer(folder.path);
});
beforeEach(() => {
  server.behave('well');
  count += 1;
  repository = createRepository(
    folder.at(`r${count}.git`),
    [
      { commit: 'main', files: { 'composer.json': '{"name":"acme/far"}' } },
      { tag: '1.0.0', at: 'main' },
    ],
    { bare: true },
  );
  options = {
    url: `${server.url}/r${count}.git`,
    cacheDirectory: folder.at(`cache-${count}`),
    environment: { PATH: process.env['PATH'], HOME: folder.path },
  };
});
afterAll(async () => {
  await server.close();
  await folder.remove();
});

const scan = (more: Partial<ScanOptions> = {}): Promise<Scan> => withScan({ ...options, ...more }, (result) => result);
const failure = async (more: Partial<ScanOptions> = {}): Promise<string> => {
  const result = await scan(more);
  if (result.outcome !== 'failed') throw new Error(JSON.stringify(result));
  return result.reason;
};
const versions = (result: Scan): string[] =>
  result.outcome === 'read' ? result.releases.map(({ version }) => version) : [];
const copy = (): string => currentCopy(options.cacheDirectory);
/** All stored files of all remotes. */
const keptFiles = (): string[] =>
  readdirSync(options.cacheDirectory).flatMap((name) => readdirSync(join(options.cacheDirectory, name)));
const packsOf = (directory: string): string[] => readdirSync(join(directory, 'objects/pack'));
const tip = (): string => repository.git('rev-parse', 'main');

describe('row 72: a hostile or broken remote', () => {
  it.each([
    ['refuse', /not found/],
    ['fail', /500/],
    ['askForPassword', /credential/],
  ] as const)('a remote with the fault %s fails with the reason and leaves no copy', async (behaviour, reason) => {
    server.behave(behaviour);
    expect(await failure()).toMatch(reason);
    expect(existsSync(options.cacheDirectory)).toBe(false);
  });

  it('a remote that sends an endless pack is cut off at the size limit, and its data is removed', async () => {
    server.behave({ endless: 'pack' });
    expect(await failure({ maxBytes: 20 * 1024 * 1024 })).toMatch(/larger than 20 MiB/);
    expect(keptFiles()).toEqual([]);
  });

  itInSeries('a remote that later sends an endless pack does not remove earlier data', async () => {
    const { memory } = await withReleases(options, (result) => result);
    repository.append([{ commit: 'main', files: { b: '1' } }]);
    server.behave({ endless: 'pack' });
    const before = packsOf(copy());
    expect(await failure({ maxBytes: 20 * 1024 * 1024, previous: memory })).toMatch(/larger than/);
    expect(packsOf(copy())).toEqual(before);
    server.behave('well');
    expect(versions(await scan({ previous: memory }))).toEqual(['1.0.0', 'dev-main']);
  });

  it('a repository that is too large is reported as such, and none of its data stays', async () => {
    repository.append([{ commit: 'main', files: { big: { mode: '100644', content: randomBytes(300_000) } } }]);
    expect(await failure({ maxBytes: 100_000 })).toMatch(/larger than 97\.7 KiB.*path of the clone as the source/);
    expect(keptFiles()).toEqual([]);
  });

  itInSeries.skipIf(process.platform !== 'linux')(
    'a remote that lists refs without end is cut off by memory, not by time',
    async () => {
      server.behave({ endless: 'refs' });
      expect(await failure()).toMatch(/memory|list of refs/);
    },
  );

  it('a remote that never ends is stopped with all processes that the fetch started', async () => {
    server.behave({ endless: 'pack' });
    expect(await failure({ timeoutMs: 700 })).toMatch(/took longer than/);
    const running = execFileSync('ps', ['-eo', 'args']).toString();
    expect(running).not.toContain(options.url ?? '');
  });

  it('a remote whose ref names look like options, are invalid or are no text gives its usable refs', async () => {
    const id = tip();
    server.behave({
      refs: [
        `${id} HEAD`,
        `${id} refs/heads/--output=x`,
        `${id} refs/heads/-c`,
        `${id} refs/heads/a\u0007b`,
        `${id} refs/heads/a..b`,
        `${id} refs/heads/x.lock`,
        `${id} refs/heads/a\\b`,
        `${id} refs/heads/main`,
        `${id} refs/other/x`,
        `${id} refs/tags/1.0.\xfc`,
        `${id} refs/tags/2.0.0`,
      ],
    });
    const first = await withReleases(options, (result) => result);
    expect(versions(first)).toEqual(['2.0.0', 'dev-main']);
    expect(first.quarantined.map(({ code }) => code)).toEqual(['UNSAFE_PATH']);
    expect(await scan({ previous: first.memory })).toEqual({ outcome: 'unchanged' });
    expect(existsSync(folder.at('x'))).toBe(false);
  });

  itInSeries.each([
    ['a ref that cannot be a file', (id: string) => [`${id} refs/heads/main`, `${id} refs/heads/main/below`]],
    ['a name with a space', (id: string) => [`${id} refs/heads/main`, `${id} refs/heads/a b`]],
    ['a commit it does not have', () => [`${'12'.repeat(20)} refs/heads/main`]],
    ['a name longer than a file may have', (id: string) => [`${id} refs/heads/${'x'.repeat(5000)}`]],
  ])('a remote that advertises %s fails, and a later fetch succeeds', async (_, refs) => {
    server.behave({ refs: refs(tip()) });
    expect((await failure()).length).toBeGreaterThan(20);
    server.behave('well');
    expect(versions(await scan())).toEqual(['1.0.0', 'dev-main']);
  });

  it.each(['http://127.0.0.1:1', 'https://127.0.0.1:1', 'file://', 'ftp://127.0.0.1:1'])(
    'a remote that redirects to %s is not followed',
    async (redirect) => {
      server.behave({ redirect });
      expect(await failure()).toMatch(/redirect/);
    },
  );

  it('moved, deleted and renamed tags are all noticed', async () => {
    const { memory } = await withReleases(options, (result) => result);
    repository.append([{ commit: 'main', files: { moved: '1' } }, { deleteRef: 'refs/tags/1.0.0' }]);
    repository.git('tag', '1.0.0', 'main');
    repository.git('branch', '-m', 'main', 'trunk');
    const result = await withReleases({ ...options, previous: memory }, (again) => again);
    expect(result.releases.map(({ version, reference, defaultBranch }) => [version, reference, defaultBranch])).toEqual(
      [
        ['1.0.0', repository.git('rev-parse', 'trunk'), false],
        ['dev-trunk', repository.git('rev-parse', 'trunk'), true],
      ],
    );
  });
});

describeInSeries('a build that was killed during a fetch', () => {
  it('is completed by the next build', async () => {
    await scan();
    repository.append([{ commit: 'main', files: { b: '1' } }]);
    writeFileSync(join(copy(), 'objects/pack/tmp_pack_abc'), 'half a pack');
    for (const lock of ['packed-refs.lock', 'refs/heads/main.lock', 'HEAD.lock', 'config.lock', 'shallow.lock']) {
      mkdirSync(join(copy(), lock, '..'), { recursive: true });
      writeFileSync(join(copy(), lock), '');
    }
    expect(versions(await scan())).toEqual(['1.0.0', 'dev-main']);
    expect(packsOf(copy()).filter((name) => name.startsWith('tmp_'))).toEqual([]);
  });

  it('leaves nothing behind when it was killed at the start of the fetch', async () => {
    await scan();
    const directory = copy();
    execFileSync('sh', ['-c', 'rm -r "$1"/HEAD "$1"/refs "$1"/packed-refs', 'sh', directory]);
    expect(versions(await scan())).toEqual(['1.0.0', 'dev-main']);
  });
});

describe('an unchanged remote', () => {
  it('costs one git process, whatever the options', async () => {
    const shim = createGitShim(folder.at('shim'));
    const asking = {
      ...options,
      environment: { ...options.environment, PATH: shim.path },
      refs: { tags: ['1.*'] },
      referenceSource: 'include' as const,
    };
    const { memory, releases } = await withReleases(asking, (result) => result);
    expect(releases.map(({ sourceUrl }) => sourceUrl)).toEqual([options.url, options.url]);
    shim.calls();
    expect(await scan({ ...asking, previous: memory })).toEqual({ outcome: 'unchanged' });
    expect(shim.calls()).toEqual([expect.stringContaining(' ls-remote --symref -- ')]);
  });
});
