// Tests a publication that is cut off after readers could see some of it, and is never completed. The next builds
// publish the former content, and then new content. No date that readers saw may stand for two contents, and each
// change gets a later date than ever before (I19).

// imported first, because it replaces Node's file system
import { endWatch, watchDisk, type DiskFault } from '../util/faulty-disk.mjs';
import { cpSync, existsSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { build } from '../../build/build.ts';
import { trackLastModified } from '../util/last-modified-tracker.ts';
import { temporaryTree, type TemporaryTree } from '../util/package-tree.ts';
import { giveLocksToEndedProcess } from '../util/publishing-build.ts';
import { seededRandom } from '../util/seeded-random.ts';
import { seedOf } from '../util/seeds.ts';
import { whoLibrary } from '../util/who-library.ts';

const seed = seedOf('CRASH_SEED');
/** every nth operation, starting anywhere; every operation in a long series */
const step = process.env['CRASH_KILLS'] === undefined ? 12 : 1;

describe(`dates after a publication that was cut off (CRASH_SEED=${seed} plays this run again)`, () => {
  const random = seededRandom(seed);
  let tree: TemporaryTree;
  let operations: number;
  /** the first operation of the publication itself: before it no published file has changed */
  let intent: number;

  const write = (version: string, content: string): void =>
    tree.write(
      Object.fromEntries(
        Object.entries(whoLibrary(`acme/${content}`, version, {}, content)).map(([path, entry]) => [
          `source/acme/${content}/${version}/${path}`,
          entry,
        ]),
      ),
    );
  const buildAt = (hours: number, folder = 'data') =>
    build(
      {
        dataDirectory: tree.path(folder),
        baseDirectory: tree.root,
        arguments: ['source'],
        configured: undefined,
        fallback: undefined,
        forget: [],
        strict: false,
        allowRepublish: false,
        allowWithdraw: true,
        jobs: 1,
        metadataUrl: '/p2/%package%.json',
        distBaseUrl: undefined,
      },
      {
        now: () => new Date(Date.UTC(2026, 0, 1, hours)),
        progress: () => undefined,
        environment: { PATH: process.env['PATH'] },
      },
    );

  beforeAll(async () => {
    // in memory where there is space, because the test plays hundreds of builds
    tree = temporaryTree({}, existsSync('/dev/shm') ? '/dev/shm' : tmpdir());
    write('1.0.0', 'one');
    await buildAt(0, 'base');
    const { log } = await cutOff(Infinity, 'kill');
    operations = log.length;
    intent = 1 + log.findIndex((entry) => entry === 'rename build/manifest.json');
    expect(intent).toBeGreaterThan(1);
  });

  afterAll(() => tree.remove());

  it.each<[string, DiskFault, readonly string[]]>([
    ['a kill', 'kill', []],
    ['a power loss', 'power loss', []],
    ['a kill that costs the announcement', 'kill', ['index/_publication.json']],
    ["a kill that costs the builder's memory", 'kill', ['build']],
    ['a kill that costs the serving index of the package', 'kill', ['index/acme/one.json']],
  ])('rise, whichever operation meets %s', async (_, kind, lost) => {
    for (let at = intent + Math.floor(random() * step); at <= operations; at += step) {
      const dates = trackLastModified(tree.path('data'));
      const { met } = await cutOff(at, kind, dates.note);
      dates.note(true);
      try {
        for (const path of lost) rmSync(tree.path(`data/${path}`), { recursive: true, force: true });
        // the new content is withdrawn from the source, so that readers get the former content, under a clock that is
        // late
        reset();
        await buildAt(0);
        dates.note();
        write('3.0.0', 'one');
        write('1.0.0', 'three');
        await buildAt(1);
        dates.note();
      } catch (error) {
        throw new Error(`${kind} at operation ${at}, ${met ?? 'none'}: ${String(error)}`, { cause: error });
      }
    }
  });

  function reset(): void {
    rmSync(tree.path('source'), { recursive: true, force: true });
    write('1.0.0', 'one');
  }

  /** The builds of packages `one` and, cut off, of `two`. */
  async function cutOff(at: number, kind: DiskFault, beforeLoss: () => void = () => undefined) {
    reset();
    rmSync(tree.path('data'), { recursive: true, force: true });
    cpSync(tree.path('base'), tree.path('data'), { recursive: true, preserveTimestamps: true });
    beforeLoss();
    write('2.0.0', 'one');
    write('1.0.0', 'two');
    watchDisk(tree.path('data'), { at, kind, random });
    const error: unknown = await buildAt(9).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    beforeLoss();
    const ended = endWatch();
    giveLocksToEndedProcess(tree.path('data'));
    expect(error === undefined, String(error)).toBe(ended.met === undefined);
    return ended;
  }
});
