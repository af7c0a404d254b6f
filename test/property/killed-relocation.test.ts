// Tests a build with --relocate that is killed at each operation that changes the disk. The next builds complete the
// relocation: every version keeps its reference and its archive.

// imported first, because it replaces Node's file system
import { endWatch, watchDisk } from '../util/faulty-disk.mjs';
import { cpSync, existsSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { build } from '../../build/build.ts';
import type { BuildReport } from '../../build/contract/build-report.ts';
import { BuildRefused } from '../../build/contract/refusals.ts';
import { below, libraryTree, temporaryTree, type TemporaryTree } from '../util/package-tree.ts';
import { wholeTree } from '../util/published-tree.ts';
import { giveLocksToEndedProcess } from '../util/publishing-build.ts';

/** `npm test` plays a sample of the operations, and `npm run fault` all of them. */
const step = process.env['CRASH_KILLS'] === undefined ? 9 : 1;

let tree: TemporaryTree;
let [data, base, from, to] = ['', '', '', ''];
let expected: Record<string, string>;
beforeAll(async () => {
  const packages = [
    below('packages/one', libraryTree('acme/one', { version: '1.0.0' })),
    below('packages/two', libraryTree('acme/two', { version: '1.0.0' })),
  ];
  tree = temporaryTree(
    Object.assign({}, ...packages) as (typeof packages)[0],
    existsSync('/dev/shm') ? '/dev/shm' : tmpdir(),
  );
  [data, base, from, to] = [tree.path('data'), tree.path('base'), tree.path('packages'), tree.path('moved')];
  await run([from], [], base);
  renameSync(from, to);
  expected = wholeTree(base);
});
afterAll(() => tree.remove());

const run = (
  sources: readonly string[],
  relocate: readonly { from: string; to: string }[],
  folder = data,
  forget: readonly string[] = [],
): Promise<BuildReport> =>
  build(
    {
      configured: undefined,
      fallback: undefined,
      forget,
      strict: false,
      allowRepublish: false,
      jobs: 1,
      metadataUrl: '/p2/%package%$%hash%.json',
      distBaseUrl: undefined,
      dataDirectory: folder,
      baseDirectory: tree.root,
      arguments: sources,
      ...(relocate.length === 0 ? {} : { relocate }),
    },
    { now: () => new Date(), progress: () => undefined, environment: { PATH: process.env['PATH'] } },
  );

/** False: the relocation was complete before. */
async function relocateUntil(at: number): Promise<boolean> {
  rmSync(data, { recursive: true, force: true });
  cpSync(base, data, { recursive: true, preserveTimestamps: true });
  watchDisk(data, { at, kind: 'kill' });
  const killed = await run([], [{ from, to }]).then(
    () => false,
    () => true,
  );
  if (endWatch().met === undefined) return false;
  if (killed) giveLocksToEndedProcess(data);
  return true;
}

it.each(['the same command', 'a build without it, and the command that a refusal names'])(
  'a relocation that was killed is completed by %s',
  async (how) => {
    for (let at = 1; await relocateUntil(at); at += step) {
      if (how !== 'the same command') await run([], []);
      const again = await run([], [{ from, to }]).catch((error: unknown) => error);
      if (again instanceof BuildRefused && again.message.includes(`--forget ${from}`)) await run([], [], data, [from]);
      const { failed, quarantined } = await run([], []);
      expect([at, failed, quarantined, wholeTree(data)]).toEqual([at, [], [], expected]);
    }
  },
);
