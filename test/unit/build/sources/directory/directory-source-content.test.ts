// Tests the content of a directory release: its files, its identity, and that the archived bytes are the hashed bytes.

import { createHash } from 'node:crypto';
import { chmodSync, renameSync, utimesSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import type { Release } from '../../../../../build/sources/release.ts';
import { below, libraryTree, temporaryTree, type TemporaryTree, type Tree } from '../../../../util/package-tree.ts';
import { onlyQuarantine, pathsOf, readDirectory, releaseOf, stored } from '../../../../util/directory-scan.ts';
import { contentOf } from '../../../../util/content-of.ts';

const trees: TemporaryTree[] = [];
afterEach(() => trees.splice(0).forEach((tree) => tree.remove()));

function made(content: Tree): TemporaryTree {
  const tree = temporaryTree(content);
  trees.push(tree);
  return tree;
}

const one = 'acme/one dev-main';
const library = (more: Tree = {}, fields: Record<string, unknown> = {}): Tree =>
  below('one', { ...libraryTree('acme/one', fields), ...more });
const releaseIn = async (tree: TemporaryTree): Promise<Release> => releaseOf(await readDirectory(tree.root), one);
const referenceOf = async (content: Tree): Promise<string> => (await releaseIn(made(content))).reference;

describe('the files of a release', () => {
  it('keep their modes, and symlinks stay symlinks', async () => {
    const tree = made(
      library({
        'bin/tool': { content: '#!/bin/sh\n', mode: 0o711 },
        'data/a.txt': 'a',
        link: { link: 'data/a.txt' },
        'folder-link': { link: 'data' },
      }),
    );
    const { files } = await contentOf(await releaseIn(tree)).list();
    expect(Object.fromEntries(files.map(({ path, mode }) => [path, mode]))).toEqual({
      'composer.json': 'file',
      'src/One.php': 'file',
      'bin/tool': 'executable',
      'data/a.txt': 'file',
      link: 'symlink',
      'folder-link': 'symlink',
    });
  });

  it('exclude excluded files, installed dependencies and apparent credentials', async () => {
    const tree = made(
      library(
        {
          '.gitattributes': '/tests export-ignore\n',
          'src/.gitattributes': 'Draft.php export-ignore\n',
          'src/Draft.php': '',
          'tests/OneTest.php': '',
          'docs/a.md': '',
          'auth.json': '{"bearer":{}}',
          '.env': 'KEY=1',
          'vendor/autoload.php': '',
          'node_modules/x/index.js': '',
          '.git/config': '',
          '.github/workflow.yml': '',
          'resources/views/vendor/mail.php': '',
          'tools/composer.json': '{}',
          'tools/vendor/autoload.php': '',
        },
        { archive: { exclude: ['/docs'] } },
      ),
    );
    const scan = await readDirectory(tree.root);
    const release = releaseOf(scan, one);
    expect(await pathsOf(release)).toEqual([
      '.gitattributes',
      'composer.json',
      'resources/views/vendor/mail.php',
      'src/.gitattributes',
      'src/One.php',
      'tools/composer.json',
    ]);
    expect((await contentOf(release).list()).withheld.toSorted()).toEqual(['.env', 'auth.json']);
    expect(scan.notices[0]).toContain('one/.github');
  });

  it('are read back byte by byte', async () => {
    const big = Buffer.alloc(3 * 1024 * 1024 + 17, 'libretto');
    const tree = made(library({ 'big.bin': big, empty: '', link: { link: 'big.bin' } }));
    const content = contentOf(await releaseIn(tree));
    const wanted = (await content.list()).files
      .filter(({ path }) => /^(?:big\.bin|empty|link)$/.test(path))
      .toSorted((a, b) => (a.path < b.path ? -1 : 1));
    const bytes: Uint8Array[] = [];
    for await (const chunk of content.read(wanted)) bytes.push(chunk);
    expect(bytes.map((chunk) => createHash('sha256').update(chunk).digest('hex'))).toEqual(
      [big, '', 'big.bin'].map((text) => createHash('sha256').update(text).digest('hex')),
    );
    expect(wanted.map(({ identity }) => identity)).toEqual(
      bytes.map((chunk) => `sha256:${createHash('sha256').update(chunk).digest('hex')}`),
    );
  });

  it('row 53: are only given with the hashed bytes', async () => {
    const tree = made(library());
    const release = await releaseIn(tree);
    const { files } = await contentOf(release).list();
    tree.write({ 'one/src/One.php': '<?php // another' });
    const read = async (): Promise<void> => {
      for await (const chunk of contentOf(release).read(files)) expect(chunk.length).toBeGreaterThan(0);
    };
    await expect(read()).rejects.toMatchObject({
      code: 'UNREADABLE_FILE',
      message: expect.stringMatching(/One\.php changed while it was being read/) as string,
    });
    tree.write({ 'one/composer.json': '{"name":"acme/one","description":"another"}' });
    await expect(release.composerJson()).rejects.toMatchObject({ code: 'UNREADABLE_FILE' });
  });

  it.each<[string, Tree]>([
    ['a FIFO', { 'one/src/One.php': { fifo: true } }],
    ['a symlink', { 'one/src/One.php': { link: 'Copy.php' } }],
    ['a folder', { 'one/src/One.php/': '' }],
  ])('row 53: are neither waited for nor followed where %s replaced them', async (_, other) => {
    const tree = made(library({ 'src/Copy.php': libraryTree('acme/one')['src/One.php'] ?? '' }));
    const content = contentOf(await releaseIn(tree));
    const { files } = await content.list();
    tree.delete('one/src/One.php');
    tree.write(other);
    const reading = content.read(files.filter(({ path }) => path === 'src/One.php'));
    await expect(reading[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'UNREADABLE_FILE' });
  });

  it('the files of a package that was not read again are listed, or refused if they changed', async () => {
    const tree = made({ ...library(), ...below('two', libraryTree('acme/two')) });
    const first = await readDirectory(tree.root);
    tree.write({ 'two/more.php': '' });
    const release = releaseOf(await readDirectory(tree.root, { previous: stored(first.memory) }), one);
    expect(await contentOf(release).list()).toEqual(await contentOf(releaseOf(first, one)).list());
    expect(await release.composerJson()).toMatchObject({ name: 'acme/one' });
    tree.write({ 'one/late.php': '' });
    await expect(contentOf(release).list()).rejects.toMatchObject({ code: 'UNREADABLE_FILE' });
  });
});

describe('the reference of a release', () => {
  it('depends on paths, modes, bytes and composer.json', async () => {
    const references = await Promise.all([
      referenceOf(library()),
      referenceOf(library({ a: 'bc' })),
      referenceOf(library({ ab: 'c' })),
      referenceOf(library({ a: 'bd' })),
      referenceOf(library({ a: { content: 'bc', mode: 0o755 } })),
      referenceOf(library({ b: 'bc', a: { link: 'b' } })),
      referenceOf(library({}, { description: 'Another.' })),
    ]);
    expect(new Set(references).size).toBe(references.length);
    for (const reference of references) expect(reference).toMatch(/^[0-9a-f]{40}$/);
  });

  it('does not depend on location, times, umask or excluded files', async () => {
    const fields = { archive: { exclude: ['/docs'] } };
    const reference = await referenceOf(library({ 'docs/a.md': '1' }, fields));
    expect(await referenceOf(library({ 'docs/b.md': '2', 'vendor/x.php': '', '.idea/x': '' }, fields))).toBe(reference);
    const tree = made(library({}, fields));
    renameSync(tree.path('one'), tree.path('moved'));
    chmodSync(tree.path('moved/src/One.php'), 0o600);
    utimesSync(tree.path('moved/src/One.php'), 1, 1);
    expect((await releaseIn(tree)).reference).toBe(reference);
  });

  it('determines the time of the entries: even, long ago, and different for different content', async () => {
    const times = await Promise.all(
      [...'abcdefgh'].map(async (content) => contentOf(await releaseIn(made(library({ content })))).entryTime),
    );
    for (const time of times) {
      expect(time % 2).toBe(0);
      expect(
        new Date(time * 1000).toISOString() >= '1990-01-02' && new Date(time * 1000).toISOString() < '2019-12-31',
      ).toBe(true);
    }
    expect(new Set(times).size).toBe(times.length);
  });
});

it('row 52: absolute and leaving links are left out by name, and links to nothing or in a circle stay', async () => {
  const links = { absolute: '/etc/passwd', leaving: '../other', a: 'b', b: 'a', dead: 'missing' };
  const tree = made(library(Object.fromEntries(Object.entries(links).map(([name, link]) => [name, { link }]))));
  const { files, unsafeLinks = [] } = await contentOf(await releaseIn(tree)).list();
  expect(files.map(({ path }) => path).toSorted()).toEqual(['a', 'b', 'composer.json', 'dead', 'src/One.php']);
  expect(unsafeLinks.join()).toMatch(/(?=.*"absolute" → "\/etc\/passwd": its target is absolute)(?=.*"leaving")/);
  expect(unsafeLinks).toHaveLength(2);
});

describe('a file that may not be published', () => {
  it.each<[string, string, Tree, RegExp]>([
    ['row 53', 'UNREADABLE_FILE', { pipe: { fifo: true } }, /pipe is a named pipe/],
    ['row 54', 'UNSAFE_PATH', { 'back\\slash.php': '' }, /back/],
    ['row 54', 'UNSAFE_PATH', { 'new\nline.php': '' }, /line/],
    ['row 54', 'UNSAFE_PATH', { 'C:x.php': '' }, /drive letter/],
  ])('excludes its package (%s): %s for %j', async (_row, code, more, message) => {
    const tree = made({ ...library(more), ...below('two', libraryTree('acme/two')) });
    const scan = await readDirectory(tree.root);
    expect(onlyQuarantine(scan)).toMatchObject({
      code,
      name: 'acme/one',
      version: 'dev-main',
      message: expect.stringMatching(message) as string,
    });
    expect(releaseOf(scan, 'acme/two dev-main').reference).toMatch(/^[0-9a-f]{40}$/);
  });

  it('is ignored where it is excluded', async () => {
    const tree = made(
      library(
        { 'tests/pipe': { fifo: true }, 'tests/link': { link: '/etc/passwd' } },
        { archive: { exclude: ['/tests'] } },
      ),
    );
    expect(await pathsOf(await releaseIn(tree))).toEqual(['composer.json', 'src/One.php']);
  });
});
