// Tests that a second scan reads only files that may have changed, and notices every change.

import { renameSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SourceMemory } from '../../../../../build/sources/release.ts';
import { below, libraryTree, temporaryTree, touch, type TemporaryTree } from '../../../../util/package-tree.ts';
import { labels, readDirectory, releaseOf, scanDirectory, stored } from '../../../../util/directory-scan.ts';

const longAgo = new Date('2024-01-01T00:00:00Z');

let tree: TemporaryTree;
beforeEach(() => {
  tree = temporaryTree({
    ...below('one', { ...libraryTree('acme/one'), 'tests/T.php': '' }),
    ...below('two', libraryTree('acme/two')),
  });
  touch([tree.path('one/src/One.php')], longAgo);
});
afterEach(() => tree.remove());

const one = 'acme/one dev-main';
const two = 'acme/two dev-main';

/** A memory with another reference, which the result has for a package that is not read again. */
function marked(memory: SourceMemory, reference: string): SourceMemory {
  return {
    ...(JSON.parse(JSON.stringify(memory).replace(reference, 'f'.repeat(40))) as SourceMemory),
    fingerprint: 'marked',
  };
}

describe('a second scan', () => {
  it('finds no change where no file changed', async () => {
    const { memory } = await readDirectory(tree.root);
    expect(await scanDirectory(tree.root, { previous: stored(memory) })).toEqual({ outcome: 'unchanged' });
  });

  it('reads only the changed package', async () => {
    const first = await readDirectory(tree.root);
    tree.write({ 'one/src/New.php': '<?php' });
    const second = await readDirectory(tree.root, { previous: marked(first.memory, releaseOf(first, two).reference) });
    expect(releaseOf(second, two).reference).toBe('f'.repeat(40));
    expect(releaseOf(second, one).reference).not.toBe(releaseOf(first, one).reference);
    expect(await scanDirectory(tree.root, { previous: stored(second.memory) })).toEqual({ outcome: 'unchanged' });
  });

  it.each<[string, () => void]>([
    [
      'an edit of the same length with its old mtime put back',
      () => {
        const text = (libraryTree('acme/one')['src/One.php'] as string).replace('NAME', 'MANE');
        tree.write({ 'one/src/One.php': text });
        touch([tree.path('one/src/One.php')], longAgo);
      },
    ],
    [
      'a file replaced by another of the same age',
      () => {
        tree.write({ other: 'x' });
        renameSync(tree.path('other'), tree.path('one/src/One.php'));
      },
    ],
    ['a deleted file', () => tree.delete('one/src/One.php')],
    ['a renamed file', () => renameSync(tree.path('one/src/One.php'), tree.path('one/src/Uno.php'))],
    ['a new rule', () => tree.write({ 'one/.gitattributes': 'tests export-ignore\n' })],
  ])('notices %s', async (_, edit) => {
    const first = await readDirectory(tree.root);
    edit();
    const second = await readDirectory(tree.root, { previous: stored(first.memory) });
    expect(releaseOf(second, one).reference).not.toBe(releaseOf(first, one).reference);
  });

  it('notices added and removed packages', async () => {
    const first = await readDirectory(tree.root);
    tree.write(below('three', libraryTree('acme/three')));
    tree.delete('one');
    const second = await readDirectory(tree.root, { previous: stored(first.memory) });
    expect(labels(second)).toEqual(['acme/three dev-main', two]);
  });

  it('gives the same reference where only excluded files changed', async () => {
    tree.write({ 'one/.gitattributes': 'tests export-ignore\n' });
    const first = await readDirectory(tree.root);
    tree.write({ 'one/tests/T.php': '<?php' });
    const second = await readDirectory(tree.root, { previous: stored(first.memory) });
    expect(releaseOf(second, one).reference).toBe(releaseOf(first, one).reference);
  });

  it('reads files again that were written just before the last scan or after its time', async () => {
    for (const secondsLater of [0, 1, -3600]) {
      const first = await readDirectory(tree.root, { secondsLater });
      const tampered = marked(first.memory, releaseOf(first, one).reference);
      const second = await readDirectory(tree.root, { previous: tampered, secondsLater });
      expect(releaseOf(second, one).reference).toBe(releaseOf(first, one).reference);
      expect(await scanDirectory(tree.root, { previous: stored(first.memory), secondsLater })).toEqual({
        outcome: 'unchanged',
      });
    }
  });

  it('trusts such files after a later scan read them again', async () => {
    const first = await readDirectory(tree.root, { secondsLater: 0 });
    const second = await readDirectory(tree.root, { previous: stored(first.memory) });
    expect(second.releases.map(({ reference }) => reference)).toEqual(first.releases.map(({ reference }) => reference));
    expect(await scanDirectory(tree.root, { previous: stored(second.memory) })).toEqual({ outcome: 'unchanged' });
  });

  it.each([null, {}, { recipe: 0, packages: {} }, { recipe: 1, packages: { one: ['x'], two: 5 } }, 'nonsense'])(
    'reads everything where its memory is %j',
    async (detail) => {
      const scan = await readDirectory(tree.root, { previous: { fingerprint: 'x', detail } });
      expect(labels(scan)).toEqual([one, two]);
      expect(scan.memory).toEqual((await readDirectory(tree.root)).memory);
    },
  );
});
