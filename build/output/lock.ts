// Allows one build at a time for one data folder, and one server with its own counters. The lock is a file that names
// its owner. link(2) makes the file, and fails if the file exists. The mtime of the file is the heartbeat. The next
// process takes over the lock of a dead process of this host immediately. A lock of another host or container is taken
// over after a period without heartbeat.

import { randomUUID } from 'node:crypto';
import { link, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { BuildBusy } from '../contract/refusals.ts';
import { describeSelf, isOwnHost, parseLockOwner, startTicks, type LockOwner } from './lock-owner.ts';
import { makeFolder } from './make-folder.ts';
import { errorCode, isMissing, withPath } from './storage-error.ts';

const takeOverPauseMs = 50;

export interface LockOptions {
  readonly heartbeatMs: number;
  /** a lock of another host or container is taken over after this long without a heartbeat */
  readonly staleAfterMs: number;
  /**
   * Makes the error for a lock that another process holds. `owner`: that process, if it can be read. `local`: it is a
   * process of this host and container, and lives.
   */
  readonly busy: (path: string, owner: LockOwner | undefined, local: boolean) => Error;
  /** of a server: its address, for other commands */
  readonly address?: string | undefined;
}

export const buildLock: LockOptions = { heartbeatMs: 10_000, staleAfterMs: 60_000, busy: buildBusy };

export interface Lock {
  readonly release: () => Promise<void>;
}

/** Takes the lock, or throws the error of `options.busy`: BuildBusy for the lock of a build. */
export async function takeLock(path: string, now: () => Date, options = buildLock): Promise<Lock> {
  await makeFolder(dirname(path));
  const token = `${path}.${randomUUID()}`;
  const owner = { ...(await describeSelf(now())), ...(options.address !== undefined && { address: options.address }) };
  try {
    await withPath(token, writeFile(token, JSON.stringify(owner), { flag: 'wx' }));
    if (!(await tryLink(token, path))) {
      await removeIfStale(path, now, options);
      if (!(await tryLink(token, path))) throw await busyError(path, owner, options);
      await confirm(path, owner, options);
    }
  } finally {
    // the next process that takes the lock removes a token that cannot be removed now
    await rm(token, { force: true }).catch(() => undefined);
  }
  const lock = keepHeartbeat(path, JSON.stringify(owner), now, options);
  await sweepTokens(path, now, options).catch(async (error: unknown) => {
    await lock.release();
    throw error;
  });
  return lock;
}

/** The owner of a lock, as far as the lock can be read. */
export interface LockStatus extends Partial<Pick<LockOwner, 'pid' | 'host' | 'since' | 'address' | 'version'>> {
  /** true: its process has ended, or has sent no heartbeat for too long, so the next process takes the lock over */
  readonly stale: boolean;
  /** true: its process belongs to this host and container */
  readonly local: boolean;
}

/** Reads a lock and changes nothing. undefined: the lock is free. */
export async function readLockStatus(path: string, now: Date, staleAfterMs: number): Promise<LockStatus | undefined> {
  const content = await readLock(path);
  if (content === undefined) return undefined;
  const owner = parseLockOwner(content);
  const stale = await isStale(path, content, now, { ...buildLock, staleAfterMs });
  return {
    stale,
    local: owner !== undefined && isOwnHost(owner, await describeSelf(now)),
    ...(owner && {
      pid: owner.pid,
      host: owner.host,
      since: owner.since,
      address: owner.address,
      version: owner.version,
    }),
  };
}

/** Removes tokens of processes that were killed while they took this lock. */
async function sweepTokens(path: string, now: () => Date, options: LockOptions): Promise<void> {
  const folder = dirname(path);
  for (const name of await withPath(folder, readdir(folder))) {
    if (!name.startsWith(`${basename(path)}.`)) continue;
    const token = join(folder, name);
    const content = await readLock(token);
    if (content !== undefined && (await isStale(token, content, now(), options)))
      await withPath(token, rm(token, { force: true }));
  }
}

function keepHeartbeat(path: string, content: string, now: () => Date, { heartbeatMs }: LockOptions): Lock {
  const beat = setInterval(() => {
    // only several missed beats in a row matter; the next beat tries again
    utimes(path, now(), now()).catch(() => undefined);
  }, heartbeatMs);
  beat.unref();
  return {
    release: async () => {
      clearInterval(beat);
      if ((await readLock(path)) === content) await withPath(path, rm(path, { force: true }));
    },
  };
}

async function tryLink(token: string, path: string): Promise<boolean> {
  try {
    await link(token, path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    return withPath(path, Promise.reject(error));
  }
}

/**
 * Moves a stale lock aside, and reads the moved file again. A third process may just have taken the lock over: then it
 * gets its lock back.
 */
async function removeIfStale(path: string, now: () => Date, options: LockOptions): Promise<void> {
  const judged = await readLock(path);
  if (judged === undefined || !(await isStale(path, judged, now(), options))) return;
  const aside = `${path}.${randomUUID()}`;
  try {
    await rename(path, aside);
  } catch (error) {
    if (isMissing(error)) return;
    return withPath(path, Promise.reject(error));
  }
  const moved = await readLock(aside);
  if (moved !== undefined && moved !== judged) await tryLink(aside, path);
  await withPath(aside, rm(aside, { force: true }));
}

/**
 * After a take-over: two processes that judged the same lock stale may both have moved it. Only the process that owns
 * the lock in the end continues.
 */
async function confirm(path: string, self: LockOwner, options: LockOptions): Promise<void> {
  await setTimeout(takeOverPauseMs);
  if ((await readLock(path)) !== JSON.stringify(self)) throw await busyError(path, self, options);
}

async function isStale(path: string, content: string, now: Date, { staleAfterMs }: LockOptions): Promise<boolean> {
  const owner = parseLockOwner(content);
  if (owner !== undefined && isOwnHost(owner, await describeSelf(now))) {
    const ticks = startTicks(owner.pid);
    return ticks === undefined || ticks !== owner.startTicks;
  }
  const facts = await stat(path).catch(() => undefined);
  return facts !== undefined && now.getTime() - facts.mtimeMs > staleAfterMs;
}

async function busyError(path: string, self: LockOwner, { busy }: LockOptions): Promise<Error> {
  const content = await readLock(path);
  const owner = content === undefined ? undefined : parseLockOwner(content);
  return busy(path, owner, owner !== undefined && isOwnHost(owner, self));
}

function buildBusy(path: string, owner: LockOwner | undefined): BuildBusy {
  const who = holderOf(owner);
  const text = `${path}: another process uses this data folder: ${who}. Wait until it has ended and try again.`;
  return new BuildBusy(text, who);
}

/** `a build with process id 4242 on web-2, since 2026-11-30T08:00:00.000Z` */
export function holderOf(owner: LockOwner | undefined): string {
  if (owner === undefined) return 'another build';
  return `a build with process id ${owner.pid} on ${owner.host}, since ${owner.since}`;
}

async function readLock(path: string): Promise<string | undefined> {
  return withPath(
    path,
    readFile(path, 'utf8').catch((error: unknown) => (isMissing(error) ? undefined : Promise.reject(error))),
  );
}
