// What signals do to a server: SIGTERM and SIGINT let it finish, a second one ends it at once, SIGHUP opens its log anew.

import { constants } from 'node:os';

import type { Context } from './context.ts';
import { printLines } from './output.ts';
import type { Service } from './service.ts';

/** Resolves once the service was told to stop and has finished. */
export async function untilStopped({ onSignal, exitNow, stderr }: Context, service: Service): Promise<void> {
  await new Promise<void>((resolve) => {
    let stopping = false;
    const stop = (signal: 'SIGINT' | 'SIGTERM') => (): void => {
      if (stopping) exitNow(128 + constants.signals[signal]);
      stopping = true;
      printLines(stderr, ['Stopping: what is under way is finished first. Once more stops at once.']);
      resolve();
    };
    onSignal('SIGINT', stop('SIGINT'));
    onSignal('SIGTERM', stop('SIGTERM'));
    onSignal('SIGHUP', service.reopenLog);
  });
  await service.close();
}
