// Plays random histories of two hosts over the network of a store that fails: in each dialect, with every kind of
// fault. Nothing is lost, and the store has what a disk has. STORE_RUNS=100 plays more of them.

import { afterEach, describe, it } from 'vitest';
import { parseStoreAddress } from '../../build/store/address.ts';
import { createS3Store } from '../../build/store/s3-store.ts';
import { startHostileStore, type Fault, type HostileStore } from '../util/hostile-store.ts';
import { seededRandom } from '../util/seeded-random.ts';
import { seedOf } from '../util/seeds.ts';
import { networkReader, StoreHosts } from '../util/store-hosts.ts';
import { historyOf } from '../util/store-hosts/operations.ts';

const runs = Number(process.env['STORE_RUNS'] ?? 1);
const seed = seedOf('SERIES_SEED');
const dialects = ['aws', 'ceph', 'minio-2024'] as const;
const faults: readonly Fault[] = [
  { status: 500 },
  { status: 500, effect: true },
  { status: 503, code: 'SlowDown' },
  { status: 409, code: 'ConditionalRequestConflict' },
  { reset: 'before' },
  { reset: 'after' },
  { reset: 'half-answer' },
  { delayMs: 30 },
];

let hostile: HostileStore;
afterEach(() => hostile.close());

describe(`builders on two hosts at a store with faults (SERIES_SEED=${seed})`, () => {
  it.each(Array.from({ length: runs }, (_, run) => run))('history %i', { timeout: 600_000 }, async (run) => {
    const random = seededRandom(seed + run);
    hostile = await startHostileStore({ dialect: dialects[run % 3] ?? 'aws', pageSize: 3 });
    const meets = seededRandom(seed + run);
    // a conflict is one of writes
    hostile.fault = ({ method, query }) => {
      const found = meets() < 0.08 ? faults[Math.floor(meets() * faults.length)] : undefined;
      return found?.status === 409 && (method !== 'PUT' || query.size > 0) ? undefined : found;
    };
    const reader = networkReader(hostile);
    const { environment } = hostile;
    const address = parseStoreAddress('s3://libretto-test/registry', { environment });
    const open = () => createS3Store({ address, environment, home: '/', now: Date.now, random });
    const all = new StoreHosts({ reader, open });
    try {
      await all.play(Array.from({ length: 2 }, () => historyOf(random, 2, 6)));
      reader.demandWhole();
      hostile.fault = () => undefined;
      await all.compare();
    } finally {
      all.remove();
    }
  });
});
