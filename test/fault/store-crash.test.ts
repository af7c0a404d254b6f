// Kills the program at random moments while it publishes to an object store, often beside another builder. At every
// request a reader finds all that the head names. Afterwards any host goes on, `verify` is clean, and public/ has the
// current files. CRASH_KILLS=100 kills more often.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startHostileStore, type HostileStore } from '../util/hostile-store.ts';
import { below, temporaryTree, type TemporaryTree } from '../util/package-tree.ts';
import { binary, cleanEnvironment, runCli } from '../util/run-cli.ts';
import { seededRandom } from '../util/seeded-random.ts';
import { seedOf } from '../util/seeds.ts';
import { networkReader } from '../util/store-hosts.ts';
import type { HeadReader } from '../util/store-hosts/head-reader.ts';
import { whoLibrary } from '../util/who-library.ts';

const kills = Math.min(100, Number(process.env['CRASH_KILLS'] ?? 1));
const seed = seedOf('CRASH_SEED');

let tree: TemporaryTree;
let store: HostileStore;
let round = 0;

beforeEach(async () => {
  tree = temporaryTree();
  store = await startHostileStore();
});
afterEach(async () => {
  await store.close();
  tree.remove();
});

const environment = () => ({ ...store.environment, LIBRETTO_OUTPUT: 's3://libretto-test/registry' });
const building = (host: string): string[] => ['build', `source-${host}`, '--data', host, '--allow-withdraw'];
const libretto = (...args: readonly string[]) => runCli(args, { cwd: tree.root, environment: environment() });

/** A new release, a moved branch and a withdrawn release in the source of a host. */
function edit(host: string): void {
  round += 1;
  const name = `acme/of-${host}`;
  const release = { ...whoLibrary(name, `1.${round}.0`), 'data.txt': `${round} `.repeat(20_000) };
  tree.write(below(`source-${host}/1.${round}.0`, release));
  tree.write(below(`source-${host}/head`, whoLibrary(name, undefined, {}, `head ${round}`)));
  tree.delete(`source-${host}/1.${round - 4}.0`);
}

/** Resolves to whether the kill met it. */
async function killedAfter(host: string, requests: number): Promise<boolean> {
  const child = spawn(process.execPath, [binary, ...building(host)], {
    cwd: tree.root,
    env: cleanEnvironment(environment()),
    stdio: 'ignore',
  });
  const exited = once(child, 'exit') as Promise<[number | null, string | null]>;
  const until = store.requests.length + requests;
  let isOver = false;
  void exited.then(() => (isOver = true));
  while (!isOver && store.requests.length < until) await sleep(1);
  child.kill('SIGKILL');
  return (await exited)[1] === 'SIGKILL';
}

/** Without archives that no document names: `prune` removes what a killed builder has sent in vain. */
function readable(reader: HeadReader): Record<string, string> {
  const listed = reader.listedFiles();
  const found = Object.entries(reader.publicFiles());
  return Object.fromEntries(found.filter(([path]) => path in listed || !path.startsWith('dist/')));
}

describe(`SIGKILL during a publication at an object store (CRASH_SEED=${seed} plays this run again)`, () => {
  it(`${kills} times, nothing is lost`, { timeout: 120_000 + kills * 90_000 }, async () => {
    const random = seededRandom(seed);
    const reader = networkReader(store);
    const succeeds = async (...args: readonly string[]): Promise<void> =>
      expect(await libretto(...args), `${args.join(' ')}, round ${round}`).toMatchObject({ exitCode: 0 });
    for (let met = 0; met < kills;) {
      edit('one');
      const isBeside = random() < 0.3;
      if (isBeside) edit('two');
      const [isKilled] = await Promise.all([
        killedAfter('one', 1 + Math.floor(random() * 45)),
        isBeside ? succeeds(...building('two')) : undefined,
      ]);
      if (isKilled) met += 1;
      if (reader.listedFiles()['packages.json'] !== undefined) await succeeds('verify', '--data', 'three');
      // mostly the same host goes on; another one waits a minute for the lease of one that was killed in its copies
      const next = random() < 0.1 ? 'two' : 'one';
      if (next === 'two') edit('two');
      await succeeds(...building(next));
      expect(readable(reader), `round ${round}`).toEqual(reader.listedFiles());
      reader.demandWhole();
    }
    await succeeds(...building('one'));
    await succeeds('verify', '--data', 'one');
    expect(readable(reader)).toEqual(reader.listedFiles());
  });
});
