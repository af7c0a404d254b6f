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
  const ports = [await freePort(), await freePort(), await freePort()];
  const replicaSays = async (line: string): Promise<boolean> =>
    String(await replica.command('INFO', 'replication')).includes(line);
  await until(() => replicaSays('master_link_status:up'), 'the replica follows');
  const processes = ports.map((port) => launch(port, folder.at(`${port}.conf`), primary.port, password));
  const ask = (port: number, ...args: readonly string[]): Promise<unknown> => sendTo(port, undefined, 'SENTINEL', args);
  await until(async () => {
    const known = await Promise.all(ports.map(async (port) => (await ask(port, 'MASTER', 'packages')) as string[]));
    return known.every(
      (fields) =>
        fields[fields.indexOf('num-other-sentinels') + 1] === '2' && fields[fields.indexOf('num-slaves') + 1] === '1',
    );
  }, 'the sentinels know each other');
  return {
    url: `redis+sentinel://${password === undefined ? '' : `:${password}@`}${ports.map((port) => `127.0.0.1:${port}`).join(',')}/packages`,
    ports,
    primary,
    replica,
    failedOver: () => until(() => replicaSays('role:master'), 'the replica takes the place'),
    stop: async () => {
      for (const sentinel of processes) {
        const exited = once(sentinel, 'exit');
        sentinel.kill('SIGKILL');
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

/** A sentinel stores its knowledge in its configuration file. */
function launch(port: number, path: string, primaryPort: number, password: string | undefined): ChildProcess {
  const lines = [
    `port ${port}`,
    'bind 127.0.0.1',
    `sentinel monitor packages 127.0.0.1 ${primaryPort} 2`,
    'sentinel down-after-milliseconds packages 500',
    'sentinel failover-timeout packages 5000',
    ...(password === undefined ? [] : [`sentinel auth-pass packages ${password}`]),
  ];
  writeFileSync(path, `${lines.join('\n')}\n`);
  return spawn(toolPath('redis-server'), [path, '--sentinel'], { stdio: 'ignore' });
}

async function until(holds: () => Promise<boolean>, what: string): Promise<void> {
  const deadline = performance.now() + 30_000;
  while (performance.now() < deadline) {
    if (await holds().catch(() => false)) return;
    await delay(50);
  }
  throw new Error(`not within half a minute: ${what}`);
}
