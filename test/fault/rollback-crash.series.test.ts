// Tests a rollback that is killed: at any moment the tree stays whole, the next build completes the rollback or finds
// it not begun, and the publication history has no gap.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { below, temporaryTree } from '../util/package-tree.ts';
import { publishedVersions } from '../util/published-tree.ts';
import { seededRandom } from '../util/seeded-random.ts';
import { seedOf } from '../util/seeds.ts';
import { binary, cleanEnvironment, runCli } from '../util/run-cli.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { whoLibrary } from '../util/who-library.ts';

/** `npm run fault` makes it 200 */
const kills = Number(process.env['CRASH_KILLS'] ?? 3);
const seed = seedOf('CRASH_SEED');
const packages = 40;

describe(`SIGKILL during a rollback (CRASH_SEED=${seed} plays this run again)`, () => {
  const random = seededRandom(seed);
  const source = temporaryTree();
  const folder = temporaryFolder('rollback-crash');
  const data = folder.at('data');

  const libretto = (...args: readonly string[]) => runCli([...args, '--data', data], { cwd: folder.path });
  const state = (): string =>
    JSON.stringify(
      Object.entries(publishedVersions(data))
        .map(([version, { reference }]) => [version, reference])
        .toSorted(),
    );
  const put = (step: number): void => {
    for (let index = 0; index < packages; index += 1) {
      const name = `acme/part-${index}`;
      source.write({
        ...below(`${name}/${step}`, whoLibrary(name, `${step}.0.0`)),
        ...below(`${name}/head`, whoLibrary(name, undefined, {}, `head ${step}`)),
      });
    }
  };
  const states: string[] = [];

  beforeAll(async () => {
    // the first two publications stay recorded, whatever the number of kills
    writeFileSync(folder.at('libretto.json'), JSON.stringify({ history: { keep: 1000 } }));
    for (const step of [1, 2]) {
      put(step);
      expect((await libretto('build', source.root)).exitCode).toBe(0);
      states.push(state());
    }
  });
  afterAll(async () => {
    source.remove();
    await folder.remove();
  });

  it(
    `${kills} times at random moments, in both directions, the tree stays whole and the history has no gap`,
    { timeout: 300_000 + kills * 6000 },
    async () => {
      const started = performance.now();
      // alone, like the killed one
      const alone = { cwd: folder.path, alone: true };
      expect((await runCli(['rollback', '1', '--data', data], alone)).exitCode).toBe(0);
      // follows the speed of the machine: the time of a completed rollback, otherwise a little more than before
      let span = performance.now() - started;
      let killed = 0;
      let completed = 0;
      // until some were killed and some completed, whatever the machine does meanwhile
      for (let round = 0; round < kills || killed <= kills / 6 || completed === 0; round += 1) {
        const before = state();
        const target = states.indexOf(before) === 0 ? 2 : 1;
        const delay = (0.3 + random() * 0.8) * span;
        const duration = await killedAfter(delay, target);
        if (duration === undefined) killed += 1;
        span = duration ?? span * 1.02;
        const where = `round ${round}, to ${target}, killed after ${delay.toFixed(0)} ms`;
        const { exitCode, stdout, stderr } = await libretto('verify', '--json');
        expect(exitCode, `${where}: ${stdout}${stderr}`).toBe(0);
        const built = await libretto('build', source.root);
        expect(built.exitCode, `${where}: ${built.stderr}`).toBe(0);
        const after = state();
        expect([before, states[target - 1]], where).toContain(after);
        if (after !== before) completed += 1;
        expect(await libretto('history', 'diff', '1', '--json'), where).toMatchObject({ exitCode: 0 });
      }
    },
  );

  /** The milliseconds of a rollback that ended before its kill; undefined: it was killed. */
  async function killedAfter(delay: number, target: number): Promise<number | undefined> {
    const started = performance.now();
    const child = spawn(process.execPath, [binary, 'rollback', String(target), '--data', data], {
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
