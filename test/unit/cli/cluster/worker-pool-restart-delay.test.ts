// Tests the delay before a worker restarts: it doubles while the worker keeps ending, and starts over after a long
// life.

import { expect, it } from 'vitest';
import { nextRestart } from '../../../../cli/cluster/worker-pool.ts';

it('the restart delay doubles from a tenth of a second to half a minute', () => {
  const delays: number[] = [];
  let failures = 0;
  for (let fall = 0; fall < 11; fall += 1) {
    const next = nextRestart(failures, 500);
    failures = next.failures;
    delays.push(next.delayMs);
  }
  expect(delays).toEqual([100, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000]);
  expect(nextRestart(10_000, 0).delayMs).toBe(30_000);
});

it('the restart delay starts over after a worker that lived for a minute', () => {
  expect(nextRestart(8, 60_000)).toEqual({ failures: 1, delayMs: 100 });
});
