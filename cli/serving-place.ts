// Counting in a process is exact for one process only. Two servers on one data folder, each counting for itself, would double every limit and
// overwrite each other's saved counts; so without a Redis the second one refuses to start.

import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { takeLock, type Lock, type LockOwner } from '../build/output/lock.ts';
import type { Config } from './config.ts';
import type { Context } from './context.ts';
import { sharedCountersUrl } from './open-state.ts';
import { UsageError } from './usage-error.ts';

/** Short, so that a container which crashed and is started again, and cannot see whether the process before it lives, soon gets its place back. */
const heartbeatMs = 1000;
const staleAfterMs = 5000;

const noPlace: Lock = { release: () => Promise.resolve() };

class Taken extends UsageError {
  /** it lives, and will not be gone in a moment */
  readonly seen: boolean;

  constructor(path: string, owner: LockOwner | undefined, seen: boolean) {
    const who = owner === undefined ? 'Another server' : `A server with process id ${owner.pid} on ${owner.host}, since ${owner.since},`;
    super(`${who} is at work on this data folder already (${path}). Each would count requests for itself, and a limit would hold for neither. Stop the other one, or let both count in one Redis: --redis URL.`);
    this.seen = seen;
  }
}

/** The place of the one server without a Redis. Throws UsageError where another one has it. */
export async function takeServingPlace(config: Config, { now }: Pick<Context, 'now'>): Promise<Lock> {
  if (sharedCountersUrl(config) !== undefined) return noPlace;
  const path = join(config.data.value, 'state', 'serve.lock');
  const deadline = now().getTime() + staleAfterMs + heartbeatMs;
  for (;;) {
    try {
      return await takeLock(path, now, { heartbeatMs, staleAfterMs, busy: (...holder) => new Taken(...holder) });
    } catch (error) {
      if (!(error instanceof Taken) || error.seen || now().getTime() > deadline) throw error;
      await delay(heartbeatMs / 2);
    }
  }
}
