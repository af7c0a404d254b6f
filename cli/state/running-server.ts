// The running servers of a registry, as they describe themselves to other commands: in their locks beside a state in
// the data folder, and in their marks beside a state in a Redis.

import { describeSelf, isOwnHost, parseLockOwner, startTicks, type LockOwner } from '../../build/output/lock-owner.ts';
import { readLockStatus } from '../../build/output/lock.ts';
import { isJsonObject } from '../../build/contract/json.ts';
import { isLoopback } from '../../build/contract/loopback.ts';
import type { Config } from '../config/config.ts';
import type { ServedTree } from '../tree/served-tree.ts';
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
  /** of its program; undefined: 0.2.0 or before */
  readonly version: string | undefined;
  /** of the publication that it serves; undefined: unknown, or that of the data folder */
  readonly serial: number | undefined;
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

/** What a server with its state in a Redis stores about itself there: as a lock does, with the serial it serves. */
export async function describeServer(
  { address, publication }: { readonly address: string | undefined } & Pick<ServedTree, 'publication'>,
  now: Date,
): Promise<() => Promise<string>> {
  const self = { ...(await describeSelf(now)), address };
  return async () => JSON.stringify({ ...self, serial: (await publication())?.serial });
}

async function serversOfFolder(data: string, now: Date): Promise<readonly RunningServer[]> {
  const locks = await Promise.all((await serverLocks(data)).map((path) => readLockStatus(path, now, staleAfterMs)));
  return locks.flatMap((lock) =>
    lock === undefined || lock.stale
      ? []
      : [{ ...ownerFields(lock), address: lock.address, local: lock.local, serial: undefined }],
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
    return hasEnded ? [] : [describe(owner, local, serialOf(text))];
  });
}

/** A loopback address of another host leads nowhere here. */
function describe({ address, ...owner }: LockOwner, local: boolean, serial: number | undefined): RunningServer {
  const url = address === undefined ? undefined : parseUrl(address);
  const isUsable = url !== undefined && (local || !isLoopback(url.hostname));
  return { ...ownerFields(owner), address: isUsable ? address : undefined, local, serial };
}

function ownerFields({ pid, host, since, version }: Partial<LockOwner>) {
  return { pid, host, since, version };
}

/** `text`: of a mark that is a lock's owner, too. */
function serialOf(text: string): number | undefined {
  const json: unknown = JSON.parse(text);
  return isJsonObject(json) && typeof json['serial'] === 'number' ? json['serial'] : undefined;
}
