// Counting in a process is exact for one process only. Two servers on one data folder with separate counters would
// double every limit and overwrite each other's saved counts. So without a Redis the second server refuses to start. A
// server with its own counters must not run next to servers that count in a Redis: a token could use up its limit in
// both. So servers with a Redis leave a mark each, and both kinds check for the other.

import { randomUUID } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { storageFaultOf } from '../../build/contract/storage-fault.ts';
import type { LockOwner } from '../../build/output/lock-owner.ts';
import { readLockStatus, takeLock, type Lock, type LockStatus } from '../../build/output/lock.ts';
import { makeFolder, removeEmptyFolders } from '../../build/output/make-folder.ts';
import { isMissing } from '../../build/output/storage-error.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';
import { assertPlace, makeDataFolder, sharedCountersUrl } from './open-state.ts';
import { readRememberedState } from './remembered-state.ts';
import { printLines } from '../io/output.ts';
import { UsageError } from '../io/usage-error.ts';

/**
 * Short, so that a container which crashed and is started again, and cannot see whether the process before it lives,
 * soon gets its place back.
 */
const heartbeatMs = 1000;
export const staleAfterMs = 5000;

const noPlace: Lock = { release: () => Promise.resolve() };

class LockTaken extends UsageError {
  /** it runs, and is not about to end */
  readonly local: boolean;

  constructor(
    path: string,
    owner: Partial<Pick<LockOwner, 'pid' | 'host' | 'since'>> | undefined,
    local: boolean,
    why = 'Each server would count requests for itself, and limits would not work. Stop the other server, or share a ' +
      'Redis: --redis URL.',
  ) {
    const who =
      owner?.pid === undefined
        ? 'Another process'
        : `The process ${owner.pid} on ${owner.host ?? 'another host'}, since ${owner.since ?? 'unknown'},`;
    super(`${who} already uses this data folder (${path}): a server, or a command that replaces the state. ${why}`);
    this.local = local;
  }
}

const countsAlone =
  'It counts requests for itself, and this server would count them in a Redis: a token could use its whole ' +
  'limit on each. Stop the other server, or let it count in the same Redis: --redis URL.';
const countsInRedis =
  'It counts requests in a Redis, and this server would count them for itself: a token could use its whole ' +
  'limit on each. Let this server count in the same Redis (--redis URL), or stop the other server.';

/**
 * Takes the lock of the one server without a Redis, or a mark among servers with one. Throws UsageError if a server of
 * the other kind, or a second one without a Redis, is running, and StateError for the data folder of a state in a
 * Redis. `address`: of this server for clients, for other commands.
 */
export async function takeServeLock(
  config: Config,
  { now, stderr }: Pick<Context, 'now' | 'stderr'>,
  address: string | undefined,
): Promise<Lock> {
  if (config.state.value !== undefined) return noPlace; // tokens of another state: no limit is counted twice
  assertPlace(config.data.value, { kind: 'folder' }, await readRememberedState(config.data.value));
  const [path, marks] = [join(config.data.value, 'state', 'serve.lock'), join(config.data.value, 'state', 'serving')];
  await makeDataFolder(config);
  const take =
    sharedCountersUrl(config) === undefined
      ? () => takeAlone(path, marks, now, address)
      : () => takeShared(path, marks, now, address);
  const deadline = now().getTime() + staleAfterMs + heartbeatMs;
  for (;;) {
    try {
      await makeFolder(dirname(path), 0o700);
      return await take();
    } catch (error) {
      if (storageFaultOf(error) !== undefined) {
        await refuseServed(config.data.value, now());
        printLines(stderr, [
          `The disk of ${config.data.value} is full or read-only: packages are served, and changes fail. Start ` +
            `this server again when the disk accepts writes. Until then, a second server could use this data folder.`,
        ]);
        return noPlace;
      }
      if (!(error instanceof LockTaken) || error.local || now().getTime() > deadline) throw error;
      await delay(heartbeatMs / 2);
    }
  }
}

/**
 * Keeps servers off the state until the lock is released, so that its file can be replaced. Throws UsageError if a
 * server uses the state, and StorageError.
 */
export async function refuseOtherServers(data: string, now: () => Date): Promise<Lock> {
  await refuseServed(data, now());
  const state = join(data, 'state');
  const made = [...(await makeFolder(data)), ...(await makeFolder(state, 0o700))];
  try {
    const lock = await takeAlone(join(state, 'serve.lock'), join(state, 'serving'), now);
    return { release: () => lock.release().finally(() => removeEmptyFolders(made)) };
  } catch (error) {
    await removeEmptyFolders(made);
    throw error;
  }
}

/** Throws UsageError if a server uses the state of the data folder, according to its marks. */
export async function refuseServed(data: string, now: Date): Promise<void> {
  const [path, marks] = [join(data, 'state', 'serve.lock'), join(data, 'state', 'serving')];
  const alone = await readLockStatus(path, now, staleAfterMs);
  const mark = alone === undefined || alone.stale ? await firstMark(marks, now) : { ...alone, path };
  if (mark !== undefined) throw new LockTaken(mark.path, mark, mark.local, 'It has the state open. Stop it first.');
}

const options = {
  heartbeatMs,
  staleAfterMs,
  busy: (path: string, owner: LockOwner | undefined, local: boolean) => new LockTaken(path, owner, local),
};

/**
 * Each server takes its own lock before it checks for others: of two concurrent servers at least one sees the other.
 */
async function takeAlone(path: string, marks: string, now: () => Date, address?: string): Promise<Lock> {
  const lock = await takeLock(path, now, { ...options, address });
  const mark = await firstMark(marks, now()).catch(freeing(lock));
  return mark === undefined ? lock : freeing(lock)(new LockTaken(mark.path, mark, mark.local, countsInRedis));
}

async function takeShared(path: string, marks: string, now: () => Date, address?: string): Promise<Lock> {
  const lock = await takeLock(join(marks, `${randomUUID()}.lock`), now, { ...options, address });
  const alone = await readLockStatus(path, now(), staleAfterMs).catch(freeing(lock));
  await firstMark(marks, now()).catch(freeing(lock)); // removes the marks of killed servers
  return alone === undefined || alone.stale
    ? lock
    : freeing(lock)(new LockTaken(path, alone, alone.local, countsAlone));
}

function freeing(lock: Lock): (error: unknown) => Promise<never> {
  return async (error) => {
    await lock.release();
    throw error;
  };
}

/** Returns the mark of a living server, and removes the marks of others. */
async function firstMark(marks: string, now: Date): Promise<(LockStatus & { readonly path: string }) | undefined> {
  let found: (LockStatus & { readonly path: string }) | undefined;
  for (const name of await namesIn(marks)) {
    const path = join(marks, name);
    const mark = await readLockStatus(path, now, staleAfterMs);
    if (mark?.stale === true)
      await rm(path, { force: true }).catch((error: unknown) =>
        storageFaultOf(error) !== undefined ? undefined : Promise.reject(error),
      );
    else if (mark !== undefined) found ??= { ...mark, path };
  }
  return found;
}

/** The locks and marks of servers with a state in this data folder, also of servers that have ended. */
export async function serverLocks(data: string): Promise<readonly string[]> {
  const [state, marks] = [join(data, 'state'), join(data, 'state', 'serving')];
  return [join(state, 'serve.lock'), ...(await namesIn(marks)).map((name) => join(marks, name))];
}

/** Empty for a folder that does not exist yet. */
function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch((error: unknown) => (isMissing(error) ? [] : Promise.reject(error)));
}
