// Tests the LMDB store alone: its directory, and a file that is damaged or too new (rows 84 and 85).

import { cp, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { open } from 'lmdb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findLmdbDamage } from '../../../../proxy/state/lmdb-file.ts';
import { openLmdbStore } from '../../../../proxy/state/lmdb-store.ts';
import { temporaryFolder, type TemporaryFolder } from '../../../util/temporary-folder.ts';

let folder: TemporaryFolder;
let directory: string;
let file: string;

beforeEach(() => {
  folder = temporaryFolder('state');
  directory = folder.at('state');
  file = folder.at('state', 'data.mdb');
});

afterEach(() => folder.remove());

async function fill(): Promise<void> {
  const store = await openLmdbStore(directory);
  for (let row = 0; row < 20; row += 1)
    await store.commit({ conditions: [], puts: [{ key: `row/${row}`, value: 'x'.repeat(2000) }], deletes: [] });
  await store.close();
}

describe('opening the state', () => {
  it('creates the directory for its user alone', async () => {
    await (await openLmdbStore(directory)).close();
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
  });

  it('finds the rows that were stored before', async () => {
    await fill();
    const store = await openLmdbStore(directory);
    expect(await store.range('row/')).toHaveLength(20);
    await store.close();
  });

  it('succeeds while another process writes', async () => {
    const store = await openLmdbStore(directory);
    let writing = true;
    const looks = (async () => {
      while (writing) expect(await findLmdbDamage(file)).toBeUndefined();
    })();
    for (let row = 0; row < 100; row += 1)
      await store.commit({ conditions: [], puts: [{ key: `row/${row}`, value: 'x'.repeat(20_000) }], deletes: [] });
    writing = false;
    await looks;
    await store.close();
  });

  it('twice in one process gives one state', async () => {
    const [one, two] = [await openLmdbStore(directory), await openLmdbStore(directory)];
    await one.commit({ conditions: [], puts: [{ key: 'row/1', value: 1 }], deletes: [] });
    expect((await two.get('row/1'))?.value).toBe(1);
    expect(two.generation()).toBe(one.generation());
    await one.close();
    expect((await two.get('row/1'))?.value).toBe(1);
    await two.close();
  });
});

describe('an unusable state is refused with the next step', () => {
  it('a state whose directory is a file is refused with the repair', async () => {
    await writeFile(directory, '');
    await expect(openLmdbStore(directory)).rejects.toMatchObject({
      code: 'STATE_UNUSABLE',
      message: expect.stringContaining(directory),
    });
  });

  it('a state whose directory cannot be made is refused with the repair', async () => {
    await writeFile(folder.at('file'), '');
    await expect(openLmdbStore(folder.at('file', 'state'))).rejects.toMatchObject({ code: 'STATE_UNUSABLE' });
  });

  it.each([
    ['overwritten by text', () => writeFile(file, 'not a database\n')],
    ['overwritten by noise', () => writeFile(file, Buffer.alloc(20_000, 0x5a))],
    ['cut short', () => truncate(file, 20_000)],
    ['cut within its first page', () => truncate(file, 100)],
    ['blank in its second page', async () => writeFile(file, (await readFile(file)).fill(0, 4096, 8192))],
  ])('where the file was %s', async (_name, damage) => {
    await fill();
    await damage();
    await expect(openLmdbStore(directory)).rejects.toMatchObject({
      code: 'STATE_CORRUPT',
      message: expect.stringMatching(/data\.mdb.*backup/s),
    });
  });

  it('a state that a newer version wrote is refused with the repair', async () => {
    await fill();
    const raw = open({ path: directory, noSubdir: false, encoding: 'json', useVersions: true, overlappingSync: false });
    await raw.put('!schema', 999, 1);
    await raw.close();
    await expect(openLmdbStore(directory)).rejects.toMatchObject({
      code: 'STATE_TOO_NEW',
      message: expect.stringContaining('999'),
    });
  });

  it('a copy of a closed state, made by hand, opens', async () => {
    await fill();
    await cp(directory, folder.at('copy'), { recursive: true });
    const store = await openLmdbStore(folder.at('copy'));
    expect(await store.range('row/')).toHaveLength(20);
    await store.close();
  });
});
