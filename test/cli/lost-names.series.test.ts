// Tests that a private package without its files stays private (I9), because packages.json still names the package. No
// command drops the name while the announcement is lost too. The recovery of a lost list needs no document of any
// package.

import { readFileSync, rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { libraryTree, writeTree } from '../util/package-tree.ts';
import { registryCopy } from '../util/registry-copy.ts';

const [announcement, tombstones, withdrawn] = [
  'index/_publication.json',
  'index/_purged.json',
  'index/_withheld.json',
] as const;
const ofHidden = ['index/acme/hidden.json', 'public/p2/acme/hidden.json', 'public/dist/acme/hidden'] as const;
const whole = ['acme/hidden@1.0.0', 'acme/lib@1.0.0', 'acme/lib@1.1.0'];

/** acme/lib 1.2.0 is purged, and 1.3.0 is withdrawn by hand. */
const { at, data, libretto, succeeds, lose, versions } = registryCopy({}, async () => {
  for (const version of ['1.0.0', '1.1.0', '1.2.0', '1.3.0'])
    writeTree(at(`lib/${version}`), libraryTree('acme/lib', { version }));
  writeTree(at('hidden'), libraryTree('acme/hidden', { version: '1.0.0' }));
  writeTree(at('up'), libraryTree('acme/up', { version: '1.0.0' }));
  await succeeds('build', 'lib', 'hidden');
  await succeeds('package', 'purge', 'acme/lib', '1.2.0', '--reason', 'secret', '--yes');
  await succeeds('package', 'withdraw', 'acme/lib', '1.3.0');
});
const listed = (): unknown =>
  (JSON.parse(readFileSync(data('public/packages.json'), 'utf8')) as Record<string, unknown>)['available-packages'];

describe('a package without its files, while the announcement is lost', () => {
  it.each([
    [['build'], ofHidden],
    [['build', 'lib', 'hidden'], ofHidden],
    [['build'], ofHidden.slice(0, 2)],
    [['package', 'withdraw', 'acme/lib', '1.1.0'], ofHidden],
    [['publish', 'up'], ofHidden],
  ])('is named by %j, and its name stays private', async (command, lost) => {
    lose(announcement, ...lost);
    const { exitCode, stderr } = await libretto(...command);
    expect([exitCode, stderr]).not.toEqual([0, expect.anything()]);
    expect(stderr).toContain('serving index of acme/hidden are lost');
    expect(listed()).toEqual(['acme/hidden', 'acme/lib']);
  });

  it.each([[['build', '--allow-withdraw']], [['build', 'lib', 'hidden', '--allow-withdraw']]])(
    'returns by the printed repair: %j',
    async (command) => {
      lose(announcement, ...ofHidden);
      const { stderr } = await libretto('build');
      expect(stderr).toContain('libretto build --allow-withdraw');
      await succeeds(...command);
      expect(versions()).toEqual(whole);
      await succeeds('verify');
    },
  );

  it.each([
    [announcement, ...ofHidden],
    ['build/manifest.json', ...ofHidden],
    [announcement, 'public/packages.json', ...ofHidden],
  ])('stays private where no source has the package any more, after the loss of %s', async (...lost) => {
    lose(...lost);
    rmSync(at('hidden/composer.json'));
    await libretto('build', '--allow-withdraw');
    expect([listed(), privateNames()]).toEqual([['acme/lib'], ['acme/hidden']]);
  });

  it('stays private after its withdrawal, when its index and the manifest are lost', async () => {
    await succeeds('build', 'lib', '--forget', 'hidden');
    lose('index/acme/hidden.json', 'public/dist/acme/hidden', 'build/manifest.json');
    await succeeds('build');
    expect([listed(), privateNames()]).toEqual([['acme/lib'], ['acme/hidden']]);
  });
});

const privateNames = (): unknown =>
  (JSON.parse(readFileSync(data(announcement), 'utf8')) as { readonly withdrawn: unknown }).withdrawn;

describe('the recovery of a list, while the announcement and a document are lost', () => {
  const bringBack = {
    [tombstones]: ['package', 'recover-purged'],
    [withdrawn]: ['package', 'withdraw', 'acme/lib', '1.3.0'],
  } as const;

  it.each([
    [tombstones, 'acme/lib'],
    [tombstones, 'acme/hidden'],
    [withdrawn, 'acme/lib'],
    [withdrawn, 'acme/hidden'],
  ] as const)('restores %s without the document of %s, and the next build repairs the rest', async (list, name) => {
    lose(announcement, list, `public/p2/${name}.json`);
    expect((await libretto('build')).exitCode).toBe(2);
    await succeeds(...bringBack[list]);
    await succeeds('build');
    expect(versions()).toEqual(whole);
    await succeeds('verify');
  });

  it.each([
    [tombstones, 'acme/lib'],
    [tombstones, 'acme/hidden'],
    [withdrawn, 'acme/lib'],
    [withdrawn, 'acme/hidden'],
  ] as const)('restores %s without the document of %s while the announcement exists', async (list, name) => {
    lose(list, `public/p2/${name}.json`);
    expect((await libretto('build')).exitCode).toBe(2);
    await succeeds(...bringBack[list]);
    rmSync(data('build/manifest.json'));
    await succeeds('build');
    expect(versions()).toEqual(whole);
    await succeeds('verify');
  });

  it('accepts a file of tombstones without the document, and purges its versions', async () => {
    const { stdout } = await succeeds('package', 'list', '--purged', '--json');
    const { versions: rows, ...head } = JSON.parse(stdout) as { versions: readonly object[] };
    const more = { ...rows[0], version: '1.1.0', version_normalized: '1.1.0.0', reference: '' };
    const nothing = { sha1: null, sha256: null, content: null };
    writeTree(at(), { 'rows.json': { json: { ...head, versions: [...rows, { ...more, ...nothing }] } } });
    lose(announcement, tombstones, 'public/p2/acme/lib.json');
    await libretto('package', 'recover-purged', 'rows.json', '--yes');
    await succeeds('build');
    expect(versions()).toEqual(['acme/hidden@1.0.0', 'acme/lib@1.0.0']);
    await succeeds('verify');
  });
});
