// Kills processes that write to the state at random moments (F9): no acknowledged row is lost, no transaction is half
// there, and no process waits for a dead one.

import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifyAudit } from '../../proxy/state/audit.ts';
import { openLmdbStore } from '../../proxy/state/lmdb-store.ts';
import type { StateStore } from '../../proxy/core/state/state-store.ts';
import { seededRandom } from '../util/seeded-random.ts';
import { seedOf } from '../util/seeds.ts';
import { describeInSeries } from '../util/series.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';

const writerScript = new URL('../util/state-writer.mjs', import.meta.url).pathname;
const libraryUrl = new URL('../../lib/cli/lmdb-store.js', import.meta.url).href;

const playsAll = process.env['CRASH_KILLS'] !== undefined;
const rounds = playsAll ? 12 : 4;
const openings = playsAll ? 600 : 150;

interface Writer {
  readonly name: string;
  readonly process: ChildProcess;
  acknowledged: number;
}

let folder: TemporaryFolder;
let directory: string;

beforeEach(() => {
  folder = temporaryFolder('state');
  directory = folder.at('state');
});

afterEach(() => folder.remove());

describe(`F9: two writers, killed ${2 * rounds} times`, () => {
  it('lose no acknowledged row and leave no half transaction', async () => {
    const seed = seedOf('CRASH_SEED');
    const random = seededRandom(seed);
    const witness = await openLmdbStore(directory);
    for (let round = 0; round < rounds; round += 1) {
      const writers = [startWriter(`a${round}`), startWriter(`b${round}`)];
      await Promise.all(writers.map(({ process: { stdout } }) => once(stdout as NodeJS.ReadableStream, 'data')));
      await delay(random() * 120);
      for (const writer of writers) {
        await kill(writer);
        // the writer may have died holding the lock
        expect(
          await witness.commit({ conditions: [], puts: [{ key: 'witness/row', value: round }], deletes: [] }),
        ).toBe(true);
      }
      for (const writer of writers) await expectWhole(witness, writer, `seed ${seed}, round ${round}`);
    }
    expect(await verifyAudit(witness)).toMatchObject({ sound: true });
    await witness.close();

    const reopened = await openLmdbStore(directory);
    expect(await verifyAudit(reopened)).toMatchObject({ sound: true });
    await reopened.close();
  });
});

describe('a commit of another process', () => {
  it('is seen by the next read', async () => {
    const store = await openLmdbStore(directory);
    await store.get('shared/row');
    const before = store.generation();
    const script = `
      import { openLmdbStore } from ${JSON.stringify(libraryUrl)};
      const store = await openLmdbStore(${JSON.stringify(directory)});
      await store.commit({ conditions: [], puts: [{ key: 'shared/row', value: 1 }], deletes: [] });
      await store.close();`;
    await writeFile(folder.at('other.mjs'), script);
    await promisify(execFile)(process.execPath, [folder.at('other.mjs')]);
    expect(store.generation()).toBe(before + 1);
    expect((await store.get('shared/row'))?.value).toBe(1);
    await store.close();
  });

  it('is seen in the next turn of the event loop, without any other access to the state', async () => {
    const store = await openLmdbStore(directory);
    const before = store.generation();
    const writer = startWriter('w');
    const deadline = Date.now() + 120_000;
    while (store.generation() === before && Date.now() < deadline) await new Promise(setImmediate);
    expect(store.generation()).toBeGreaterThan(before);
    await kill(writer);
    await store.close();
  });
});

describeInSeries('processes that open and close the state again and again', () => {
  it('can all write, also one that opens the state while another closes it as the last', async () => {
    await (await openLmdbStore(directory)).close();
    const script = `
      import { openLmdbStore } from ${JSON.stringify(libraryUrl)};
      const name = process.argv[2];
      const open = () => openLmdbStore(${JSON.stringify(directory)});
      for (let round = 1; round <= ${openings}; round += 1) await (await open()).close();
      const store = await open();
      await store.commit({ conditions: [], puts: [{ key: 'opener/' + name, value: true }], deletes: [] });
      await store.close();`;
    await writeFile(folder.at('opener.mjs'), script);
    const names = ['a', 'b', 'c'];
    await Promise.all(names.map((name) => promisify(execFile)(process.execPath, [folder.at('opener.mjs'), name])));
    const store = await openLmdbStore(directory);
    for (const name of names) expect((await store.get(`opener/${name}`))?.value).toBe(true);
    await store.close();
  });
});

describeInSeries('a disk without space for the state', () => {
  it('refuses the commit with the reason and changes nothing, and the state stays usable', async () => {
    const script = `
      import { openLmdbStore } from ${JSON.stringify(libraryUrl)};
      const store = await openLmdbStore(${JSON.stringify(directory)});
      const put = (key, value) => store.commit({ conditions: [], puts: [{ key: 'a/mark', value: key }, { key, value }], deletes: [] });
      let number = 0;
      try { for (;;) { await put('a/' + (number + 1), 'x'.repeat(20000)); number += 1; } }
      catch (error) {
        const mark = (await store.get('a/mark')).value;
        const kept = (await store.range('a/')).length - 1;
        const after = await store.commit({ conditions: [], puts: [], deletes: ['a/1'] });
        console.log(JSON.stringify({ code: error.code, message: error.message, consistent: mark === 'a/' + number && kept === number, after }));
      }
      await store.close();`;
    await writeFile(folder.at('filler.mjs'), script);
    // the largest file this process may write stands in for the disk's size: LMDB meets the same failing write
    const { stdout } = await promisify(execFile)('sh', [
      '-c',
      `trap '' XFSZ; ulimit -f 800; exec ${process.execPath} ${folder.at('filler.mjs')}`,
    ]);
    expect(JSON.parse(stdout)).toMatchObject({
      code: 'STATE_WRITE_FAILED',
      message: expect.stringContaining(directory),
      consistent: true,
      after: true,
    });
  });
});

function startWriter(name: string): Writer {
  const process_ = spawn(process.execPath, [writerScript, directory, name], { stdio: ['ignore', 'pipe', 'inherit'] });
  const writer: Writer = { name, process: process_, acknowledged: 0 };
  let text = '';
  process_.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
    const complete = text.slice(0, text.lastIndexOf('\n')).split('\n');
    writer.acknowledged = Number(complete.at(-1));
  });
  return writer;
}

async function kill({ process: victim }: Writer): Promise<void> {
  const closed = once(victim, 'close');
  victim.kill('SIGKILL');
  await closed;
}

async function expectWhole(store: StateStore, { name, acknowledged }: Writer, when: string): Promise<void> {
  const rows = async (family: string): Promise<number[]> =>
    (await store.range(`${family}/${name}/`)).map(({ key }) => Number(key.split('/')[2])).sort((a, b) => a - b);
  const left = await rows('left');
  expect(acknowledged, when).toBeGreaterThan(0);
  expect(left.length, when).toBeGreaterThanOrEqual(acknowledged);
  // at most the commit that was in progress
  expect(left.length, when).toBeLessThanOrEqual(acknowledged + 1);
  expect(left, when).toEqual(left.map((_, index) => index + 1));
  expect(await rows('right'), when).toEqual(left);
  expect(await rows('last'), when).toEqual(left.slice(-1));
}
