// Plays random histories on several working copies of one object store at once (test/util/store-hosts.ts). Requests
// meet in another order with each run, so that a seed repeats the history, and not its interleaving. STORE_RUNS=100
// plays more histories; every third one has four hosts.

import { describe, it } from 'vitest';
import { seededRandom } from '../util/seeded-random.ts';
import { seedOf } from '../util/seeds.ts';
import { StoreHosts } from '../util/store-hosts.ts';
import type { StoreOperation } from '../util/store-hosts/operations.ts';

const runs = Number(process.env['STORE_RUNS'] ?? 1);
const seed = seedOf('SERIES_SEED');
const versions = ['1.0.0', '1.1.0', '2.0.0'] as const;

function historyOf(random: () => number, hosts: number, length: number): StoreOperation[] {
  const below = (limit: number): number => Math.floor(random() * limit);
  const pick = <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item;
  const build = (): StoreOperation => {
    const edits = Array.from({ length: 1 + below(3) }, () => ({
      version: pick([undefined, undefined, ...versions]),
      content: pick([0, 1, 2, undefined]),
    }));
    return { kind: 'build', edits, allowRepublish: random() < 0.3 };
  };
  const kinds: readonly (() => StoreOperation)[] = [
    ...Array.from({ length: 8 }, () => build),
    () => ({ kind: 'upload', version: pick(versions), content: below(2) }),
    () => ({ kind: 'upload', version: pick(versions), content: below(2) }),
    () => ({ kind: 'withdraw', of: below(hosts), version: pick([...versions, 'dev-main']) }),
    () => ({ kind: 'purge', of: below(hosts), version: pick([...versions, 'dev-main']) }),
    () => ({ kind: 'rollback', to: 1 + below(6) }),
    () => ({ kind: 'lift' }),
    () => ({ kind: 'prune' }),
    () => ({ kind: 'prune' }),
  ];
  return [build(), ...Array.from({ length: length - 1 }, () => pick(kinds)())];
}

describe(`builders on several hosts (SERIES_SEED=${seed} plays their histories again)`, () => {
  it.each(Array.from({ length: runs }, (_, run) => run))(
    'lose nothing, and leave what a disk has: history %i',
    { timeout: 300_000 },
    async (run) => {
      const random = seededRandom(seed + run);
      const hosts = run % 3 === 2 ? 4 : 2;
      const all = new StoreHosts(seed + run);
      try {
        await all.play(Array.from({ length: hosts }, () => historyOf(random, hosts, hosts === 4 ? 5 : 8)));
        await all.compare();
      } finally {
        all.remove();
      }
    },
  );
});
