// Tests a `libretto receive` of a bundle that is killed: the tree and the mirror stay whole at any moment, and the same
// command again completes them (row 100).

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { archiveFor, mirroringRegistry } from '../util/mirroring-registry.ts';
import { below, writeTree } from '../util/package-tree.ts';
import { allFiles, publishedTree } from '../util/published-tree.ts';
import { binary, cleanEnvironment, runCli } from '../util/run-cli.ts';
import { seededRandom } from '../util/seeded-random.ts';
import { seedOf } from '../util/seeds.ts';
import { startUpstream } from '../util/upstream.ts';
import { whoLibrary } from '../util/who-library.ts';

const kills = process.env['CRASH_KILLS'] === undefined ? 6 : 40;
const seed = seedOf('CRASH_SEED');

it(`is killed ${kills} times at random moments (CRASH_SEED=${seed}): tree and mirror stay whole`, async () => {
  const random = seededRandom(seed);
  await using upstream = await startUpstream();
  const versions = Array.from({ length: 20 }, (_, at) => `1.${at}.0`);
  upstream.put(
    'some/lib',
    versions.map((version) => ({ version, zip: archiveFor(version) })),
  );
  await using registry = await mirroringRegistry(upstream.url);
  const { folder } = registry;
  const warmed = await registry.warm(...versions.map((version) => ['some/lib', version] as const));
  expect(warmed.exitCode, warmed.stderr).toBe(0);
  for (let at = 0; at < 20; at += 1)
    writeTree(folder.path, below(`more/part-${at}`, whoLibrary(`acme/part-${at}`, '1.0.0')));
  await registry.json('build', 'more');
  await registry.json('bundle', '--name', 'libretto', '--out', 'all.tar');

  const at = (data: string, ...args: readonly string[]) =>
    runCli([...args, '--data', data], { cwd: folder.path, alone: true });
  const started = performance.now();
  expect((await at('first', 'receive', 'all.tar')).exitCode).toBe(0);
  const span = performance.now() - started;
  // a record is written beside its place: `mirror prune` removes what a kill leaves there, after an hour
  const isUnfinished = /^dist\/.*\.json\.[0-9a-f-]{36}\.partial$/;
  const whole = (data: string) => ({
    tree: publishedTree(folder.at(data)),
    mirror: allFiles(folder.at(data, 'mirror')).filter((path) => !isUnfinished.test(path)),
  });
  let [interrupted, round] = [0, 0];
  while (interrupted < kills) {
    const data = `data-${Math.floor(round / 3)}`; // another kill meets the remains of two before
    const child = spawn(process.execPath, [binary, 'receive', 'all.tar', '--data', data], {
      cwd: folder.path,
      env: cleanEnvironment(),
      stdio: 'ignore',
    });
    const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
    await Promise.race([sleep((0.2 + 0.8 * random()) * span), ended]);
    child.kill('SIGKILL');
    if ((await ended)[1] === 'SIGKILL') interrupted += 1;
    if (existsSync(folder.at(data, 'index/_publication.json'))) {
      const verified = await at(data, 'verify');
      expect(verified.exitCode, `round ${round}: ${verified.stdout}${verified.stderr}`).toBe(0);
    }
    round += 1;
    if (round % 3 !== 0) continue;
    const again = await at(data, 'receive', 'all.tar');
    expect(again.exitCode, `round ${round}: ${again.stderr}`).toBe(0);
    expect(whole(data)).toEqual(whole('first'));
    expect(existsSync(folder.at(data, 'build/receive'))).toBe(false);
    expect((await at(data, 'mirror', 'verify')).exitCode).toBe(0);
  }
});
