// Waits for a lease, has it while something is done, and gives it back: so builds that several processes have to do come one after the other, instead of
// waiting for each other's lock until one gives up.

import { setTimeout as delay } from 'node:timers/promises';

import type { Lease } from './lease.ts';
import { beatMs } from './liveness.ts';

export interface Turn {
  /** Runs `work` once the turn is had, or once `signal` says that there is no time left to wait for it. */
  readonly during: <Result>(signal: AbortSignal, work: () => Promise<Result>) => Promise<Result>;
}

/** Between two looks at whether it is free. */
const lookMs = 500;

/** `onError`: of a lease that could not be asked for or given back; it is tried again. */
export function createTurn(lease: Lease, onError: (error: unknown) => void): Turn {
  const attempt = (): Promise<boolean> =>
    lease.hold().catch((error: unknown) => {
      onError(error);
      return false;
    });
  const take = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted && !(await attempt())) await delay(lookMs, undefined, { signal }).catch(() => undefined);
  };
  return {
    during: async (signal, work) => {
      await take(signal);
      let beating = Promise.resolve(true);
      const beat = setInterval(() => void (beating = attempt()), beatMs).unref();
      try {
        return await work();
      } finally {
        clearInterval(beat);
        await beating; // one that is late would take it again
        await lease.release().catch(onError);
      }
    },
  };
}
