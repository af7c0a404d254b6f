// Tests a build with a fault at each operation that changes the disk, one run for each (F1, F4; rows 47 and 49). The
// process is killed, the machine loses its power, or the disk is full, broken or read-only. The operations are counted
// first, so that the test covers whatever a build does. `npm test` plays a sample of the operations, and `npm run
// fault` all of them.

// imported first, because it replaces Node's file system
import { endWatch, Killed, watchDisk, type DiskFault, type Watched } from '../util/faulty-disk.mjs';
import { existsSync, readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PublicPath } from '../../build/contract/paths.ts';
import { verifyTree } from '../../build/inspect/verify.ts';
import { createLocalFiles } from '../../proxy/core/tree/local-files.ts';
import { giveLocksToEndedProcess, publishingBuild, type PublishingBuild } from '../util/publishing-build.ts';
import { seededRandom } from '../util/seeded-random.ts';
import { seedOf } from '../util/seeds.ts';
import { itInSeries } from '../util/series.ts';

const seed = seedOf('CRASH_SEED');
const playsAll = process.env['CRASH_KILLS'] !== undefined;

describe(`a build over a faulty disk (CRASH_SEED=${seed} plays this run again)`, { timeout: 900_000 }, () => {
  const random = seededRandom(seed);
  let warm: PublishingBuild;
  let cold: PublishingBuild;
  let operations: { readonly warm: number; readonly cold: number };

  beforeAll(async () => {
    [warm, cold] = [await publishingBuild(), await publishingBuild({ cold: true })];
    operations = { warm: (await meet(warm)).operations, cold: (await meet(cold)).operations };
  });

  afterAll(() => {
    warm.remove();
    cold.remove();
  });

  it('has operations that can fail', () => expect(operations.warm).toBeGreaterThanOrEqual(200));

  it('F3: a build without changes writes nothing', async () => {
    warm.begin();
    await warm.run();
    await warm.run(100);
    watchDisk(warm.data);
    await warm.run(200);
    expect(endWatch().log.filter((entry) => !/ build\/(lock|staging)/.test(entry))).toEqual([]);
  });

  it('row 47, F1: killed at any operation, the tree stays whole, and the next build completes the publication', () =>
    interruptAt(warm, 'kill', sample(operations.warm, 40)));

  itInSeries('row 47, F1: killed at any operation of the very first build, the next build completes it', () =>
    interruptAt(cold, 'kill', sample(operations.cold, 60)),
  );

  it('row 47: a power loss with all unsynced data lost has the same outcome', () =>
    interruptAt(warm, 'power loss', sample(operations.warm, 40)));

  it.each<[DiskFault, string]>([
    ['ENOSPC', 'a full disk'],
    ['EIO', 'a broken disk'],
    ['EACCES', 'missing rights'],
  ])(
    'row 49, F4: %s, %s, at an operation: the path is named, the tree stays whole, and the next build completes the publication',
    async (kind) => {
      for (const at of sample(operations.warm, 100)) {
        const { error, met } = await meet(warm, { at, kind });
        const where = `${kind} at operation ${at}, ${met}`;
        if (error !== undefined)
          expect(`${where}: ${describeError(error)}`).toMatch(
            new RegExp(`: (StorageError|BuildRefused): .*${warm.data}[/: ]`),
          );
        await expectWhole(warm, where);
        await expectCompleted(warm, where);
      }
    },
  );

  it.each<DiskFault>(['kill', 'power loss'])(
    'row 47: a rollback that meets a %s is complete or not begun after the next build',
    async (kind) => {
      const meetRollback = async (at = Infinity): Promise<Watched> => {
        warm.begin();
        await warm.run();
        watchDisk(warm.data, { at, kind, random });
        const error = await warm.rollBack(20).then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
        expect(error === undefined || isKilled(error), describeError(error)).toBe(true);
        return endWatch();
      };
      const { operations } = await meetRollback();
      const undone = warm.found().served;
      expect(undone).not.toEqual(warm.expected.served);
      for (const at of sample(operations, 80)) {
        const where = `${kind} at operation ${at}, ${(await meetRollback(at)).met}`;
        await expectWhole(warm, where);
        giveLocksToEndedProcess(warm.data);
        await warm.run(120);
        await expectWhole(warm, `${where}, and a build`);
        expect([undone, warm.expected.served], where).toContainEqual(warm.found().served);
        expect(existsSync(`${warm.data}/build/staging`), where).toBe(false);
      }
    },
  );

  /** The numbers from 1 to `last`; in `npm test` every `sampleStep`th of them, starting anywhere. */
  function sample(last: number, sampleStep: number): readonly number[] {
    const step = playsAll ? 1 : sampleStep;
    const first = 1 + Math.floor(random() * step);
    return Array.from({ length: Math.ceil((last - first + 1) / step) }, (_, index) => first + index * step);
  }

  async function meet(
    played: PublishingBuild,
    fault?: { readonly at: number; readonly kind: DiskFault },
  ): Promise<Watched & { readonly error: unknown }> {
    watchDisk(played.begin(), fault === undefined ? undefined : { ...fault, random });
    const error = await played.run().then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    return { ...endWatch(), error };
  }

  async function interruptAt(played: PublishingBuild, kind: DiskFault, points: readonly number[]): Promise<void> {
    for (const at of points) {
      const { error, met } = await meet(played, { at, kind });
      const where = `${kind} at operation ${at}, ${met}`;
      expect(error === undefined || isKilled(error), `${where}: ${describeError(error)}`).toBe(true);
      await expectWhole(played, where);
      await expectCompleted(played, where);
    }
  }

  async function expectWhole({ data }: PublishingBuild, where: string): Promise<void> {
    // before its manifest there is no publication
    if (existsSync(`${data}/build/manifest.json`))
      expect(await verifyTree(data), where).toMatchObject({ ok: true, faults: [] });
    if (!existsSync(`${data}/public/packages.json`)) return;
    // a server does not report the former document as damaged
    const files = createLocalFiles({ dataDirectory: data, cacheBytes: 1_000_000, onNewer: () => undefined });
    for (const path of readdirSync(`${data}/public`, { recursive: true, encoding: 'utf8' }))
      if (/^packages\.json$|^p2\/.*\.json$/.test(path))
        expect(await files.document(path as PublicPath, 1), where).toBeDefined();
  }

  async function expectCompleted(played: PublishingBuild, where: string): Promise<void> {
    giveLocksToEndedProcess(played.data);
    watchDisk(played.data);
    // only its age identifies a half-written lock
    const error = await played.run(90).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    endWatch();
    expect(error, `after ${where}`).toBeUndefined();
    expect(played.found(), where).toEqual(played.expected);
    if (random() < 0.2) await expectWhole(played, `${where}, and a build`);
  }
});

function isKilled(error: unknown): boolean {
  return error instanceof Killed || (error instanceof Error && isKilled(error.cause));
}

function describeError(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
