// Tests that a faulty package never stops the other packages, and that the message of each fault names the place.

import { chmodSync, mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { below, libraryTree, temporaryTree, type TemporaryTree, type Tree } from '../../../../util/package-tree.ts';
import { labels, onlyQuarantine, readDirectory, scanDirectory, stored } from '../../../../util/directory-scan.ts';

let tree: TemporaryTree;
afterEach(() => tree.remove());

function made(content: Tree): TemporaryTree {
  tree = temporaryTree({ ...content, ...below('good', libraryTree('acme/good')) });
  return tree;
}

/** Root may read every file, so the test runs as the user nobody. */
async function unprivileged<Result>(run: () => Promise<Result>): Promise<Result> {
  if (process.geteuid?.() !== 0) return run();
  chmodSync(tree.root, 0o755);
  process.seteuid?.(65534);
  try {
    return await run();
  } finally {
    process.seteuid?.(0);
  }
}

describe('row 55: a faulty composer.json', () => {
  it.each<[string, Tree, string | null]>([
    ['INVALID_JSON', { 'composer.json': '{\n  "name": "acme/bad",\n}' }, null],
    ['INVALID_COMPOSER_JSON', { 'composer.json': '[]' }, null],
    ['INVALID_COMPOSER_JSON', { 'composer.json': `{"name":"acme/bad","x":"${'x'.repeat(1024 * 1024)}"}` }, null],
    ['NAME_MISSING', { 'composer.json': '{}' }, null],
    ['NAME_INVALID', { 'composer.json': '{"name":"no slash"}' }, null],
    ['CONSTRAINT_INVALID', { 'composer.json': '{"name":"acme/bad","require":{"acme/x":"~~1"}}' }, 'acme/bad'],
    ['UNSAFE_SYMLINK', { 'composer.json': { link: '../good/composer.json' } }, null],
    ['UNREADABLE_FILE', { 'composer.json': { fifo: true } }, null],
  ])('is refused with the code %s', async (code, content, name) => {
    const { root } = made(below('bad', content));
    const scan = await readDirectory(root);
    expect(labels(scan)).toEqual(['acme/good dev-main']);
    expect(onlyQuarantine(scan)).toMatchObject({ code, name, where: `${root}/bad/composer.json` });
  });

  it('is reported with its line', async () => {
    const { root } = made(below('bad', { 'composer.json': '{\n  "name": "acme/bad",\n}' }));
    expect(onlyQuarantine(await readDirectory(root)).message).toMatch(/bad\/composer\.json, line 2/);
  });

  it('is read again in every build, and keeps the name of the earlier package in its folder', async () => {
    const { root } = made(below('bad', libraryTree('acme/bad', { version: '1.0.0' })));
    const first = await readDirectory(root);
    tree.write({ 'bad/composer.json': '{' });
    const second = await readDirectory(root, { previous: stored(first.memory) });
    expect(onlyQuarantine(second)).toMatchObject({ code: 'INVALID_JSON', name: 'acme/bad', version: '1.0.0' });
    const third = await readDirectory(root, { previous: stored(second.memory) });
    expect(third.quarantined).toEqual(second.quarantined);
    tree.write(below('bad', libraryTree('acme/bad', { version: '1.0.0' })));
    const fourth = await readDirectory(root, { previous: stored(third.memory) });
    expect(labels(fourth)).toEqual(['acme/bad 1.0.0', 'acme/good dev-main']);
    expect(fourth.releases.map(({ reference }) => reference)).toEqual(first.releases.map(({ reference }) => reference));
  });
});

describe('unreadable input', () => {
  it('row 53: an unreadable file and an unreadable folder in a package are named', async () => {
    const { root } = made({
      ...below('a', { ...libraryTree('acme/a'), 'secret.php': { content: '', mode: 0 } }),
      ...below('b', { ...libraryTree('acme/b'), 'closed/x.php': '' }),
    });
    chmodSync(tree.path('b/closed'), 0);
    const scan = await unprivileged(() => readDirectory(root));
    expect(labels(scan)).toEqual(['acme/good dev-main']);
    expect(
      scan.quarantined.map(({ code, name, message }) => [code, name, message.includes('permission denied')]),
    ).toEqual([
      ['UNREADABLE_FILE', 'acme/a', true],
      ['UNREADABLE_FILE', 'acme/b', true],
    ]);
    expect(scan.quarantined[0]?.message).toContain(`${root}/a/secret.php`);
    expect(scan.quarantined[1]?.message).toContain(`${root}/b/closed`);
  });

  it('an unreadable folder is named with the packages that it contained', async () => {
    const { root } = made({ ...below('group/a', libraryTree('acme/a')), ...below('group/b', libraryTree('acme/b')) });
    const first = await readDirectory(root);
    chmodSync(tree.path('group'), 0);
    const unknown = await unprivileged(() => readDirectory(root));
    expect(onlyQuarantine(unknown)).toMatchObject({ code: 'UNREADABLE_FILE', name: null, where: `${root}/group` });
    const known = await unprivileged(() => readDirectory(root, { previous: stored(first.memory) }));
    expect(known.quarantined.map(({ name, version }) => `${name} ${version}`)).toEqual([
      'acme/a dev-main',
      'acme/b dev-main',
    ]);
    chmodSync(tree.path('group'), 0o755);
    expect(labels(await readDirectory(root, { previous: stored(known.memory) }))).toEqual([
      'acme/a dev-main',
      'acme/b dev-main',
      'acme/good dev-main',
    ]);
  });

  it('an unreadable source fails as a whole', async () => {
    const { root } = made({});
    tree.write({ 'closed/x/': '' });
    chmodSync(tree.path('closed'), 0);
    const scan = await unprivileged(() => scanDirectory(`${root}/closed`));
    expect(scan).toMatchObject({
      outcome: 'failed',
      reason: expect.stringMatching(/closed cannot be read: permission denied/) as string,
    });
  });

  it('row 54: a file name that is not UTF-8 is refused unless the file is excluded', async () => {
    const { root } = made({
      ...below('a', libraryTree('acme/a')),
      ...below('b', libraryTree('acme/b', { archive: { exclude: ['/tests'] } })),
      'b/tests/': '',
    });
    const odd = (folder: string): Buffer => Buffer.concat([Buffer.from(`${root}/${folder}/caf`), Buffer.from([0xe9])]);
    writeFileSync(odd('a'), '');
    writeFileSync(odd('b/tests'), '');
    const scan = await readDirectory(root);
    expect(labels(scan)).toEqual(['acme/b dev-main', 'acme/good dev-main']);
    expect(onlyQuarantine(scan)).toMatchObject({
      code: 'UNSAFE_PATH',
      name: 'acme/a',
      message: expect.stringContaining('not valid UTF-8') as string,
    });
  });

  it('a folder of packages whose name is not UTF-8 is reported', async () => {
    const { root } = made({});
    mkdirSync(Buffer.concat([Buffer.from(`${root}/caf`), Buffer.from([0xe9])]));
    expect(onlyQuarantine(await readDirectory(root))).toMatchObject({ code: 'UNREADABLE_FILE', name: null });
  });

  it('row 54: a file of more than 1 GiB is refused', async () => {
    const { root } = made(below('large', { ...libraryTree('acme/large'), 'large.bin': '' }));
    truncateSync(join(root, 'large/large.bin'), 1024 ** 3 + 1); // a sparse file
    expect(onlyQuarantine(await readDirectory(root)).message).toContain(
      'large.bin has 1073741825 bytes; a file in a package may have 1073741824',
    );
  });

  it('row 54: .gitattributes of more than 1 MiB together are refused', async () => {
    const half = '# rules\n'.repeat(80_000);
    const { root } = made({
      ...below('bad', libraryTree('acme/bad')),
      'bad/x/.gitattributes': half,
      'bad/y/.gitattributes': half,
    });
    expect(onlyQuarantine(await readDirectory(root))).toMatchObject({
      code: 'UNREADABLE_FILE',
      message: expect.stringContaining('are larger than 1 MiB together') as unknown,
    });
  });

  it('row 54: a package beyond the limits is refused', async () => {
    const { root } = made({
      ...below('many', { ...libraryTree('acme/many'), a: '', b: '', c: '' }),
      ...below('large', { ...libraryTree('acme/large'), 'large.bin': Buffer.alloc(2000) }),
    });
    const scan = await readDirectory(root, { limits: { filesPerPackage: 4, bytesPerFile: 1000 } });
    expect(labels(scan)).toEqual(['acme/good dev-main']);
    expect(scan.quarantined.map(({ message }) => message)).toEqual([
      expect.stringMatching(/large\.bin has 2000 bytes.*1000/),
      expect.stringMatching(/many contains more than 4 files/),
    ]);
  });
});
