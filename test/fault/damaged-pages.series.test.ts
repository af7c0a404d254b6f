// Overwrites the pages of a state one by one (row 84). Either the program that reads the whole state finds the damage,
// or the damage does not matter: the state is then read and written without a crash. `npm run fault` damages every page
// in every way (DAMAGED_PAGES=all).

import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { openLmdbStore } from '../../proxy/state/lmdb-store.ts';
import { seededRandom } from '../util/seeded-random.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';

const pageSize = 4096;
const library = (name: string): string => new URL(`../../lib/cli/${name}.js`, import.meta.url).pathname;
const folder = temporaryFolder('damaged-pages');
const seed = Number(process.env['SERIES_SEED'] ?? 20_260_901);
const random = seededRandom(seed);
const noise = (length: number): Buffer => Buffer.from(Array.from({ length }, () => Math.floor(random() * 256)));

/** Fills the page at `at` of `bytes`. */
const damages: Readonly<Record<string, (bytes: Buffer, at: number) => void>> = {
  zeros: (bytes, at) => void bytes.fill(0, at, at + pageSize),
  noise: (bytes, at) => void noise(pageSize).copy(bytes, at),
  'noise in its header': (bytes, at) => void noise(24).copy(bytes, at),
  'a torn half': (bytes, at) => void bytes.fill(0, at + pageSize / 2, at + pageSize),
  'another page': (bytes, at) =>
    void bytes.copyWithin(at, (at + 5 * pageSize) % bytes.length, ((at + 5 * pageSize) % bytes.length) + pageSize),
  'flipped bits': (bytes, at) => {
    for (let times = 0; times < 4; times += 1) {
      const place = at + Math.floor(random() * 64);
      bytes.writeUInt8(bytes.readUInt8(place) ^ (1 << Math.floor(random() * 8)), place);
    }
  },
};

beforeAll(async () => {
  const store = await openLmdbStore(folder.at('whole'));
  for (let row = 0; row < 120; row += 1) {
    const value = Math.floor(random() * 1e9)
      .toString(36)
      .repeat(row % 15 === 0 ? 1500 : 40);
    await store.commit({
      conditions: [],
      puts: [
        { key: `row/${row}`, value },
        { key: 'head', value: row },
      ],
      deletes: row % 5 === 4 ? [`row/${row - 3}`] : [],
    });
  }
  await store.close();
});
afterAll(() => folder.remove());

/** The layout of mdb.c: the flags of a page at byte 18, its own number at byte 0. */
function isOverflow(bytes: Buffer, page: number): boolean {
  return bytes.readUInt16LE(page * pageSize + 18) === 4 && Number(bytes.readBigUInt64LE(page * pageSize)) === page;
}

/** Standard output, or the signal that ended the process. */
function node(...args: readonly string[]): Promise<{ readonly signal: string | null; readonly stdout: string }> {
  return new Promise(
    (resolve) =>
      void execFile(process.execPath, args, (error, stdout) =>
        resolve({ signal: error?.signal ?? (error === null ? null : error.message), stdout }),
      ),
  );
}

const workload = (directory: string): string => `
  import { openLmdbStore } from ${JSON.stringify(library('lmdb-store'))};
  const store = await openLmdbStore(${JSON.stringify(directory)});
  await store.range('');
  for (let row = 0; row < 150; row += 1) {
    const deletes = row < 20 ? [] : ['row/' + (row - 20)];
    await store.commit({ conditions: [], puts: [{ key: 'row/' + row, value: 'y'.repeat(row % 7 === 0 ? 9000 : 400) }], deletes });
  }
  console.log((await store.range('row/')).length);
  await store.close();`;

it('a damaged page is found, or the damage does not matter', { timeout: 600_000 }, async () => {
  const whole = await readFile(folder.at('whole/data.mdb'));
  const pages = whole.length / pageSize;
  const step = process.env['DAMAGED_PAGES'] === 'all' ? 1 : 29;
  const script = folder.at('workload.mjs');
  await writeFile(script, workload(folder.at('damaged')));
  const [missed, found] = [[] as string[], new Set<string>()];
  let number = 0;
  for (const [kind, damage] of Object.entries(damages)) {
    for (let page = number++ % step; page < pages; page += step) {
      await rm(folder.at('damaged'), { recursive: true, force: true });
      await mkdir(folder.at('damaged'));
      const bytes = Buffer.from(whole);
      damage(bytes, page * pageSize);
      await writeFile(folder.at('damaged/data.mdb'), bytes);
      const { signal, stdout } = await node(library('state-reader'), folder.at('damaged'));
      if (signal !== null || (JSON.parse(stdout) as { fault: string | null }).fault !== null) {
        found.add(kind);
        continue;
      }
      const worked = await node(script);
      if (worked.signal !== null) missed.push(`page ${page}, ${kind}: ${worked.signal}`);
    }
  }
  expect({ seed, missed }).toEqual({ seed, missed: [] });
  expect(found.size).toBeGreaterThan(3);
});

// LMDB frees as many pages once the value is replaced.
it.each([0, 1, 2 ** 20 + 3])('a long value whose page counts %i pages is found', async (count) => {
  const bytes = await readFile(folder.at('whole/data.mdb'));
  const page =
    Array.from({ length: bytes.length / pageSize }, (_, number) => number)
      .slice(2)
      .findLast((number) => isOverflow(bytes, number)) ?? 0;
  bytes.writeUInt32LE(count, page * pageSize + 20);
  await mkdir(folder.at(`counts-${count}`));
  await writeFile(folder.at(`counts-${count}`, 'data.mdb'), bytes);
  const { stdout } = await node(library('state-reader'), folder.at(`counts-${count}`));
  expect(JSON.parse(stdout)).toEqual({ rows: null, fault: `page ${page} counts ${count} pages, and its row counts 3` });
});

it('a sound state is not reported as damaged while other processes write to it', async () => {
  await cp(folder.at('whole'), folder.at('busy'), { recursive: true });
  const store = await openLmdbStore(folder.at('busy'));
  let reading = true;
  const writing = (async () => {
    for (let row = 0; reading; row += 1)
      await store.commit({
        conditions: [],
        puts: [{ key: `row/${row % 90}`, value: 'z'.repeat((row * 977) % 9000) }],
        deletes: [`row/${(row + 45) % 90}`],
      });
  })();
  for (let times = 0; times < 10; times += 1)
    expect(JSON.parse((await node(library('state-reader'), folder.at('busy'))).stdout)).toMatchObject({ fault: null });
  reading = false;
  await writing;
  await store.close();
});
