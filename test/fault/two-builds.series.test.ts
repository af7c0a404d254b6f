// Tests two builds of one data folder at once (F2, row 48): one of them gets the lock, and the result is that of one
// build after the other. The two sources have a version in common with different bytes, so that the tree shows which
// came first.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyTree } from '../../build/inspect/verify.ts';
import { below, writeTree } from '../util/package-tree.ts';
import { publishedTree } from '../util/published-tree.ts';
import { binary, cleanEnvironment, runCli } from '../util/run-cli.ts';
import { seededRandom } from '../util/seeded-random.ts';
import { seedOf } from '../util/seeds.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { whoLibrary } from '../util/who-library.ts';

/** `npm run fault` plays 200 */
const rounds = Number(process.env['CRASH_KILLS'] ?? 2);
const seed = seedOf('CRASH_SEED');
const busy = 75;
const faultyDisk = new URL('../util/faulty-disk.mjs', import.meta.url).href;

describe(`two builds at once (CRASH_SEED=${seed} plays this run again)`, { timeout: 300_000 + rounds * 6000 }, () => {
  const random = seededRandom(seed);
  const folder = temporaryFolder('two-builds');
  const data = folder.at('data');
  const build = (source: string, where = data) =>
    runCli(['build', source, '--data', where], { cwd: folder.path, alone: true });
  const expected: Record<string, Record<string, string>> = {};
  let span = 0;

  beforeAll(async () => {
    for (const source of ['one', 'two']) {
      writeTree(folder.path, below(`${source}/shared/1.0.0`, whoLibrary('acme/shared', '1.0.0', {}, source)));
      for (let index = 0; index < 5; index += 1)
        writeTree(folder.path, below(`${source}/part-${index}/1.0.0`, whoLibrary(`acme/${source}-${index}`, '1.0.0')));
    }
    const started = performance.now();
    for (const order of ['one', 'two', 'one two', 'two one']) {
      const where = folder.at(`expected-${order.replace(' ', '-')}`);
      for (const source of order.split(' ')) await build(source, where);
      expected[order] = publishedTree(where);
    }
    span = (performance.now() - started) / 6;
    expect(new Set(Object.values(expected).map((tree) => JSON.stringify(tree))).size).toBe(4);
  });

  afterAll(() => folder.remove());

  it(`row 48, F2: ${rounds} times, the tree is that of one order, and the later build exits with ${busy}`, async () => {
    let collisions = 0;
    // until two builds met
    for (let round = 0; round < rounds || collisions === 0; round += 1) {
      rmSync(data, { recursive: true, force: true });
      const [first, second] = random() < 0.5 ? ['one', 'two'] : ['two', 'one'];
      const delay = random() ** 2 * span * 1.2;
      const where = `round ${round}: ${first}, after ${delay.toFixed(0)} ms ${second}`;
      const both = await Promise.all([build(first), sleep(delay).then(() => build(second))]);
      const codes = both.map(({ exitCode }) => exitCode);
      const done = [first, second].filter((_, index) => codes[index] !== busy);
      collisions += 2 - done.length;
      for (const { exitCode, stderr } of both) {
        // the later build is refused the shared version
        expect([0, 1, busy], `${where}: ${stderr}`).toContain(exitCode);
        if (exitCode === busy) expect(stderr).toContain(`${data}/build/lock`);
      }
      expect(done.length, where).toBeGreaterThan(0);
      const orders = done.length === 1 ? done : ['one two', 'two one'];
      expect(
        orders.map((order) => expected[order]),
        where,
      ).toContainEqual(publishedTree(data));
      expect(await verifyTree(data), where).toMatchObject({ faults: [] });
    }
  });

  it('row 48, F2: the lock of a killed build blocks no other build', async () => {
    for (const at of [10, 40, 90]) {
      rmSync(data, { recursive: true, force: true });
      const child = spawn(process.execPath, ['--import', faultyDisk, binary, 'build', 'one', '--data', data], {
        cwd: folder.path,
        stdio: 'ignore',
        env: cleanEnvironment({ FAULTY_DISK: JSON.stringify({ folder: data, at, kind: 'kill' }) }),
      });
      const [, signal] = (await once(child, 'exit')) as [number | null, string | null];
      expect(signal).toBe('SIGKILL');
      expect(JSON.parse(readFileSync(`${data}/build/lock`, 'utf8'))).toMatchObject({ pid: child.pid });
      expect(await build('one')).toMatchObject({ exitCode: 0 });
      expect(publishedTree(data)).toEqual(expected['one']);
    }
  });

  it('row 48: the lock of a live build on an unreachable machine blocks other builds', async () => {
    await build('one');
    writeFileSync(
      `${data}/build/lock`,
      JSON.stringify({
        id: 'x',
        pid: 1,
        host: 'elsewhere',
        boot: '',
        startTicks: '1',
        since: '2026-01-01T00:00:00.000Z',
      }),
    );
    const { exitCode, stderr } = await build('two');
    expect([exitCode, stderr]).toEqual([busy, expect.stringContaining('process id 1 on elsewhere')]);
    rmSync(`${data}/build/lock`);
  });

  it('row 48: verify finds no fault during builds', async () => {
    for (let round = 0; round < 3; round += 1) {
      writeTree(folder.path, below(`one/new-${round}/head`, whoLibrary(`acme/new-${round}`, undefined)));
      writeTree(folder.path, below('one/moved/head', whoLibrary('acme/moved', undefined, {}, `${round}`)));
      let running = true;
      const built = build('one').finally(() => (running = false));
      while (running) expect(await verifyTree(data), `round ${round}`).toMatchObject({ faults: [] });
      expect(await built).toMatchObject({ exitCode: 0 });
    }
  });
});
