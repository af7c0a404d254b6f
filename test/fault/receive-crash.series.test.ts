// Tests a `libretto receive` that is killed, and two at once: the tree stays whole at any moment, and the same command
// again completes the publication.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { below, writeTree } from '../util/package-tree.ts';
import { publishedTree, publishedVersions } from '../util/published-tree.ts';
import { binary, cleanEnvironment, runCli } from '../util/run-cli.ts';
import { seededRandom } from '../util/seeded-random.ts';
import { seedOf } from '../util/seeds.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { whoLibrary } from '../util/who-library.ts';

const kills = process.env['CRASH_KILLS'] === undefined ? 2 : 40;
const seed = seedOf('CRASH_SEED');

describe(`receive (CRASH_SEED=${seed} plays this run again)`, () => {
  const random = seededRandom(seed);
  const folder = temporaryFolder('receive-crash');
  afterAll(() => folder.remove());

  const libretto = (...args: readonly string[]) => runCli(args, { cwd: folder.path });
  /** Builds into `into` like a job without data of earlier jobs. */
  const sent = async (packages: string, into: string): Promise<void> => {
    rmSync(folder.at('made'), { recursive: true, force: true });
    expect((await libretto('build', packages, '--data', 'made')).exitCode).toBe(0);
    rmSync(folder.at(into), { recursive: true, force: true });
    for (const part of ['public', 'index']) cpSync(folder.at('made', part), folder.at(into, part), { recursive: true });
  };
  const edit = (round: number): void => {
    for (let index = 0; index < 6; index += 1) {
      const name = `acme/part-${index}`;
      writeTree(
        folder.path,
        below(`packages/${name}/1.${round}.0`, {
          ...whoLibrary(name, `1.${round}.0`),
          'data.txt': `${name} ${round} `.repeat(2000),
        }),
      );
      writeTree(folder.path, below(`packages/${name}/head`, whoLibrary(name, undefined, {}, `head ${round}`)));
      if (round > 3) rmSync(folder.at(`packages/${name}/1.${round - 3}.0`), { recursive: true });
    }
  };

  it(`is killed ${kills} times at random moments: the tree stays whole, and the next receive completes the publication`, async () => {
    edit(1);
    await sent('packages', 'incoming');
    const started = performance.now();
    // alone, like the killed one
    const first = await runCli(['receive', 'incoming', '--data', 'data'], { cwd: folder.path, alone: true });
    expect(first.exitCode).toBe(0);
    const span = performance.now() - started;
    let interrupted = 0;
    // on a busy machine a receive may end before its kill: more rounds follow, until enough were interrupted
    const enough = Math.ceil(kills / 4);
    for (let round = 2; round < kills + 2 || interrupted < enough; round += 1) {
      edit(round);
      await sent('packages', 'incoming');
      const child = spawn(process.execPath, [binary, 'receive', 'incoming', '--data', 'data'], {
        cwd: folder.path,
        env: cleanEnvironment(),
        stdio: 'ignore',
      });
      const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
      await Promise.race([sleep((0.25 + 0.85 * random()) * span), ended]);
      child.kill('SIGKILL');
      if ((await ended)[1] === 'SIGKILL') interrupted += 1;
      const verified = await libretto('verify', '--json', '--data', 'data');
      expect(verified.exitCode, `round ${round}: ${verified.stdout}${verified.stderr}`).toBe(0);
      if (round % 3 === 0) continue; // another kill meets the remains of this one
      const again = await libretto('receive', 'incoming', '--data', 'data');
      expect(again.exitCode, `round ${round}: ${again.stderr}`).toBe(0);
      expect(publishedTree(folder.at('data'))).toEqual(publishedTree(folder.at('made')));
    }
  });

  it('twice at once, of two trees and of the same one: one waits for the other, and both are published', async () => {
    writeTree(folder.path, below('one/tool', whoLibrary('acme/tool', '1.0.0')));
    writeTree(folder.path, below('two/more', whoLibrary('acme/more', '1.0.0')));
    await sent('one', 'from-one');
    await sent('two', 'from-two');
    const outcomes = await Promise.all(
      ['from-one', 'from-two', 'from-two'].map((tree) => libretto('receive', tree, '--data', 'both')),
    );
    expect(
      outcomes.map(({ exitCode }) => exitCode),
      outcomes.map(({ stderr }) => stderr).join(''),
    ).toEqual([0, 0, 0]);
    expect(Object.keys(publishedVersions(folder.at('both'))).toSorted()).toEqual([
      'acme/more@1.0.0',
      'acme/tool@1.0.0',
    ]);
    expect((await libretto('verify', '--data', 'both')).exitCode).toBe(0);
    expect(existsSync(folder.at('both/build/lock'))).toBe(false);
  });
});
