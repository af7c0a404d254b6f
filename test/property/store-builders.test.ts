// Plays random histories on several working copies of one object store at once (test/util/store-hosts.ts). Requests
// meet in another order with each run, so that a seed repeats the history, and not its interleaving. STORE_RUNS=100
// plays more histories; every third one has four hosts.

import { describe, it } from 'vitest';
import { seededRandom } from '../util/seeded-random.ts';
import { seedOf } from '../util/seeds.ts';
import { memoryHosts } from '../util/store-hosts.ts';
import { historyOf, type StoreOperation } from '../util/store-hosts/operations.ts';

const runs = Number(process.env['STORE_RUNS'] ?? 1);
const seed = seedOf('SERIES_SEED');
describe(`builders on several hosts (SERIES_SEED=${seed} plays their histories again)`, () => {
  it.each(Array.from({ length: runs }, (_, run) => run))(
    'lose nothing, and leave what a disk has: history %i',
    { timeout: 300_000 },
    async (run) => {
      const random = seededRandom(seed + run);
      const hosts = run % 3 === 2 ? 4 : 2;
      const all = memoryHosts(seed + run);
      try {
        await all.play(Array.from({ length: hosts }, () => historyOf(random, hosts, hosts === 4 ? 5 : 8)));
        await all.compare();
      } finally {
        all.remove();
      }
    },
  );
});

it('the former bytes of a release stay at the store when --allow-republish gives it others', async () => {
  const all = memoryHosts(seed);
  const build = (content: number): StoreOperation => ({
    kind: 'build',
    edits: [{ version: '1.0.0', content }],
    allowRepublish: true,
  });
  try {
    await all.play([[build(0), build(1), build(2)]]);
    await all.compare();
  } finally {
    all.remove();
  }
});
