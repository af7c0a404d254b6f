// Clients of the hostile store: no waits between repetitions, random numbers of a seed, small parts.

import { parseStoreAddress } from '../../build/store/address.ts';
import { createS3Store, type S3StoreOptions } from '../../build/store/s3-store.ts';
import type { ObjectStore } from '../../build/store/object-store.ts';
import type { HostileStore } from './hostile-store.ts';
import { seededRandom } from './seeded-random.ts';

export const smallParts = { multipartAbove: 100_000, partBytes: 40_000 };

/** `prefix`: of the address, such as `some/where` */
export function openStore(
  { environment, bucket }: Pick<HostileStore, 'environment' | 'bucket'>,
  options: Partial<S3StoreOptions> & { readonly prefix?: string } = {},
): ObjectStore {
  const { prefix = 'some/where', ...others } = options;
  return createS3Store({
    address: parseStoreAddress(`s3://${bucket}/${prefix}`, { environment }),
    environment,
    home: '/nonexistent',
    now: Date.now,
    random: seededRandom(44),
    sleep: () => Promise.resolve(),
    ...smallParts,
    ...others,
  });
}
