// Tests the removal of old records of publications.

import { mkdirSync, readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { pruneHistory } from '../../../../build/history/prune-history.ts';
import { temporaryTree } from '../../../util/package-tree.ts';

it('only records count for the limit: folders without a record push none out', async () => {
  const tree = temporaryTree(
    Object.fromEntries([1, 2, 3, 5].map((serial) => [`build/history/${serial}/record.json`, '{}'])),
  );
  try {
    // an interrupted removal, an interrupted publication, and foreign folders
    for (const folder of ['0001', '4', '998', '999', 'notes']) mkdirSync(tree.path('build/history', folder));
    await pruneHistory(tree.root, 2, { previous: 3, serial: 5 });
    expect(readdirSync(tree.path('build/history')).toSorted()).toEqual(['0001', '3', '5', '998', '999', 'notes']);
  } finally {
    tree.remove();
  }
});
