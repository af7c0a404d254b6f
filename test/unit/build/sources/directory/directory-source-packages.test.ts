// Tests the packages that a directory source finds, and the version of each.

import { afterEach, describe, expect, it } from 'vitest';
import { below, libraryTree, temporaryTree, type TemporaryTree, type Tree } from '../../../../util/package-tree.ts';
import { labels, onlyQuarantine, readDirectory, releaseOf, scanDirectory } from '../../../../util/directory-scan.ts';
import { contentOf } from '../../../../util/content-of.ts';

const trees: TemporaryTree[] = [];
afterEach(() => trees.splice(0).forEach((tree) => tree.remove()));

function made(content: Tree): string {
  const tree = temporaryTree(content);
  trees.push(tree);
  return tree.root;
}

describe('finding packages', () => {
  it('every composer.json at any depth is a package', async () => {
    const root = made({
      ...below('one', libraryTree('acme/one', { version: '1.0.0' })),
      ...below('deep/er/two', libraryTree('acme/two')),
      'README.md': 'no package',
    });
    expect(labels(await readDirectory(root))).toEqual(['acme/one 1.0.0', 'acme/two dev-main']);
  });

  it('a composer.json in the root makes the root the only package', async () => {
    const root = made({ ...libraryTree('acme/root'), ...below('packages/inner', libraryTree('acme/inner')) });
    expect(labels(await readDirectory(root))).toEqual(['acme/root dev-main']);
  });

  it('a composer.json inside a package is a file of that package', async () => {
    const root = made({
      ...below('one', libraryTree('acme/one')),
      ...below('one/tests/fixture', libraryTree('acme/fixture')),
    });
    const scan = await readDirectory(root);
    expect(labels(scan)).toEqual(['acme/one dev-main']);
    expect((await contentOf(releaseOf(scan, 'acme/one dev-main')).list()).files.map(({ path }) => path)).toContain(
      'tests/fixture/composer.json',
    );
  });

  it('the scan skips vendor, node_modules, folders with a dot, links and the data folder', async () => {
    const elsewhere = made(libraryTree('acme/elsewhere'));
    const hidden = ['vendor/acme/a', 'x/vendor/b', 'node_modules/c', '.cache/d', 'x/.git/e', 'var/f'].map(
      (folder, index) => below(folder, libraryTree(`acme/hidden-${index}`)),
    );
    const root = made(
      Object.assign({ linked: { link: elsewhere } }, below('one', libraryTree('acme/one')), ...hidden) as Tree,
    );
    expect(labels(await readDirectory(root))).toEqual(['acme/one dev-main']);
  });

  it('the scan finds the data folder behind a symlink too', async () => {
    const root = made({
      ...below('one', libraryTree('acme/one')),
      ...below('data/x', libraryTree('acme/hidden')),
      alias: { link: 'data' },
    });
    expect(labels(await readDirectory(root, { dataDirectory: `${root}/alias` }))).toEqual(['acme/one dev-main']);
  });

  it('a folder called composer.json is an ordinary folder', async () => {
    const root = made({ ...below('composer.json/one', libraryTree('acme/one')), 'composer.json/README.md': '' });
    expect(labels(await readDirectory(root))).toEqual(['acme/one dev-main']);
  });

  it.each([
    ['does not exist', 'missing', 'does not exist'],
    ['is a file', 'README.md', 'is not a folder'],
    ['holds no package', 'empty', 'no composer.json'],
  ])('the scan fails where the root %s', async (_, folder, reason) => {
    const root = made({ 'README.md': '', 'empty/vendor/x/composer.json': '{}' });
    expect(await scanDirectory(`${root}/${folder}`)).toMatchObject({
      outcome: 'failed',
      reason: expect.stringContaining(reason) as string,
    });
  });

  it('the scan fails where the root is the data folder', async () => {
    const root = made(below('one', libraryTree('acme/one')));
    expect(await scanDirectory(root, { dataDirectory: root })).toMatchObject({
      outcome: 'failed',
      reason: expect.stringContaining('data folder') as string,
    });
  });
});

describe('the version of a package', () => {
  it.each([
    ['thing', { version: '1.2.0' }, '1.2.0', '1.2.0.0'],
    ['1.2.0', {}, '1.2.0', '1.2.0.0'],
    ['v2.0.0-beta1', {}, 'v2.0.0-beta1', '2.0.0.0-beta1'],
    ['1.2.0', { version: 'v1.2' }, 'v1.2', '1.2.0.0'],
    ['1.x-dev', {}, '1.x-dev', '1.9999999.9999999.9999999-dev'],
    ['dev-next', {}, 'dev-next', 'dev-next'],
    ['master', {}, 'dev-master', 'dev-master'],
    ['1.x', {}, 'dev-main', 'dev-main'],
    ['thing', {}, 'dev-main', 'dev-main'],
  ])('in a folder %s with %j is %s', async (folder, fields, version, normalized) => {
    const scan = await readDirectory(made(below(folder, libraryTree('acme/thing', fields))));
    expect(scan.releases.map((release) => [release.version, release.normalized])).toEqual([[version, normalized]]);
    expect(scan.releases[0]?.dev).toBe(normalized.includes('dev'));
  });

  it('does not come from a package folder with the name of the package', async () => {
    const root = made({
      ...below('dev-tools', libraryTree('acme/dev-tools', { version: '1.0.0' })),
      ...below('default', libraryTree('acme/default')),
    });
    expect(labels(await readDirectory(root))).toEqual(['acme/default dev-main', 'acme/dev-tools 1.0.0']);
  });

  it.each([
    ['VERSION_MISMATCH', '1.0.0', '1.0.1'],
    ['VERSION_INVALID', 'x', 'one'],
    ['VERSION_INVALID', 'x', 1.5],
    ['VERSION_INVALID', 'x', 'dev-fix#12'],
    ['VERSION_INVALID', 'x', '1.0.0 '],
    ['VERSION_INVALID', 'x', '1.0.0@'],
    ['UNSAFE_PATH', 'x', 'dev-../../etc'],
    ['UNSAFE_PATH', 'x', `dev-${'x'.repeat(200)}`],
  ])('is refused with %s in a folder %s with version %j', async (code, folder, version) => {
    const root = made({
      ...below(folder, libraryTree('acme/bad', { version })),
      ...below('good', libraryTree('acme/good')),
    });
    const scan = await readDirectory(root);
    expect(labels(scan)).toEqual(['acme/good dev-main']);
    expect(onlyQuarantine(scan)).toMatchObject({ code, name: 'acme/bad', where: `${root}/${folder}/composer.json` });
  });

  it('row 56: is refused to both of two folders with the same version, and the message names both', async () => {
    const root = made({
      ...below('a', libraryTree('acme/one', { version: '1.0' })),
      ...below('b', libraryTree('acme/one', { version: 'v1.0.0' })),
      ...below('c', libraryTree('acme/one', { version: '1.1' })),
    });
    const scan = await readDirectory(root);
    expect(labels(scan)).toEqual(['acme/one 1.1']);
    expect(scan.quarantined.map(({ code, where }) => [code, where])).toEqual([
      ['DUPLICATE_VERSION', `${root}/a/composer.json`],
      ['DUPLICATE_VERSION', `${root}/b/composer.json`],
    ]);
    for (const { message } of scan.quarantined) expect(message).toMatch(/a\/composer\.json .*b\/composer\.json/);
  });
});
