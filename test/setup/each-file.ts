// Runs before each test file. Waits for conditions get their limit (waits.ts). A file of a folder whose tests run the
// compiled program fails at once where that program is missing or old. A file fails that leaves a loop of callbacks
// behind: it would keep a processor busy while later files of its process run.

import { afterAll, expect } from 'vitest';
import { demandCompiled } from './compiled.ts';
import './waits.ts';

if (/\/test\/(?:cli|e2e|fault|property|recorded)\//.test(expect.getState().testPath ?? '')) demandCompiled();

/** Work that ends needs fewer turns of the event loop. */
const mostTurns = 200;

afterAll(async () => {
  for (let turn = 0; process.getActiveResourcesInfo().includes('Immediate'); turn += 1) {
    if (turn === mostTurns) throw new Error('A callback of this file calls setImmediate again and again. End it.');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
});
