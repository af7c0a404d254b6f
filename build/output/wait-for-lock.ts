// The lock of a data folder for those who would rather wait a little than try again themselves.

import { setTimeout as sleep } from 'node:timers/promises';
import { buildLock, takeLock, type Lock, type LockOptions } from './lock.ts';
import type { ProgressEvent } from '../contract/build-report.ts';
import { BuildBusy } from '../contract/refusals.ts';

const pauseMs = 250;

export interface WaitOptions {
  /** default: the lock of builds */
  readonly lock?: LockOptions;
  /** ends the waiting with its reason */
  readonly stop?: AbortSignal | undefined;
  /** learns once what is waited for, and for how long at most */
  readonly progress?: ((event: ProgressEvent) => void) | undefined;
}

/** Throws BuildBusy once `waitMs` are over. */
export async function waitForLock(
  path: string,
  now: () => Date,
  waitMs: number,
  { lock = buildLock, stop, progress }: WaitOptions = {},
): Promise<Lock> {
  const until = performance.now() + waitMs;
  for (let isTold = false; ; isTold = true) {
    stop?.throwIfAborted();
    try {
      return await takeLock(path, now, lock);
    } catch (error) {
      if (!(error instanceof BuildBusy) || performance.now() >= until) throw error;
      const label = `at most ${Math.ceil(waitMs / 1000)} s for ${error.holder}: it holds ${path}`;
      if (!isTold) progress?.({ phase: 'wait', done: 0, total: 0, label });
    }
    await sleep(pauseMs);
  }
}
