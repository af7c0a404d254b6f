// The running servers of a registry, as they describe themselves to other commands: in their locks beside a state in
// the data folder, and in their marks beside a state in a Redis.

import { describeSelf, isOwnHost, parseLockOwner, startTicks, type LockOwner } from '../../build/output/lock-owner.ts';
import { readLockStatus } from '../../build/output/lock.ts';
import { isLoopback } from '../../build/contract/loopback.ts';
import type { Config } from '../config/config.ts';
import { serverLocks, staleAfterMs } from './serve-lock.ts';
import { parseUrl } from '../../build/contract/parse-url.ts';

export interface RunningServer {
  readonly pid: number | undefined;
  readonly host: string | undefined;
  readonly since: string | undefined;
  /** for clients; undefined: unknown, or of another host for that host alone */
  readonly address: string | undefined;
  /** true: it is a process of this host and container */
  readonly local: boolean;
}

/** The running servers of this registry; empty if the Redis of the state does not answer. */
export function runningServers(
  { data, state }: Pick<Config, 'data' | 'state'>,
  now: Date,
): Promise<readonly RunningServer[]> {
  return state.value === undefined ? serversOfFolder(data.value, now) : serversOfRedis(state.value, now);
}

/**
 * The running servers as one. `address`: for clients; undefined: unknown, or not the same for all. Undefined: no server
 * is running.
 */
export async function runningServer(
  config: Pick<Config, 'data' | 'state'>,
  now: Date,
): Promise<Pick<RunningServer, 'address'> | undefined> {
  const running = await runningServers(config, now);
  const [address, ...others] = new Set(running.map((server) => server.address));
  if (running.length === 0) return undefined;
  return { address: others.length === 0 ? address : undefined };
}

/** What a server with its state in a Redis stores about itself there. */
export async function describeServer(address: string | undefined, now: Date): Promise<string> {
  return JSON.stringify({ ...(await describeSelf(now)), ...(address !== undefined && { address }) });
}

async function serversOfFolder(data: string, now: Date): Promise<readonly RunningServer[]> {
  const locks = await Promise.all((await serverLocks(data)).map((path) => readLockStatus(path, now, staleAfterMs)));
  return locks.flatMap((lock) =>
    lock === undefined || lock.stale
      ? []
      : [{ pid: lock.pid, host: lock.host, since: lock.since, address: lock.address, local: lock.local }],
  );
}

async function serversOfRedis(url: string, now: Date): Promise<readonly RunningServer[]> {
  // most commands have their state in the data folder
  const { listServers } = await import('../../proxy/state/redis-servers.ts');
  const [texts, self] = await Promise.all([listServers(url), describeSelf(now)]);
  return texts.flatMap((text) => {
    const owner = parseLockOwner(text);
    if (owner === undefined) return [];
    const local = isOwnHost(owner, self);
    const hasEnded = local && startTicks(owner.pid) !== owner.startTicks;
    return hasEnded ? [] : [describe(owner, local)];
  });
}

/** A loopback address of another host leads nowhere here. */
function describe({ pid, host, since, address }: LockOwner, local: boolean): RunningServer {
  const url = address === undefined ? undefined : parseUrl(address);
  const isUsable = url !== undefined && (local || !isLoopback(url.hostname));
  return { pid, host, since, address: isUsable ? address : undefined, local };
}
