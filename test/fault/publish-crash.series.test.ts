// Tests a `libretto publish` that is killed at any moment: the tree stays whole, the same command completes the
// publication, and acknowledged versions stay.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { below, writeTree } from '../util/package-tree.ts';
import { publishedVersions } from '../util/published-tree.ts';
import { binary, cleanEnvironment, runCli } from '../util/run-cli.ts';
import { seededRandom } from '../util/seeded-random.ts';
import { seedOf } from '../util/seeds.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { whoLibrary } from '../util/who-library.ts';

const kills = process.env['CRASH_KILLS'] === undefined ? 2 : 40;
const seed = seedOf('CRASH_SEED');

describe(`SIGKILL during a publish (CRASH_SEED=${seed} plays this run again)`, () => {
  const random = seededRandom(seed);
  const folder = temporaryFolder('publish-crash');
  afterAll(() => folder.remove());

  const libretto = (...args: readonly string[]) => runCli([...args, '--data', folder.at('data')], { cwd: folder.path });
  /** Alternates between a new release and new content of a dev version. */
  const edit = (round: number): string => {
    const version = round % 2 === 0 ? `1.${round}.0` : 'dev-main';
    writeTree(folder.path, below('hello', whoLibrary('acme/hello', version, {}, `round ${round}`)));
    return version;
  };
  const complete = async (
    version: string,
    alone = false,
  ): Promise<{ readonly reference: string; readonly status: string }> => {
    const args = ['publish', 'hello', '--json', '--data', folder.at('data')];
    const { exitCode, stdout, stderr } = await runCli(args, { cwd: folder.path, alone });
    expect(exitCode, stderr).toBe(0);
    const record = JSON.parse(stdout) as { reference: string; status: string; version: string };
    expect([record.version, record.status]).toEqual([version, 'published']);
    return record;
  };

  it(`${kills} times at random moments, the tree stays whole and no acknowledged version is lost`, async () => {
    const started = performance.now();
    // alone, like the killed ones
    const acknowledged = new Map([['dev-main', (await complete(edit(1), true)).reference]]);
    const span = performance.now() - started;
    for (let round = 2; round < kills + 2; round += 1) {
      const version = edit(round);
      const child = spawn(process.execPath, [binary, 'publish', 'hello', '--data', folder.at('data')], {
        cwd: folder.path,
        env: cleanEnvironment(),
        stdio: 'ignore',
      });
      const ended = once(child, 'exit');
      await sleep((0.2 + 0.8 * random()) * span);
      child.kill('SIGKILL');
      await ended;
      const verified = await libretto('verify', '--json');
      expect(verified.exitCode, `round ${round}: ${verified.stdout}${verified.stderr}`).toBe(0);
      // a concurrent build makes the command try again
      if (round % 3 === 0) expect((await libretto('build')).exitCode).toBe(0);
      acknowledged.set(version, (await complete(version)).reference);
      const published = publishedVersions(folder.at('data'));
      expect(
        Object.fromEntries([...acknowledged].map(([known, reference]) => [`acme/hello@${known}`, reference])),
      ).toEqual(Object.fromEntries(Object.entries(published).map(([known, { reference }]) => [known, reference])));
    }
    expect((await libretto('build')).stdout).toContain('Nothing has changed');
  });
});
