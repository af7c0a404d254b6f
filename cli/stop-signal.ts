// What signals mean to a server: SIGTERM and SIGINT let it finish, a second one ends it at once, SIGHUP opens its log anew, or, where a
// person started it, says that their terminal is gone.

import { constants } from 'node:os';

import type { Context } from './context.ts';
import { printLines } from './output.ts';

/** Ctrl+C under npm or another wrapper arrives twice, from the terminal and passed on: that is one wish. */
const sameWishMs = 200;

type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/** Listens from now on; resolves with the first signal that asks to stop. `onHangUp`: what SIGHUP does instead of stopping. */
export function stopSignal({ onSignal, exitNow, stderr, now }: Pick<Context, 'onSignal' | 'exitNow' | 'stderr' | 'now'>, onHangUp: (() => void) | undefined): Promise<void> {
  return new Promise((resolve) => {
    let stoppedAt: number | undefined;
    const stop = (signal: StopSignal) => (): void => {
      if (stoppedAt === undefined) {
        stoppedAt = now().getTime();
        printLines(stderr, ['Stopping: what is under way is finished first. Once more stops at once.']);
        resolve();
      } else if (now().getTime() - stoppedAt > sameWishMs) exitNow(128 + constants.signals[signal]);
    };
    onSignal('SIGINT', stop('SIGINT'));
    onSignal('SIGTERM', stop('SIGTERM'));
    onSignal('SIGHUP', onHangUp ?? stop('SIGHUP'));
  });
}
