// Tests the output on a local file system: its lists of files.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createDiskOutput } from '../../../../build/output/disk-output.ts';
import { temporaryTree, type TemporaryTree } from '../../../util/package-tree.ts';

let tree: TemporaryTree;

beforeEach(() => {
  tree = temporaryTree({
    'data/public/p2/acme/hello.json': '{}',
    'data/public/dist/linked': { link: '../../../elsewhere' },
    'data/public/dist/loop': { link: '.' },
    'elsewhere/acme/1.0.0.zip': 'x',
  });
});
afterEach(() => tree.remove());

it('a list names a symbolic link to a folder as one entry, and no file behind it', async () => {
  const output = createDiskOutput(tree.path('data'));
  expect(await output.list('public', '')).toEqual(['dist/linked', 'dist/loop', 'p2/acme/hello.json']);
  expect(await output.list('public', 'dist')).toEqual(['dist/linked', 'dist/loop']);
});

it('the list of a missing folder is empty', async () => {
  expect(await createDiskOutput(tree.path('data')).list('index', '')).toEqual([]);
});
