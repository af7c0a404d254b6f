// A private redis-server on a free port of loopback. By default it stores nothing on disk, and otherwise in a folder of
// its own. It can be frozen, thawed, killed and started again.

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { temporaryFolder } from './temporary-folder.ts';
import { toolPath } from './tool.ts';

export interface RedisServer {
  readonly url: string;
  readonly port: number;
  /** Sends one command as the operator. */
  readonly command: (name: string, ...args: readonly (string | number)[]) => Promise<unknown>;
  /** It keeps its connections and answers no command. */
  readonly freeze: () => void;
  readonly thaw: () => void;
  readonly kill: () => Promise<void>;
  /** After `kill`: starts again on the same port, without data. */
  readonly restart: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** `settings`: more of its command line, e.g. `--requirepass`, `secret`. */
export async function startRedis(settings: readonly string[] = [], password?: string): Promise<RedisServer> {
  const folder = temporaryFolder('redis');
  const given = ['--dir', folder.path, ...settings];
  const [port, first] = await launchOnFreePort(given, password);
  let server = first;
  const kill = async (): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const exited = once(server, 'exit');
    server.kill('SIGKILL');
    await exited;
  };
  return {
    url: `redis://${password === undefined ? '' : `:${password}@`}127.0.0.1:${port}`,
    port,
    command: (name, ...args) => sendTo(port, password, name, args),
    freeze: () => void server.kill('SIGSTOP'),
    thaw: () => void server.kill('SIGCONT'),
    kill,
    restart: async () => {
      server = await launch(port, given, password);
    },
    stop: async () => {
      await kill();
      await folder.remove();
    },
  };
}

/** Another program may take the free port before the server does: then the server starts on the next free one. */
async function launchOnFreePort(
  settings: readonly string[],
  password: string | undefined,
  attempts = 5,
): Promise<[number, ChildProcess]> {
  const port = await freePort();
  try {
    return [port, await launch(port, settings, password)];
  } catch (error) {
    if (attempts === 1) throw error;
    return launchOnFreePort(settings, password, attempts - 1);
  }
}

async function launch(port: number, settings: readonly string[], password: string | undefined): Promise<ChildProcess> {
  const auth = password === undefined ? [] : ['--requirepass', password];
  const server = spawn(
    toolPath('redis-server'),
    ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', ...auth, ...settings],
    { stdio: 'ignore' },
  );
  const deadline = performance.now() + 60_000;
  while (performance.now() < deadline) {
    if (server.exitCode !== null) throw new Error(`redis-server ended with ${server.exitCode}`);
    if ((await sendTo(port, password, 'PING', []).catch(() => undefined)) === 'PONG') return server;
    await delay(25);
  }
  server.kill('SIGKILL');
  throw new Error('redis-server did not start within a minute');
}

/** Sends one command as the operator, over a connection of its own. */
export async function sendTo(
  port: number,
  password: string | undefined,
  name: string,
  args: readonly (string | number)[],
): Promise<unknown> {
  const client = new Redis({
    port,
    host: '127.0.0.1',
    lazyConnect: true,
    retryStrategy: null,
    ...(password === undefined ? {} : { password }),
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await client.call(name, ...args);
  } finally {
    client.disconnect();
  }
}

/** A free port. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return address.port;
}
