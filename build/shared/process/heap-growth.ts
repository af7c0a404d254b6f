// How much garbage a process lets pile up. By itself V8 lets a heap of some 30 MB grow to its fourfold before it
// collects, since memory seems free: a build of 20 000 versions then takes 60 MB more than it needs, and a server twice
// as much after 10 000 documents of another registry, of which what they were made of is garbage a moment later.
// Collecting earlier costs a build a tenth of its processor time, and a server nothing that could be measured. So a
// server collects twice as early as a build.

import { setFlagsFromString } from 'node:v8';

/** percent of what was alive when garbage was last collected */
const growthOfBuild = 50;
const growthOfServer = 25;

/** For the rest of the process. */
export function limitHeapOfServer(): void {
  setFlagsFromString(`--heap-growing-percent=${growthOfServer}`);
}

/** Holds for the whole process while `work` is under way; 0 leaves it to V8 again. */
export async function withinHeapGrowth<Result>(work: () => Promise<Result>): Promise<Result> {
  setFlagsFromString(`--heap-growing-percent=${growthOfBuild}`);
  try {
    return await work();
  } finally {
    setFlagsFromString('--heap-growing-percent=0');
  }
}
