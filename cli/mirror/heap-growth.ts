// How much garbage a server that mirrors lets pile up. What each document of another registry is made of is garbage a moment later, and V8 by itself lets a
// heap grow to its fourfold before it collects: after 10 000 documents a server had twice what it needs. Collecting earlier costs it nothing that could be
// measured.

import { setFlagsFromString } from 'node:v8';

/** percent of what was alive when garbage was last collected */
const growth = 50;

/** Does it the first time it is called. For the rest of the process. */
export function createHeapLimit(): () => void {
  let limited = false;
  return () => {
    if (limited) return;
    limited = true;
    setFlagsFromString(`--heap-growing-percent=${growth}`);
  };
}
