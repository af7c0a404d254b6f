// A Redis Cluster of three primaries with a replica each, private and on free ports of loopback.

import { setTimeout as delay } from 'node:timers/promises';
import { freePort, startRedis, type RedisServer } from './redis-server.ts';

/** The servers of the registry's slot, and another primary. A failover changes them. */
export interface ClusterRoles {
  readonly primary: RedisServer;
  readonly replica: RedisServer;
  readonly other: RedisServer;
}

export interface RedisCluster extends ClusterRoles {
  /** `redis+cluster://…`, with three of the servers */
  readonly url: string;
  /** behind the purpose in the names of the keys */
  readonly hashTag: string;
  /** the registry's slot */
  readonly slot: number;
  readonly servers: readonly RedisServer[];
  /** Resolves once the replica has taken the place of the primary. */
  readonly failedOver: () => Promise<void>;
  /** Starts killed servers again. Resolves once all run, and each primary has its replica. */
  readonly settled: () => Promise<ClusterRoles>;
  readonly stop: () => Promise<void>;
}

const ranges = [
  [0, 5460],
  [5461, 10_922],
  [10_923, 16_383],
] as const;

export async function startCluster(password?: string): Promise<RedisCluster> {
  const servers = await Promise.all(Array.from({ length: 6 }, () => startServer(password)));
  const [first, ...others] = servers;
  if (first === undefined) throw new Error('no server was started');
  for (const [at, [from, to]] of ranges.entries()) {
    await servers[at]?.command('CLUSTER', 'ADDSLOTSRANGE', from, to);
    await servers[at]?.command('CLUSTER', 'SET-CONFIG-EPOCH', at + 1);
  }
  for (const { port, busPort } of others) await first.command('CLUSTER', 'MEET', '127.0.0.1', port, busPort);
  await untilAll(servers, async (server) => /known_nodes:6/.test(await info(server)) && isUp(await info(server)));
  for (const at of ranges.keys())
    await servers[at + 3]?.command('CLUSTER', 'REPLICATE', String(await servers[at]?.command('CLUSTER', 'MYID')));
  await Promise.all(servers.map(hurry));
  const slot = Number(await first.command('CLUSTER', 'KEYSLOT', 'libretto'));
  const settled = async (): Promise<ClusterRoles> => {
    await Promise.all(servers.map(({ revive }) => revive()));
    await untilAll(servers, async (server) => isUp(await info(server)) && (await replicas(server)) === 3);
    return rolesOf(servers, slot);
  };
  const roles = await settled();
  const named = servers.slice(0, 3).map(({ port }) => `127.0.0.1:${port}`);
  return {
    ...roles,
    url: `redis+cluster://${password === undefined ? '' : `:${password}@`}${named.join(',')}`,
    hashTag: '{libretto}:',
    slot,
    servers,
    failedOver: () => untilAll([roles.replica], async (server) => (await role(server)) === 'master'),
    settled,
    stop: async () => {
      for (const server of servers) server.thaw();
      await Promise.all(servers.map((server) => server.stop()));
    },
  };
}

interface ClusterServer extends RedisServer {
  readonly busPort: number;
  /** Starts it again if it was killed. */
  readonly revive: () => Promise<void>;
}

async function startServer(password: string | undefined): Promise<ClusterServer> {
  const busPort = await freePort();
  const auth = password === undefined ? [] : ['--masterauth', password];
  const cluster = ['--cluster-enabled', 'yes', '--cluster-port', String(busPort), '--cluster-node-timeout', '60000'];
  const server = await startRedis([...cluster, '--repl-diskless-sync-delay', '0', ...auth], password);
  let killed = false;
  return {
    ...server,
    busPort,
    kill: async () => {
      killed = true;
      await server.kill();
    },
    revive: async () => {
      if (!killed) return;
      killed = false;
      await server.restart();
      await hurry(server);
    },
  };
}

/** From now on another server is lost after a second. A busy machine may need longer before. */
async function hurry(server: RedisServer): Promise<void> {
  await server.command('CONFIG', 'SET', 'cluster-node-timeout', 1000);
}

const info = async (server: RedisServer): Promise<string> => String(await server.command('CLUSTER', 'INFO'));
const isUp = (facts: string): boolean => facts.includes('cluster_state:ok');

async function role(server: RedisServer): Promise<string> {
  return ((await server.command('ROLE')) as readonly string[])[0] ?? '';
}

/** The number of replicas that follow a primary, as this server knows them: 0 while a server is away. */
async function replicas(server: RedisServer): Promise<number> {
  const nodes = String(await server.command('CLUSTER', 'NODES'));
  const [kind, , , link] = (await server.command('ROLE')) as readonly string[];
  const follows = kind === 'master' || link === 'connected';
  return follows && !/\bfail|\bnoaddr|disconnected/.test(nodes) ? nodes.split(/\bslave\b/).length - 1 : 0;
}

/** A server that has a slot is a primary; a replica knows the port of its own. */
async function rolesOf(servers: readonly RedisServer[], slot: number): Promise<ClusterRoles> {
  const all = await Promise.all(
    servers.map(async (server) => {
      const nodes = String(await server.command('CLUSTER', 'NODES'));
      const mine = nodes.split('\n').find((line) => line.includes('myself')) ?? '';
      const spans = [...mine.matchAll(/ (\d+)(?:-(\d+))?(?= |$)/g)].map(([, from, to]) =>
        [from, to ?? from].map(Number),
      );
      const [kind, , port] = (await server.command('ROLE')) as readonly unknown[];
      const has = kind === 'master' && spans.some(([from = 1, to = 0]) => from <= slot && slot <= to);
      return { server, kind, has, follows: kind === 'slave' ? Number(port) : 0 };
    }),
  );
  const primary = all.find(({ has }) => has)?.server;
  const replica = all.find(({ follows }) => follows === primary?.port)?.server;
  const other = all.find(({ kind, has }) => kind === 'master' && !has)?.server;
  if (primary === undefined || replica === undefined || other === undefined)
    throw new Error('the cluster lacks a server');
  return { primary, replica, other };
}

async function untilAll(
  servers: readonly RedisServer[],
  holds: (server: RedisServer) => Promise<boolean>,
): Promise<void> {
  const deadline = performance.now() + 90_000;
  const all = async (): Promise<boolean> =>
    (await Promise.all(servers.map((server) => holds(server).catch(() => false)))).every(Boolean);
  while (!(await all())) {
    if (performance.now() > deadline) throw new Error('the cluster was not ready within 90 seconds');
    await delay(50);
  }
}
