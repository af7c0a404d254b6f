// What ends a server. A crash lets it finish what is under way, as a signal does: other people's downloads are no part
// of what broke. And signals: SIGTERM and SIGINT let it finish, a second one ends it at once, SIGHUP opens its log
// anew, or, where a person started it, says that their terminal is gone.

import { constants } from 'node:os';

import type { Context } from './context.ts';
import { printLines } from './output.ts';

/** Ctrl+C under npm or another wrapper arrives twice, from the terminal and passed on: that is one wish. */
const sameWishMs = 200;

type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

export interface StopOptions {
  /** what SIGHUP does instead of stopping */
  readonly onHangUp: (() => void) | undefined;
  readonly onCrash: (error: unknown) => void;
}

/** Listens from now on; resolves with the exit code once a signal asks to stop, or something broke. */
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
      } else if (now().getTime() - stoppedAt > sameWishMs) exitNow(128 + constants.signals[signal]);
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
