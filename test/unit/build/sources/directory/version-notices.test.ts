// Tests the advice about packages of a folder that have no version.

import { mkdirSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';

import { createDirectorySource } from '../../../../../build/sources/directory/directory-source.ts';
import { versionNotices } from '../../../../../build/sources/directory/version-notices.ts';
import type { SourceMemory } from '../../../../../build/sources/release.ts';
import { below, libraryTree, temporaryTree, type TemporaryTree } from '../../../../util/package-tree.ts';

let tree: TemporaryTree;
afterEach(() => tree.remove());

async function noticesOf(previous?: SourceMemory): Promise<{ notices: readonly string[]; memory: SourceMemory }> {
  const source = createDirectorySource({ root: tree.root, dataDirectory: tree.path('var'), now: () => new Date() });
  const scan = await source.scan(previous);
  await source.close();
  if (scan.outcome !== 'read') throw new Error(`the scan is ${scan.outcome}`);
  return scan;
}

describe('a package without a version', () => {
  it('is named with the way to a release, once', async () => {
    tree = temporaryTree({
      ...below('hello', libraryTree('acme/hello')),
      ...below('tool', libraryTree('acme/tool', { version: '1.0.0' })),
      ...below('2.0.0', libraryTree('acme/other')),
    });
    const first = await noticesOf();
    expect(first.notices).toEqual([
      'acme/hello has no version, and counts as dev-main. Composer installs it as acme/hello:dev-main. For a ' +
        'release, write "version": "1.0.0" into composer.json.',
    ]);
    tree.write(below('hello', { 'src/New.php': '<?php' }));
    expect((await noticesOf(first.memory)).notices).toEqual([]);
  });

  it('in a git checkout is named with the command that publishes its tags', async () => {
    tree = temporaryTree({
      ...below('one', libraryTree('acme/one')),
      ...below('two words', libraryTree('acme/two')),
    });
    for (const name of ['one', 'two words']) mkdirSync(tree.path(name, '.git'));
    expect((await noticesOf()).notices).toEqual([
      'acme/one and acme/two have no version, and count as dev-main, without the tags and branches of their ' +
        `git repository. To publish those in place of the folder: \`libretto build --forget dir:${tree.root} ` +
        `git:${tree.path('one')} 'git:${tree.path('two words')}'\`. If libretto.json lists the folder, change it there.`,
    ]);
  });

  it('is counted where there are many', () => {
    tree = temporaryTree();
    const many = Array.from({ length: 5 }, (_, at) => ({ name: `acme/p${at}`, folder: `/p${at}`, isCheckout: false }));
    expect(versionNotices('/', many, [])).toEqual([
      expect.stringMatching(/^acme\/p0, acme\/p1, acme\/p2 and 2 more have no version, and count as dev-main\./),
    ]);
  });
});
