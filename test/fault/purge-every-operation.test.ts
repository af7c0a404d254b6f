// I21. Tests a purge with a fault at each operation that changes the disk, one run for each: the process is killed, or
// the machine loses its power. The tree is whole at every moment, and the next build, or the same purge again,
// completes a purge that was begun.

// imported first, because it replaces Node's file system
import { endWatch, Killed, watchDisk, type DiskFault, type Watched } from '../util/faulty-disk.mjs';
import AdmZip from 'adm-zip';
import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { build } from '../../build/build.ts';
import type { BuildRequest } from '../../build/scan/build-request.ts';
import type { PackageName } from '../../build/contract/name.ts';
import { purgedPath } from '../../build/contract/purged.ts';
import { publishArtifact } from '../../build/artifacts/publish-artifact.ts';
import { purgeVersion } from '../../build/purge/purge-version.ts';
import { verifyTree } from '../../build/inspect/verify.ts';
import { filesWithSecret, leakedSecret as secret, packageContaining } from '../util/leaked-version.ts';
import { temporaryTree, type TemporaryTree } from '../util/package-tree.ts';
import { publishedVersions } from '../util/published-tree.ts';
import { giveLocksToEndedProcess } from '../util/publishing-build.ts';
import { seededRandom } from '../util/seeded-random.ts';

const seed = Number(process.env['CRASH_SEED'] ?? 1);

describe(`a purge over a faulty disk (CRASH_SEED=${seed})`, () => {
  const random = seededRandom(seed);
  let tree: TemporaryTree;
  let data: string;
  let seconds = 0;

  const request = (): BuildRequest => ({
    dataDirectory: data,
    baseDirectory: tree.root,
    arguments: [],
    configured: undefined,
    fallback: undefined,
    forget: [],
    strict: false,
    allowRepublish: false,
    jobs: 1,
    metadataUrl: '/p2/%package%$%hash%.json',
    distBaseUrl: undefined,
  });
  const effects = {
    now: () => new Date(Date.now() + (seconds += 10) * 1000),
    progress: () => undefined,
    environment: { PATH: process.env['PATH'] },
  };
  const purge = (version = '1.1.0') =>
    purgeVersion(
      {
        name: 'acme/hello' as PackageName,
        version,
        reference: undefined,
        reason: 'secret',
        dryRun: false,
        mirrored: [],
      },
      { request: request(), effects, waitMs: 0 },
    );

  beforeAll(async () => {
    tree = temporaryTree({}, existsSync('/dev/shm') ? '/dev/shm' : tmpdir());
    data = tree.path('data');
    tree.write({
      ...packageContaining('src/one', '1.0.0', 'first'),
      ...packageContaining('src/none', '0.9.0', 'none'),
      ...packageContaining('upload', '1.1.0', secret),
    });
    await build({ ...request(), arguments: ['src'] }, effects);
    // the list and its announcement exist already: the interrupted purge adds to both
    await purge('0.9.0');
    const zip = new AdmZip();
    zip.addLocalFolder(tree.path('upload'));
    zip.writeZip(tree.path('upload.zip'));
    await publishArtifact({ path: tree.path('upload.zip') }, { request: request(), effects, waitMs: 0 });
    tree.write(packageContaining('src/dev', undefined, 'branch'));
    tree.write(packageContaining('src/two', '1.2.0', 'second'));
    await build(request(), effects);
    cpSync(data, tree.path('base'), { recursive: true, preserveTimestamps: true });
  });
  afterAll(() => tree.remove());

  async function meet(at: number, kind: DiskFault, chance = random): Promise<Watched> {
    rmSync(data, { recursive: true, force: true });
    cpSync(tree.path('base'), data, { recursive: true, preserveTimestamps: true });
    watchDisk(data, { at, kind, random: chance });
    const error = await purge().then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error === undefined || isKilled(error), String(error)).toBe(true);
    const watched = endWatch();
    giveLocksToEndedProcess(data);
    return watched;
  }

  // all of them in `npm run fault`
  const every = process.env['CRASH_KILLS'] === undefined ? 8 : 1;

  it.each<[DiskFault, number]>([
    ['kill', every],
    ['power loss', 2 * every],
  ])('the purge is completed after a %s at any operation', async (kind, step) => {
    const { operations } = await meet(Infinity, kind);
    expect(operations).toBeGreaterThan(60);
    expect(filesWithSecret(data)).toEqual([]);
    for (let at = 1; at <= operations; at += step) {
      const where = `${kind} at operation ${at}, ${(await meet(at, kind)).met}`;
      expect(await verifyTree(data), where).toMatchObject({ ok: true, faults: [] });
      const begun = readFileSync(`${data}/index/${purgedPath}`, 'utf8').includes('1.1.0');
      // a build completes a purge that was begun; a purge that was not begun is repeated
      const serial = begun
        ? (await build(request(), effects)).serial
        : ((await purge()) as { readonly serial: number }).serial;
      expect(serial, where).toBeGreaterThanOrEqual(4);
      expect(filesWithSecret(data), where).toEqual([]);
      expect(Object.keys(publishedVersions(data)).toSorted(), where).toEqual([
        'acme/hello@1.0.0',
        'acme/hello@1.2.0',
        'acme/hello@dev-main',
      ]);
      expect(await verifyTree(data), `${where}, completed`).toMatchObject({ ok: true, faults: [] });
    }
  });

  it('a power loss at the end of a purge restores nothing, whatever data was not synced', async () => {
    const { operations, log } = await meet(Infinity, 'kill');
    expect(log.at(-1)).toBe('rm build/lock');
    const everythingUnsynced = (): number => 1;
    await meet(operations, 'power loss', everythingUnsynced);
    expect(filesWithSecret(data)).toEqual([]);
    expect(await verifyTree(data)).toMatchObject({ ok: true, faults: [] });
  });
});

function isKilled(error: unknown): boolean {
  return error instanceof Killed || (error instanceof Error && isKilled(error.cause));
}
