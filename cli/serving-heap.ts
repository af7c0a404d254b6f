// How much garbage a server lets pile up. What documents of other registries and views are made of is garbage a moment later, and V8 by itself lets a heap
// grow to its fourfold before it collects: after 10 000 of them a server had twice what it needs. Collecting earlier costs it nothing that could be measured.

import { setFlagsFromString } from 'node:v8';

/** percent of what was alive when garbage was last collected */
const growth = 50;

/** For the rest of the process. */
export function limitHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${growth}`);
}
