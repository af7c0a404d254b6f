// How many processes serve.

import { availableParallelism } from 'node:os';

import { parseWholeNumber } from './setting-values.ts';
import type { Setting } from './setting.ts';

const mostWorkers = 256;

export const workers: Setting<number> = {
  key: 'workers',
  flag: '--workers <n>',
  variable: 'LIBRETTO_WORKERS',
  purpose: 'how many processes serve; more than one count in a Redis that they share',
  allowed: 'a whole number from 1 to 256, or auto for one on each processor',
  parse: (raw) =>
    raw === 'auto' ? Math.min(availableParallelism(), mostWorkers) : parseWholeNumber(raw, 1, mostWorkers),
  standard: () => 1,
  schema: { type: ['string', 'integer'], pattern: '^auto$', minimum: 1, maximum: mostWorkers },
};
