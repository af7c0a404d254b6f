// Tests the folder with copies of remote repositories: a sweep removes unused copies and spares those in use.

import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

import { takeLock } from '../../../../../build/output/lock.ts';
import {
  discardCopy,
  gitMirrorFolder,
  mirrorLock,
  mirrorLockPath,
  newCopyPath,
  readSnapshot,
  sweepMirror,
  writeSnapshot,
} from '../../../../../build/sources/git/mirror-folder.ts';
import type { Refs } from '../../../../../build/sources/git/refs.ts';
import { temporaryFolder, type TemporaryFolder } from '../../../../util/temporary-folder.ts';

const now = (): Date => new Date();
const refs: Refs = {
  head: { branch: 'main' },
  tags: [{ name: '1.0.\u00fc', oid: 'a'.repeat(40), peeled: 'b'.repeat(40) }],
  branches: [{ name: 'main', oid: 'b'.repeat(40), peeled: undefined }],
};

let root: TemporaryFolder;
let folder: string;
let [current, replaced] = ['', ''];
beforeEach(() => {
  root = temporaryFolder('mirror-folder');
  folder = gitMirrorFolder(root.path, 'https://example.org/lib.git');
  [current, replaced] = [newCopyPath(folder), newCopyPath(folder)];
  for (const copy of [current, replaced]) mkdirSync(join(copy, 'objects'), { recursive: true });
  writeSnapshot(folder, { copy: current, refs });
});
afterEach(() => root.remove());

it('a snapshot is read back as it was written, and a damaged snapshot is ignored', () => {
  expect(readSnapshot(folder)).toEqual({ copy: current, refs });
  for (const damaged of [
    '',
    '{',
    '[]',
    JSON.stringify({ format: 1, copy: '../../elsewhere.git', head: { branch: 'main' }, tags: [], branches: [] }),
  ]) {
    writeFileSync(join(folder, 'snapshot.json'), damaged);
    expect(readSnapshot(folder), damaged).toBeUndefined();
  }
});

it('a sweep removes the copies that no snapshot names, and with `all` everything', async () => {
  await sweepMirror(folder, now);
  expect(readdirSync(folder).toSorted()).toEqual([current.slice(folder.length + 1), 'snapshot.json'].toSorted());
  await sweepMirror(folder, now, true);
  expect(existsSync(folder)).toBe(false);
});

it('a sweep spares a folder that a fetch is writing into', async () => {
  const lock = await takeLock(mirrorLockPath(folder), now, mirrorLock);
  await sweepMirror(folder, now, true);
  expect([existsSync(current), existsSync(replaced)]).toEqual([true, true]);
  await lock.release();
});

it('a copy is discarded only while the snapshot names it', () => {
  discardCopy(folder, replaced);
  expect(readSnapshot(folder)?.copy).toBe(current);
  discardCopy(folder, current);
  expect(readSnapshot(folder)).toBeUndefined();
});
