// One build at a time for one data folder (and one server that counts for itself). The lock is a file made by link(2),
// which fails when it exists, holding who owns it; its mtime is the heartbeat. A lock of a dead process of this host is
// taken over at once, one of another host or container after a time without a heartbeat.

import { randomUUID } from 'node:crypto';
import { link, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { isJsonObject } from '../contract/json.ts';
import { BuildBusy } from '../contract/refusals.ts';
import { makeFolder } from './make-folder.ts';
import { errorCode, isMissing, withPath } from './storage-error.ts';

const takeOverPauseMs = 50;

export interface LockOptions {
  readonly heartbeatMs: number;
  /**
   * the lock of a process that cannot be looked at (another host's, another container's) is taken over after this long
   * without a heartbeat
   */
  readonly staleAfterMs: number;
  /**
   * What is thrown where somebody else has it: who, if that can be read; `seen`: that process can be looked at from
   * here, and lives.
   */
  readonly busy: (path: string, owner: LockOwner | undefined, seen: boolean) => Error;
}

export const buildLock: LockOptions = { heartbeatMs: 10_000, staleAfterMs: 60_000, busy: buildBusy };

export interface LockOwner {
  /** of this very taking: tells two locks of one process apart */
  readonly id: string;
  readonly pid: number;
  readonly host: string;
  /** of the owner's pid namespace, so that equal pids of two containers are not taken for one process */
  readonly boot: string;
  /** when the process started, in the kernel's ticks: tells a pid from a later process that got the same number */
  readonly startTicks: string;
  /** RFC 3339 UTC */
  readonly since: string;
}

export interface Lock {
  readonly release: () => Promise<void>;
}

/**
 * Takes the lock, or throws what `options.busy` makes of who holds it: BuildBusy, unless it is not the lock of a build.
 */
export async function takeLock(path: string, now: () => Date, options = buildLock): Promise<Lock> {
  await makeFolder(dirname(path));
  const token = `${path}.${randomUUID()}`;
  const owner = await describeSelf(now());
  try {
    await withPath(token, writeFile(token, JSON.stringify(owner), { flag: 'wx' }));
    if (!(await tryLink(token, path))) {
      await removeIfStale(path, now, options);
      if (!(await tryLink(token, path))) throw await busyError(path, owner, options);
      await confirm(path, owner, options);
    }
  } finally {
    // one that cannot be removed now is removed by whoever takes the lock next
    await rm(token, { force: true }).catch(() => undefined);
  }
  const lock = holdLock(path, JSON.stringify(owner), now, options);
  await sweepTokens(path, now, options).catch(async (error: unknown) => {
    await lock.release();
    throw error;
  });
  return lock;
}

/** Who holds a lock, as far as that can be read. */
export interface SeenLock extends Partial<Pick<LockOwner, 'pid' | 'host' | 'since'>> {
  /** its process is gone, or has given no sign of life for long: whoever comes next takes the lock over */
  readonly stale: boolean;
  /** its process is one of this host and container */
  readonly seen: boolean;
}

/** Looks at a lock and touches nothing; undefined: nobody holds it. */
export async function lookAtLock(path: string, now: Date, staleAfterMs: number): Promise<SeenLock | undefined> {
  const content = await readLock(path);
  if (content === undefined) return undefined;
  const owner = parseOwner(content);
  const stale = await isStale(path, content, now, { ...buildLock, staleAfterMs });
  return {
    stale,
    seen: owner !== undefined && isSeen(owner, await describeSelf(now)),
    ...(owner && { pid: owner.pid, host: owner.host, since: owner.since }),
  };
}

/** Removes what was left by processes that were killed while they took this lock. */
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

function holdLock(path: string, content: string, now: () => Date, { heartbeatMs }: LockOptions): Lock {
  const beat = setInterval(() => {
    // A missed beat matters only after several in a row; the next one tries again.
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
 * Moves a stale lock aside. What was moved is read again: had a third process just taken it over, it gets its lock
 * back.
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
 * After a take-over: two processes that judged the same lock stale may both have moved it. Only the one whose lock
 * stands in the end goes on.
 */
async function confirm(path: string, self: LockOwner, options: LockOptions): Promise<void> {
  await setTimeout(takeOverPauseMs);
  if ((await readLock(path)) !== JSON.stringify(self)) throw await busyError(path, self, options);
}

async function isStale(path: string, content: string, now: Date, { staleAfterMs }: LockOptions): Promise<boolean> {
  const owner = parseOwner(content);
  if (owner !== undefined && isSeen(owner, await describeSelf(now))) {
    const ticks = await startTicks(owner.pid);
    return ticks === undefined || ticks !== owner.startTicks;
  }
  const facts = await stat(path).catch(() => undefined);
  return facts !== undefined && now.getTime() - facts.mtimeMs > staleAfterMs;
}

/** Of the same host and container: its process can be looked at. */
function isSeen(owner: LockOwner, self: LockOwner): boolean {
  return owner.host === self.host && owner.boot === self.boot;
}

async function busyError(path: string, self: LockOwner, { busy }: LockOptions): Promise<Error> {
  const content = await readLock(path);
  const owner = content === undefined ? undefined : parseOwner(content);
  return busy(path, owner, owner !== undefined && isSeen(owner, self));
}

function buildBusy(path: string, owner: LockOwner | undefined): BuildBusy {
  const who =
    owner === undefined
      ? 'another build'
      : `a build with process id ${owner.pid} on ${owner.host}, since ${owner.since},`;
  return new BuildBusy(`${path}: ${who} is at work on this data folder. Wait until it has ended and try again.`);
}

async function readLock(path: string): Promise<string | undefined> {
  return withPath(
    path,
    readFile(path, 'utf8').catch((error: unknown) => (isMissing(error) ? undefined : Promise.reject(error))),
  );
}

function parseOwner(content: string): LockOwner | undefined {
  try {
    const json: unknown = JSON.parse(content);
    if (!isJsonObject(json)) return undefined;
    const { id, pid, host, boot, startTicks: ticks, since } = json;
    if (
      typeof id !== 'string' ||
      typeof pid !== 'number' ||
      typeof host !== 'string' ||
      typeof boot !== 'string' ||
      typeof ticks !== 'string' ||
      typeof since !== 'string'
    )
      return undefined;
    return { id, pid, host, boot, startTicks: ticks, since };
  } catch {
    // Half a lock, of a machine that lost its power: then its heartbeat decides.
    return undefined;
  }
}

async function describeSelf(now: Date): Promise<LockOwner> {
  return {
    id: randomUUID(),
    pid: process.pid,
    host: hostname(),
    boot: await bootId(),
    startTicks: (await startTicks(process.pid)) ?? '',
    since: now.toISOString(),
  };
}

/** Linux's boot id together with the pid namespace; elsewhere empty, where a host name has to do. */
async function bootId(): Promise<string> {
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '');
  const namespace = await stat('/proc/self/ns/pid')
    .then((facts) => String(facts.ino))
    .catch(() => '');
  return `${boot.trim()}/${namespace}`;
}

/**
 * Field 22 of /proc/<pid>/stat; undefined where no such process runs, or a killed one is left that its parent has not
 * asked after (states Z and X). Without /proc, `0` for a process that answers a signal.
 */
export async function startTicks(pid: number): Promise<string | undefined> {
  const line = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (line !== undefined) {
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
  }
  if (process.platform === 'linux') return undefined;
  try {
    process.kill(pid, 0);
    return '0';
  } catch (error) {
    return errorCode(error) === 'EPERM' ? '0' : undefined;
  }
}
