// Tests backups that fail: the error gives the reason, and no file of the backup stays.

import { randomBytes } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

import { takeLock } from '../../../../build/output/lock.ts';
import { StorageError } from '../../../../build/output/storage-error.ts';
import { BuildBusy } from '../../../../build/contract/refusals.ts';
import { restoreBackup } from '../../../../cli/backup/restore-backup.ts';
import { writeBackup } from '../../../../cli/backup/write-backup.ts';
import { StateError } from '../../../../proxy/core/state/state-error.ts';
import { writeTree } from '../../../util/package-tree.ts';
import { temporaryFolder } from '../../../util/temporary-folder.ts';

const now = (): Date => new Date();
const rest = { version: '0.0.0', now, randomBytes, begun: () => undefined, waitMs: 0 };

describe('a failed backup', () => {
  it('reports that it is busy while a build takes too long', async () => {
    await using folder = temporaryFolder('write-backup');
    const lock = await takeLock(folder.at('data/build/lock'), now);
    await expect(writeBackup({ ...rest, data: folder.at('data'), target: folder.at('copy') })).rejects.toThrow(
      BuildBusy,
    );
    await lock.release();
    expect(readdirSync(folder.path)).toEqual(['data']);
  });

  it('reports that the state is corrupt', async () => {
    await using folder = temporaryFolder('write-backup');
    writeTree(folder.at('data'), { 'state/data.mdb': 'no database', 'public/packages.json': '{}' });
    await expect(writeBackup({ ...rest, data: folder.at('data'), target: folder.at('copy') })).rejects.toThrow(
      StateError,
    );
    expect(readdirSync(folder.path)).toEqual(['data']);
    await expect(takeLock(folder.at('data/build/lock'), now).then((lock) => lock.release())).resolves.toBeUndefined();
  });

  it('names the folder that the disk refuses', async () => {
    await using folder = temporaryFolder('write-backup');
    writeTree(folder.at('data'), { 'public/packages.json': '{}' });
    await expect(writeBackup({ ...rest, data: folder.at('data'), target: '/proc/nowhere/copy' })).rejects.toThrow(
      StorageError,
    );
  });
});

describe('a backup', () => {
  it('has the copies of feeds, but no file that is being written and no list that nobody has accepted', async () => {
    await using folder = temporaryFolder('write-backup');
    const kept = ['osv.ndjson', 'osv.previous.ndjson', 'standing.json'];
    for (const name of [...kept, 'osv.refused.ndjson', 'osv.ndjson.1.partial'])
      writeTree(folder.at('data/feeds'), { [name]: name });
    writeTree(folder.at('data'), { 'build/x': '' });
    const { files } = await writeBackup({ ...rest, data: folder.at('data'), target: folder.at('copy') });
    expect(files.filter(({ path }) => path.startsWith('feeds/'))).toMatchObject(
      kept.map((name) => ({ path: `feeds/${name}`, size: name.length })),
    );
    expect(statSync(folder.at('copy/feeds')).mode & 0o777).toBe(0o700);
    const steps = { confirm: () => Promise.resolve(), beforeState: () => Promise.resolve() };
    await restoreBackup(folder.at('copy'), folder.at('restored'), steps);
    expect(readdirSync(folder.at('restored/feeds')).toSorted()).toEqual(kept);
  });
});
