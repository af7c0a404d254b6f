// A connection to a Redis Cluster. It follows a slot to the server that has it (MOVED, ASK), because a server that
// answers so has executed nothing. A command whose answer is missing is never sent twice, as with one server.

import { Cluster, Command, type ClusterOptions, type Redis } from './redis-library.ts';
import type { ClusterAddress } from './redis-address.ts';

/** Servers are found by the commands that they refuse; this finds them too while all commands only fail. */
const refreshMs = 5000;

type ClusterClientOptions = Omit<NonNullable<ClusterOptions['redisOptions']>, 'scripts' | 'replyMapping'> &
  Pick<ClusterOptions, 'scripts'>;

export function createCluster(
  { tls, servers, username, password }: ClusterAddress,
  { keyPrefix, scripts, ...redisOptions }: ClusterClientOptions,
  retryPauseMs: (attempt: number) => number,
): Cluster {
  const cluster = new ConnectedCluster([...servers], {
    lazyConnect: true,
    // a cluster that lacks a primary is used for the slots that it has, and its refusals have a reason
    enableReadyCheck: false,
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    slotsRefreshInterval: refreshMs,
    clusterRetryStrategy: retryPauseMs,
    // connects by name, which the certificate of a server may hold in place of an address
    dnsLookup: (host, use) => use(null, host),
    ...(keyPrefix !== undefined && { keyPrefix }),
    ...(scripts && { scripts }),
    redisOptions: { ...redisOptions, username, password, ...(tls ? { tls: {} } : {}) },
  });
  cluster.on('+node', (server: Redis) => {
    const ask = server.asking.bind(server);
    // ioredis leaves its failure unhandled, beside that of the command behind it
    server.asking = async () => ask().catch(() => 'OK');
    // a replica that may not be read says which server has the slot, and no old rows
    server.readonly = async () => 'OK';
    const duplicate = server.duplicate.bind(server);
    // asks for the slots, and ioredis keeps the reason of its failure to itself
    server.duplicate = (options) => duplicate(options).on('error', (error) => cluster.emit('node error', error));
  });
  return cluster;
}

/**
 * Refuses commands while no server is known. A command waits for a connection that is being made to a known server,
 * which ioredis permits only together with a queue. That queue has no time limit, so each command has its own.
 */
class ConnectedCluster extends Cluster {
  override sendCommand(...[command, ...rest]: Parameters<Cluster['sendCommand']>): unknown {
    const limitMs = this.options.redisOptions?.commandTimeout;
    if (limitMs !== undefined) command.setTimeout(limitMs);
    if (this.status === 'ready' || command.name === 'cluster') return super.sendCommand(command, ...rest);
    command.reject(new Error('no server of the cluster is connected'));
    return command.promise;
  }
}

/** The connection to the primary of the key's slot. Throws while none is known. */
export function primaryOfKey(cluster: Cluster, key: string): Redis {
  const place = cluster.slots[new Command('get', [key]).getSlot()]?.[0];
  const primary = cluster.nodes('master').find(({ options: { host, port } }) => `${host}:${port}` === place);
  if (primary === undefined) throw new Error(`no server of the cluster is known to have the slot of ${key}`);
  return primary;
}

/** The cause of a failed connection. */
export function clusterFault(error: Error & { readonly lastNodeError?: Error }): Error {
  const cause = error.lastNodeError ?? error;
  return cause.message.includes('cluster support disabled')
    ? new Error('it is a server without a cluster: name it as redis://HOST:PORT', { cause })
    : cause;
}
