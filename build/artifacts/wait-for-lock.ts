// The lock of a data folder for those who would rather wait a little than try again themselves.

import { setTimeout as sleep } from 'node:timers/promises';
import { takeLock, type Lock } from '../output/lock.ts';
import { BuildBusy } from '../refusals.ts';

const pauseMs = 250;

/** Throws BuildBusy once `waitMs` are over. */
export async function waitForLock(path: string, now: () => Date, waitMs: number): Promise<Lock> {
  const until = performance.now() + waitMs;
  for (;;) {
    try {
      return await takeLock(path, now);
    } catch (error) {
      if (!(error instanceof BuildBusy) || performance.now() >= until) throw error;
    }
    await sleep(pauseMs);
  }
}
