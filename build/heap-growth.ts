// How much garbage a build lets pile up. By itself V8 lets a heap of some 30 MB grow to its fourfold before it collects, since memory seems free: a
// build of 20 000 versions then takes 60 MB more than it needs. Collecting earlier costs it a tenth of its processor time.

import { setFlagsFromString } from 'node:v8';

/** percent of what was alive when garbage was last collected */
const growth = 50;

/** Holds for the whole process while `work` is under way; 0 leaves it to V8 again. */
export async function withinHeapGrowth<Result>(work: () => Promise<Result>): Promise<Result> {
  setFlagsFromString(`--heap-growing-percent=${growth}`);
  try {
    return await work();
  } finally {
    setFlagsFromString('--heap-growing-percent=0');
  }
}
