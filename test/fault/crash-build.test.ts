// Tests a build that is killed at any moment: the tree stays whole (`verify` accepts it), and the next build completes
// the publication (I5, F1).

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { below, temporaryTree } from '../util/package-tree.ts';
import { publishedTree } from '../util/published-tree.ts';
import { seededRandom } from '../util/seeded-random.ts';
import { seedOf } from '../util/seeds.ts';
import { binary, cleanEnvironment, runCli } from '../util/run-cli.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { whoLibrary } from '../util/who-library.ts';

/** `npm run fault` makes it 200 */
const kills = Number(process.env['CRASH_KILLS'] ?? 3);
const seed = seedOf('CRASH_SEED');

describe(`SIGKILL during a build (CRASH_SEED=${seed} plays this run again)`, () => {
  const random = seededRandom(seed);
  const source = temporaryTree();
  const folder = temporaryFolder('crash');
  const data = folder.at('data');
  let serial = 0;

  const libretto = (...args: readonly string[]) => runCli(args, { cwd: folder.path });
  const building = (into: string): readonly string[] => ['build', source.root, '--data', into, '--allow-withdraw'];
  const build = (into: string) => libretto(...building(into));

  /** A dozen changes: new releases, moved dev versions, withdrawn releases, an added and a removed package. */
  const edit = (): void => {
    serial += 1;
    for (let index = 0; index < 6; index += 1) {
      const name = `acme/part-${index}`;
      source.write({
        ...below(`${name}/1.${serial}.0`, {
          ...whoLibrary(name, `1.${serial}.0`),
          'data.txt': `${name} ${serial} `.repeat(2000),
        }),
        ...below(`${name}/head`, whoLibrary(name, undefined, {}, `head ${serial}`)),
      });
      if (serial > 4) source.delete(`${name}/1.${serial - 4}.0`);
    }
    source.write(below(`acme/guest-${serial}/1.0.0`, whoLibrary(`acme/guest-${serial}`, '1.0.0')));
    if (serial > 2) source.delete(`acme/guest-${serial - 2}`);
  };

  const verify = async (where: string): Promise<void> => {
    const { exitCode, stdout, stderr } = await libretto('verify', '--json', '--data', data);
    expect(exitCode, `${where}: ${stdout}${stderr}`).toBe(0);
  };

  beforeAll(() => edit());

  afterAll(async () => {
    source.remove();
    await folder.remove();
  });

  it(
    `row 47, F1: ${kills} times at random moments, the tree stays whole and the next build completes the publication`,
    { timeout: 300_000 + kills * 15_000 },
    async () => {
      const started = performance.now();
      // alone, like the killed ones
      expect((await runCli(building(data), { cwd: folder.path, alone: true })).exitCode).toBe(0);
      // follows the speed of the machine: the time of a completed build, otherwise a little more than before
      let span = performance.now() - started;
      let interrupted = 0;
      let everPublished = true;
      for (let round = 0; round < kills || interrupted <= kills / 4; round += 1) {
        const cold = round % 5 === 4;
        if (cold) {
          await rm(data, { recursive: true, force: true });
          everPublished = false;
        }
        edit();
        // the first quarter is the program starting
        const delay = (0.25 + random() * 0.85) * span;
        const duration = await killedAfter(delay);
        if (duration === undefined) interrupted += 1;
        span = duration ?? span * 1.02;
        // before the first packages.json there is nothing to read; afterwards it never disappears
        everPublished ||= existsSync(`${data}/public/packages.json`);
        if (everPublished) await verify(`round ${round}, killed after ${delay.toFixed(0)} ms`);
        // every second kill meets the remains of another one
        if (round % 2 === 0) {
          const { exitCode, stderr } = await build(data);
          expect(exitCode, `round ${round}: ${stderr}`).toBe(0);
          everPublished = true;
        }
      }
      expect((await build(data)).exitCode).toBe(0);
      await verify('the last build');
      expect((await build(folder.at('clean'))).exitCode).toBe(0);
      expect(publishedTree(data)).toEqual(publishedTree(folder.at('clean')));
    },
  );

  /** The milliseconds of a build that ended before its kill; undefined: it was killed. */
  async function killedAfter(delay: number): Promise<number | undefined> {
    const started = performance.now();
    const child = spawn(process.execPath, [binary, ...building(data)], {
      cwd: folder.path,
      env: cleanEnvironment(),
      stdio: 'ignore',
    });
    const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
    await Promise.race([sleep(delay), exited]);
    child.kill('SIGKILL');
    const [, signal] = await exited;
    return signal === 'SIGKILL' ? undefined : performance.now() - started;
  }
});
