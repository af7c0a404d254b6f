// The owner of a lock: describes a process so that a later process can check if the owner still runs.

import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { isJsonObject } from '../contract/json.ts';
import { librettoVersion } from '../contract/libretto-version.ts';
import { bootOfProcess } from '../shared/process/boot.ts';
import { processStart } from '../shared/process/process-start.ts';

export interface LockOwner {
  /** random, new for each acquired lock: distinguishes two locks of one process */
  readonly id: string;
  readonly pid: number;
  readonly host: string;
  /** of the owner's pid namespace: distinguishes equal pids of two containers */
  readonly boot: string;
  /** when the process started, in the kernel's ticks: distinguishes the process from a later one with the same pid */
  readonly startTicks: string;
  /** RFC 3339 UTC */
  readonly since: string;
  /** of a server that gave its address for clients: `https://packages.example.org:8443` */
  readonly address?: string | undefined;
  /** of the program; undefined: one of 0.2.0 or before */
  readonly version?: string | undefined;
}

/** This process as the owner of a new lock. */
export async function describeSelf(now: Date): Promise<LockOwner> {
  return {
    id: randomUUID(),
    pid: process.pid,
    host: hostname(),
    boot: await bootOfProcess(),
    startTicks: startTicks(process.pid) ?? '',
    since: now.toISOString(),
    version: librettoVersion,
  };
}

/** When a process started; undefined: it does not run. `0` on systems without /proc, as in the files of locks. */
export function startTicks(pid: number): string | undefined {
  const start = processStart(pid);
  return start === '' ? '0' : start;
}

/** True if the owner is a process of the same host and container, so that its state can be read. */
export function isOwnHost(owner: LockOwner, self: LockOwner): boolean {
  return owner.host === self.host && owner.boot === self.boot;
}

/** undefined: the content is not that of a lock. */
export function parseLockOwner(content: string): LockOwner | undefined {
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
    const text = (field: string): string | undefined => (typeof json[field] === 'string' ? json[field] : undefined);
    return { id, pid, host, boot, startTicks: ticks, since, address: text('address'), version: text('version') };
  } catch {
    // the machine lost its power while the lock was written: the heartbeat decides
    return undefined;
  }
}
