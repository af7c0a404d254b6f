// The lock of a data folder for those who would rather wait a little than try again themselves.

import { setTimeout as sleep } from 'node:timers/promises';
import { buildLock, takeLock, type Lock, type LockOptions } from './lock.ts';
import { BuildBusy } from '../contract/refusals.ts';

const pauseMs = 250;

export interface WaitOptions {
  /** default: the lock of builds */
  readonly lock?: LockOptions;
  /** ends the waiting with its reason */
  readonly stop?: AbortSignal | undefined;
}

/** Throws BuildBusy once `waitMs` are over. */
export async function waitForLock(
  path: string,
  now: () => Date,
  waitMs: number,
  { lock = buildLock, stop }: WaitOptions = {},
): Promise<Lock> {
  const until = performance.now() + waitMs;
  for (;;) {
    stop?.throwIfAborted();
    try {
      return await takeLock(path, now, lock);
    } catch (error) {
      if (!(error instanceof BuildBusy) || performance.now() >= until) throw error;
    }
    await sleep(pauseMs);
  }
}
