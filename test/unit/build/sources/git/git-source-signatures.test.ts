// Tests the signatures of tags in repositories of all kinds: behind a URL, with SHA-256 ids, with packages in folders.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { readSigners, type Signers } from '../../../../../build/sources/git/signers.ts';
import type { SourceMemory } from '../../../../../build/sources/release.ts';
import { startGitHttpServer, type GitHttpServer } from '../../../../util/git-http-server.ts';
import { createRepository, testGitEnvironment, type TestRepository } from '../../../../util/git-repository.ts';
import { withReleases, withScan, type ReadScan } from '../../../../util/git-scan.ts';
import { createSigningKey, tag, type SigningKey } from '../../../../util/signed-repository.ts';
import { lacks } from '../../../../util/tool.ts';

describe.skipIf(lacks('git', 'ssh-keygen'))('signatures of tags', () => {
  const folder = mkdtempSync(join(tmpdir(), 'libretto-signatures-'));
  const cacheDirectory = join(folder, 'cache');
  let server: GitHttpServer;
  let key: SigningKey;
  let signers: Signers | undefined;

  beforeAll(async () => {
    server = await startGitHttpServer(folder);
    key = createSigningKey(folder, 'ann');
    writeFileSync(join(folder, 'signers'), `ann@example.org ${key.publicKey}\n`);
    signers = await readSigners({ ssh: join(folder, 'signers') }, testGitEnvironment);
  });
  afterAll(async () => {
    await server.close();
    rmSync(folder, { recursive: true });
  });

  const composer = (name: string): string => JSON.stringify({ name });
  const create = (name: string, files: Record<string, string>, objectFormat: 'sha1' | 'sha256' = 'sha1') =>
    createRepository(join(folder, `${name}.git`), [{ commit: 'main', files }], { bare: true, objectFormat });
  const signed = ({ releases, former = [] }: ReadScan): Record<string, string | undefined> =>
    Object.fromEntries([...releases, ...former].map((one) => [`${one.name} ${one.version}`, one.signedBy]));
  const scanPath = ({ path }: TestRepository, more: { readonly subdirectories?: readonly string[] } = {}) =>
    withReleases({ path, cacheDirectory, signers, ...more }, signed);

  it('are judged in the copy of a remote repository, and again for another list without a moved ref', async () => {
    const repository = create('far', { 'composer.json': composer('acme/far') });
    tag(repository, '1.0.0', { at: 'main', key });
    const url = `${server.url}/far.git`;
    const environment = { PATH: testGitEnvironment.PATH, HOME: folder };
    const options = { url, cacheDirectory, environment };
    const unknown = await withReleases(
      options,
      ({ memory, ...scan }) => [memory, signed({ memory, ...scan })] as const,
    );
    expect(unknown[1]).toMatchObject({ 'acme/far 1.0.0': undefined });
    const known = await withReleases({ ...options, signers, previous: unknown[0] }, (scan) => [
      scan.memory,
      signed(scan),
    ]);
    expect(known[1]).toMatchObject({ 'acme/far 1.0.0': 'ann@example.org' });
    const previous = known[0] as SourceMemory;
    expect(await withScan({ ...options, signers, previous }, ({ outcome }) => outcome)).toBe('unchanged');
  });

  it('are judged in a repository with SHA-256 ids', async () => {
    const repository = create('long', { 'composer.json': composer('acme/long') }, 'sha256');
    tag(repository, '1.0.0', { at: 'main', key });
    expect(await scanPath(repository)).toMatchObject({ 'acme/long 1.0.0': 'ann@example.org' });
  });

  it('count for every package of a tag, also under its former name', async () => {
    const repository = create('mono', {
      'a/composer.json': composer('acme/old'),
      'b/composer.json': composer('acme/b'),
    });
    tag(repository, '1.0.0', { at: 'main', key });
    repository.append([{ commit: 'main', files: { 'a/composer.json': composer('acme/new') } }]);
    expect(await scanPath(repository, { subdirectories: ['*'] })).toMatchObject({
      'acme/new 1.0.0': 'ann@example.org',
      'acme/old 1.0.0': 'ann@example.org',
      'acme/b 1.0.0': 'ann@example.org',
    });
  });

  it('count for the commit behind a tag of a tag, if the outer tag is signed', async () => {
    const repository = create('nested', { 'composer.json': composer('acme/nested') });
    tag(repository, '1.0.0', { at: 'main' });
    tag(repository, '1.1.0', { at: '1.0.0', key });
    tag(repository, '2.0.0', { at: 'main', key });
    tag(repository, '2.1.0', { at: '2.0.0' });
    expect(await scanPath(repository)).toMatchObject({
      'acme/nested 1.0.0': undefined,
      'acme/nested 1.1.0': 'ann@example.org',
      'acme/nested 2.0.0': 'ann@example.org',
      'acme/nested 2.1.0': undefined,
    });
  });

  it('do not count after a change of the signed text', async () => {
    const repository = create('forged', { 'composer.json': composer('acme/forged') });
    tag(repository, '1.0.0', { at: 'main', key });
    const text = repository.git('cat-file', 'tag', '1.0.0').replace('Release 1.0.0', 'Release 1.0.1');
    writeFileSync(join(folder, 'forged'), `${text}\n`);
    const forged = repository.git('hash-object', '-t', 'tag', '-w', join(folder, 'forged'));
    repository.git('update-ref', 'refs/tags/1.0.0', forged);
    expect(await scanPath(repository)).toMatchObject({ 'acme/forged 1.0.0': undefined });
  });
});
