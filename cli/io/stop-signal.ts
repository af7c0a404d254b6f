// Waits for the event that ends a server. After a crash the server finishes its running requests, as after a signal,
// because other people's downloads did not cause the crash. SIGTERM and SIGINT let the server finish; a second signal
// ends it immediately. SIGHUP reopens the log of a service, and ends a server whose terminal has closed.

import { constants } from 'node:os';

import type { Context } from './context.ts';
import { printLines } from './output.ts';

/** Ctrl+C under npm or another wrapper arrives twice, from the terminal and passed on: that is one wish. */
const sameRequestMs = 200;

type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

export interface StopOptions {
  /** the reaction to SIGHUP in place of a stop */
  readonly onHangUp: (() => void) | undefined;
  readonly onCrash: (error: unknown) => void;
}

/** Starts to listen; resolves with the exit code after a stop signal or a crash. */
export function stopSignal(
  { onSignal, onCrash, exitNow, stderr, now }: Pick<Context, 'onSignal' | 'onCrash' | 'exitNow' | 'stderr' | 'now'>,
  options: StopOptions,
): Promise<number> {
  return new Promise((resolve) => {
    let stoppedAt: number | undefined;
    const stop = (signal: StopSignal) => (): void => {
      if (stoppedAt === undefined) {
        stoppedAt = now().getTime();
        printLines(stderr, ['Stopping after the requests in progress. Press Ctrl+C again to stop at once.']);
        resolve(0);
      } else if (now().getTime() - stoppedAt > sameRequestMs) exitNow(128 + constants.signals[signal]);
    };
    onSignal('SIGINT', stop('SIGINT'));
    onSignal('SIGTERM', stop('SIGTERM'));
    onSignal('SIGHUP', options.onHangUp ?? stop('SIGHUP'));
    onCrash((error) => {
      options.onCrash(error);
      resolve(1);
    });
  });
}
