// A primary, its replica, and three sentinels that promote the replica, all private and on free ports of loopback.

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort, sendTo, startRedis, type RedisServer } from './redis-server.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { toolPath } from './tool.ts';

export interface RedisSentinels {
  /** `redis+sentinel://…` */
  readonly url: string;
  readonly ports: readonly number[];
  readonly primary: RedisServer;
  readonly replica: RedisServer;
  /** Resolves once the sentinels name the replica, and it takes writes. */
  readonly failedOver: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

export async function startSentinels(password?: string): Promise<RedisSentinels> {
  const settings = ['--repl-diskless-sync-delay', '0', ...(password === undefined ? [] : ['--masterauth', password])];
  const primary = await startRedis(settings, password);
  const replica = await startRedis(['--replicaof', '127.0.0.1', String(primary.port), ...settings], password);
  const folder = temporaryFolder('sentinels');
  const replicaSays = async (line: string): Promise<boolean> =>
    String(await replica.command('INFO', 'replication')).includes(line);
  await until(() => replicaSays('master_link_status:up'), 'the replica follows');
  const sentinels: Sentinel[] = [];
  while (sentinels.length < 3) sentinels.push(await launch(folder.path, primary.port, password));
  const ports = sentinels.map(({ port }) => port);
  const ask = (port: number, ...args: readonly string[]): Promise<unknown> => sendTo(port, undefined, 'SENTINEL', args);
  await until(async () => {
    const known = await Promise.all(ports.map(async (port) => (await ask(port, 'MASTER', 'packages')) as string[]));
    return known.every(
      (fields) =>
        fields[fields.indexOf('num-other-sentinels') + 1] === '2' && fields[fields.indexOf('num-slaves') + 1] === '1',
    );
  }, 'the sentinels know each other');
  // From now on a primary is lost after half a second. A busy machine may need longer before.
  for (const port of ports) await ask(port, 'SET', 'packages', 'down-after-milliseconds', '500');
  return {
    url: `redis+sentinel://${password === undefined ? '' : `:${password}@`}${ports.map((port) => `127.0.0.1:${port}`).join(',')}/packages`,
    ports,
    primary,
    replica,
    failedOver: () => until(() => replicaSays('role:master'), 'the replica takes the place'),
    stop: async () => {
      for (const { process } of sentinels) {
        const exited = once(process, 'exit');
        process.kill('SIGKILL');
        await exited;
      }
      for (const server of [primary, replica]) {
        server.thaw();
        await server.stop();
      }
      await folder.remove();
    },
  };
}

interface Sentinel {
  readonly port: number;
  readonly process: ChildProcess;
}

/**
 * Starts a sentinel and waits for its first answer. A sentinel stores its knowledge in its configuration file.
 * If another program took the free port meanwhile, the sentinel starts again on the next free one.
 */
async function launch(folder: string, primaryPort: number, password: string | undefined): Promise<Sentinel> {
  const port = await freePort();
  const path = `${folder}/${port}.conf`;
  const lines = [
    `port ${port}`,
    'bind 127.0.0.1',
    `sentinel monitor packages 127.0.0.1 ${primaryPort} 2`,
    'sentinel down-after-milliseconds packages 60000',
    'sentinel failover-timeout packages 5000',
    ...(password === undefined ? [] : [`sentinel auth-pass packages ${password}`]),
  ];
  writeFileSync(path, `${lines.join('\n')}\n`);
  const process = spawn(toolPath('redis-server'), [path, '--sentinel'], { stdio: 'ignore' });
  const ended = (): boolean => process.exitCode !== null || process.signalCode !== null;
  await until(async () => ended() || (await sendTo(port, undefined, 'PING', [])) === 'PONG', 'a sentinel answers');
  return ended() ? launch(folder, primaryPort, password) : { port, process };
}

async function until(holds: () => Promise<boolean>, what: string): Promise<void> {
  const deadline = performance.now() + 90_000;
  while (performance.now() < deadline) {
    if (await holds().catch(() => false)) return;
    await delay(50);
  }
  throw new Error(`not within 90 seconds: ${what}`);
}
