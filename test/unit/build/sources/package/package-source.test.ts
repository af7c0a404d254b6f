// Tests packages described in libretto.json: the required fields of their records, and the fetch of their dists.

import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../../build/contract/json.ts';
import { FetchNeeded } from '../../../../../build/contract/refusals.ts';
import { createPackageSource, type PackageSourceOptions } from '../../../../../build/sources/package/package-source.ts';
import type { ReadyArchive } from '../../../../../build/archive/content.ts';
import type { Release, Scan, SourceMemory } from '../../../../../build/sources/release.ts';
import { answerWith, startDistServer, type DistServer } from '../../../../util/dist-server.ts';
import { labels, onlyQuarantine, releaseOf, stored, type ReadScan } from '../../../../util/directory-scan.ts';
import { zipOf } from '../../../../util/hostile-zip.ts';
import { temporaryFolder, type TemporaryFolder } from '../../../../util/temporary-folder.ts';

let folder: TemporaryFolder;
let server: DistServer;
beforeEach(async () => {
  folder = temporaryFolder('inline');
  server = await startDistServer();
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
  await folder.remove();
});

const library = zipOf([{ name: 'lib/a.php', data: '<?php' }]);
const other = zipOf([{ name: 'lib/b.php', data: '<?php' }]);
const sha1 = (bytes: Buffer): string => createHash('sha1').update(bytes).digest('hex');
const record = (dist: object, more: object = {}): JsonObject =>
  ({ name: 'Acme/Lib', version: '1.0.0', dist: { type: 'zip', ...dist }, ...more }) as JsonObject;

async function scan(
  packages: readonly JsonObject[],
  previous?: SourceMemory,
  more: Partial<PackageSourceOptions> = {},
): Promise<Scan> {
  const source = open(packages, more);
  await source.fetch?.(previous);
  const found = await source.scan(previous);
  await source.close();
  return found;
}

function open(
  packages: readonly JsonObject[],
  more: Partial<PackageSourceOptions> = {},
): ReturnType<typeof createPackageSource> {
  const defaults = {
    directory: folder.path,
    where: 'libretto.json: sources[2]',
    cacheDirectory: folder.at('cache'),
    allowAddresses: ['127.0.0.1'],
  };
  return createPackageSource({ packages, ...defaults, now: () => new Date(Date.now() + 10_000), ...more });
}

async function read(...input: Parameters<typeof scan>): Promise<ReadScan> {
  const found = await scan(...input);
  if (found.outcome !== 'read') throw new Error(`expected to read, but: ${JSON.stringify(found)}`);
  return found;
}

const copyOf = (release: Release, target: string): ReturnType<ReadyArchive['copyTo']> =>
  (release.content as ReadyArchive).copyTo(target);

describe('a dist', () => {
  it('is fetched once and published byte for byte, with the record as composer.json', async () => {
    server.answers.set('/lib.zip', answerWith(library));
    const inline = record(
      { url: `${server.url}/lib.zip?token=t0ken`, shasum: sha1(library).toUpperCase() },
      { require: { php: '>=8' }, time: '2020-01-02 03:04:05' },
    );
    const first = await read([inline]);
    const release = releaseOf(first, 'acme/lib 1.0.0');
    expect(release).toMatchObject({
      normalized: '1.0.0.0',
      dev: false,
      time: '2020-01-02T03:04:05+00:00',
      reference: createHash('sha256').update(library).digest('hex').slice(0, 40),
      where: 'libretto.json: sources[2], acme/lib 1.0.0',
    });
    expect(await release.composerJson()).toMatchObject({ require: { php: '>=8' } });
    expect(await copyOf(release, folder.at('copy'))).toEqual({ shasum: sha1(library), size: library.length });
    expect(readFileSync(folder.at('copy')).equals(library)).toBe(true);
    expect(await scan([inline], stored(first.memory))).toEqual({ outcome: 'unchanged' });
    expect(labels(await read([inline]))).toEqual(['acme/lib 1.0.0']);
    expect(server.requests).toHaveLength(1);
    expect(JSON.stringify([first.memory, readdirSync(folder.at('cache'))])).not.toMatch(/t0ken|lib\.zip/);
  });

  it('may be a file relative to libretto.json', async () => {
    mkdirSync(folder.at('dists'));
    writeFileSync(folder.at('dists/lib.zip'), library);
    const inline = record({ url: 'dists/lib.zip', shasum: sha1(library) });
    const first = await read([inline]);
    expect(await copyOf(releaseOf(first, 'acme/lib 1.0.0'), folder.at('copy'))).toMatchObject({
      shasum: sha1(library),
    });
    expect(await scan([inline], stored(first.memory))).toEqual({ outcome: 'unchanged' });
    writeFileSync(folder.at('dists/lib.zip'), other);
    expect(onlyQuarantine(await read([inline], stored(first.memory)))).toMatchObject({
      code: 'DIST_MISMATCH',
      name: 'acme/lib',
      version: '1.0.0',
    });
    rmSync(folder.at('dists/lib.zip'));
    expect(onlyQuarantine(await read([inline], stored(first.memory)))).toMatchObject({
      code: 'UNREACHABLE_DIST',
      message: expect.stringContaining('dists/lib.zip cannot be read'),
    });
  });

  it('is fetched again where its reference changes', async () => {
    server.answers.set('/main.zip', answerWith(library));
    const main = (reference: string): JsonObject =>
      record({ url: `${server.url}/main.zip`, reference }, { version: 'dev-main', 'default-branch': true });
    const first = await read([main('a')]);
    server.answers.set('/main.zip', answerWith(other));
    expect(await scan([main('a')], stored(first.memory))).toEqual({ outcome: 'unchanged' });
    const second = await read([main('b')], stored(first.memory));
    expect(releaseOf(second, 'acme/lib dev-main')).toMatchObject({ dev: true, defaultBranch: true });
    expect(releaseOf(second, 'acme/lib dev-main').reference).not.toBe(releaseOf(first, 'acme/lib dev-main').reference);
  });

  it('a dist that the cache lost is fetched again when needed, and refused if it changed', async () => {
    server.answers.set('/lib.zip', answerWith(library));
    const inline = record({ url: `${server.url}/lib.zip` });
    const { memory } = await read([inline]);
    for (const name of readdirSync(folder.at('cache'))) writeFileSync(folder.at('cache', name), 'damaged');
    const source = open([{ ...inline, description: 'new' }]);
    const lookAgain = async (): Promise<Release> => {
      await source.fetch?.(stored(memory));
      return releaseOf((await source.scan(stored(memory))) as ReadScan, 'acme/lib 1.0.0');
    };
    const release = await lookAgain();
    expect(server.requests).toHaveLength(1);
    await expect(copyOf(release, folder.at('copy'))).rejects.toThrow(FetchNeeded);
    expect(await copyOf(await lookAgain(), folder.at('copy'))).toMatchObject({ shasum: sha1(library) });
    expect(server.requests).toHaveLength(2);
    await source.close();
  });

  it('a dist that the cache lost and that has other bytes now is refused', async () => {
    server.answers.set('/lib.zip', answerWith(library));
    const inline = record({ url: `${server.url}/lib.zip` });
    const { memory } = await read([inline]);
    rmSync(folder.at('cache'), { recursive: true });
    server.answers.set('/lib.zip', answerWith(other));
    const source = open([{ ...inline, description: 'new' }]);
    const copied = async (): Promise<unknown> => {
      await source.fetch?.(stored(memory));
      return copyOf(releaseOf((await source.scan(stored(memory))) as ReadScan, 'acme/lib 1.0.0'), folder.at('copy'));
    };
    await expect(copied()).rejects.toThrow(FetchNeeded);
    await expect(copied()).rejects.toMatchObject({ code: 'DIST_MISMATCH' });
    await source.close();
  });

  it('is fetched once for two versions that share it', async () => {
    server.answers.set('/lib.zip', answerWith(library));
    const url = `${server.url}/lib.zip`;
    expect(labels(await read([record({ url }), record({ url }, { version: '1.0.1' })]))).toEqual([
      'acme/lib 1.0.0',
      'acme/lib 1.0.1',
    ]);
    expect(server.requests).toHaveLength(1);
  });
});

describe('a faulty entry excludes its own version only', () => {
  const good = (): JsonObject => record({ url: `${server.url}/good.zip` }, { name: 'acme/good' });
  beforeEach(() => void server.answers.set('/good.zip', answerWith(other)));

  it.each<[string, () => JsonObject, string, string]>([
    ['a dist that is not there', () => record({ url: `${server.url}/missing.zip` }), 'UNREACHABLE_DIST', 'status 404'],
    [
      'a dist at an inside address',
      () => record({ url: 'http://169.254.169.254/x.zip' }),
      'EGRESS_DENIED',
      'egress.allow',
    ],
    [
      'credentials in the URL',
      () => record({ url: 'https://me:s3cret@host.example/x.zip' }),
      'EGRESS_DENIED',
      'COMPOSER_AUTH',
    ],
    [
      'other bytes than promised',
      () => record({ url: `${server.url}/lib.zip`, shasum: sha1(other) }),
      'DIST_MISMATCH',
      sha1(library),
    ],
    ['a dist that is no ZIP', () => record({ url: `${server.url}/page` }), 'ARCHIVE_UNREADABLE', 'not a ZIP file'],
    ['a hostile ZIP', () => record({ url: `${server.url}/hostile.zip` }), 'ARCHIVE_UNSAFE', '../evil'],
    [
      'a dist of another type',
      () => record({ type: 'tar', url: `${server.url}/lib.tar` }),
      'INVALID_DIST',
      'type "tar", and only "zip"',
    ],
    ['a dist without URL', () => record({}), 'INVALID_DIST', 'no "url"'],
    ['another scheme', () => record({ url: 'ftp://host/x.zip' }), 'INVALID_DIST', 'ftp://'],
    [
      'a shasum that is none',
      () => record({ url: `${server.url}/lib.zip`, shasum: 'abc' }),
      'INVALID_DIST',
      'not a SHA-1',
    ],
    [
      'a source only',
      () => ({ name: 'acme/lib', version: '1.0.0', source: { type: 'git', url: 'x', reference: 'y' } }),
      'INVALID_DIST',
      'source of type git',
    ],
    ['no dist', () => ({ name: 'acme/lib', version: '1.0.0' }), 'INVALID_DIST', 'no dist'],
    ['no version', () => record({ url: 'x.zip' }, { version: null }), 'VERSION_INVALID', 'no version'],
    ['a bad version', () => record({ url: 'x.zip' }, { version: 'latest' }), 'VERSION_INVALID', 'latest'],
    ['a bad link', () => record({ url: 'x.zip' }, { require: { php: 'x y z' } }), 'CONSTRAINT_INVALID', 'require'],
    ['no name', () => record({ url: 'x.zip' }, { name: null }), 'NAME_MISSING', 'no name'],
  ])('for %s', async (_what, make, code, message) => {
    server.answers.set('/lib.zip', answerWith(library));
    server.answers.set('/page', answerWith('<html>sign in</html>'));
    server.answers.set('/hostile.zip', answerWith(zipOf([{ name: '../evil', data: 'x' }])));
    const found = await read([make(), good()]);
    expect(labels(found)).toEqual(['acme/good 1.0.0']);
    const quarantine = onlyQuarantine(found);
    expect(quarantine).toMatchObject({
      code,
      message: expect.stringContaining(message),
      name: code === 'NAME_MISSING' ? null : 'acme/lib',
    });
    expect(quarantine.where).toMatch(/^libretto\.json: sources\[2\], (?:acme\/lib|package 1)/);
    expect(JSON.stringify(found)).not.toContain('s3cret');
    expect(readdirSync(folder.at('cache'))).toHaveLength(1);
  });

  it('a failed dist is tried again in the next build', async () => {
    const inline = record({ url: `${server.url}/late.zip` });
    const first = await read([inline, good()]);
    expect((await read([inline, good()], stored(first.memory))).quarantined).toHaveLength(1);
    server.answers.set('/late.zip', answerWith(library));
    expect(labels(await read([inline, good()], stored(first.memory)))).toEqual(['acme/good 1.0.0', 'acme/lib 1.0.0']);
    expect(server.requests.filter(({ path }) => path === '/good.zip')).toHaveLength(1);
  });
});

describe('the dists of a host that hangs', () => {
  it('are left out without a request for each, and are asked for again by the next build', async () => {
    for (let index = 0; index < 8; index += 1) server.answers.set(`/${index}.zip`, () => undefined);
    const hanging = Array.from({ length: 8 }, (_, index) =>
      record({ url: `${server.url}/${index}.zip` }, { version: `1.0.${index}` }),
    );
    const first = await read(hanging, undefined, { leastSpeed: { bytes: 1000, ms: 200 } });
    expect(first.quarantined.map(({ code }) => code)).toEqual(Array.from({ length: 8 }, () => 'UNREACHABLE_DIST'));
    expect(first.quarantined.at(-1)?.message).toBe(
      `${server.host} did not answer another download in time, and was not asked.`,
    );
    expect(server.requests).toHaveLength(4);
    for (let index = 0; index < 8; index += 1) server.answers.set(`/${index}.zip`, answerWith(library));
    expect(labels(await read(hanging, stored(first.memory)))).toHaveLength(8);
  });
});

describe('a record', () => {
  it('the record of a metapackage needs no dist', async () => {
    const release = releaseOf(
      await read([{ name: 'acme/meta', version: '2.0.0', type: 'metapackage', require: { 'acme/lib': '^1' } }]),
      'acme/meta 2.0.0',
    );
    if ('copyTo' in release.content) throw new Error('nothing was fetched that could be copied');
    const { files } = await release.content.list();
    const pieces: Uint8Array[] = [];
    for await (const piece of release.content.read(files)) pieces.push(piece);
    expect(files.map(({ path }) => path)).toEqual(['composer.json']);
    expect(JSON.parse(Buffer.concat(pieces).toString())).toMatchObject({
      name: 'acme/meta',
      require: { 'acme/lib': '^1' },
    });
  });

  it('has no source, and the report mentions that', async () => {
    server.answers.set('/lib.zip', answerWith(library));
    const source = { type: 'git', url: 'https://example.org/lib.git', reference: 'abc' };
    expect((await read([record({ url: `${server.url}/lib.zip` }, { source })])).notices).toEqual([
      expect.stringMatching(/the "source" of Acme\/Lib 1\.0\.0 is left out/),
    ]);
  });

  it('a version that is listed twice is published from neither record', async () => {
    server.answers.set('/lib.zip', answerWith(library));
    const url = `${server.url}/lib.zip`;
    expect(
      (await read([record({ url }), record({ url }, { version: 'v1.0' })])).quarantined.map(({ code }) => code),
    ).toEqual(['DUPLICATE_VERSION', 'DUPLICATE_VERSION']);
  });

  it('a changed record is noticed', async () => {
    server.answers.set('/lib.zip', answerWith(library));
    const dist = { url: `${server.url}/lib.zip` };
    const first = await read([record(dist)]);
    expect((await scan([record(dist, { description: 'new' })], stored(first.memory))).outcome).toBe('read');
  });
});
