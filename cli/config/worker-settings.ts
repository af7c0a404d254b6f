// The number of processes that serve.

import { availableParallelism } from 'node:os';

import { parseWholeNumber } from './setting-values.ts';
import type { Setting } from './setting.ts';

const mostWorkers = 256;

export const workers: Setting<number> = {
  key: 'workers',
  flag: '--workers <n>',
  variable: 'LIBRETTO_WORKERS',
  purpose: 'the number of server processes; more than one requires a shared Redis',
  allowed: 'a whole number from 1 to 256, or auto for one per processor',
  parse: (raw) =>
    raw === 'auto' ? Math.min(availableParallelism(), mostWorkers) : parseWholeNumber(raw, 1, mostWorkers),
  standard: () => 1,
  schema: { type: ['string', 'integer'], pattern: '^auto$', minimum: 1, maximum: mostWorkers },
};
