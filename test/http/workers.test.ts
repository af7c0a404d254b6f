// Tests a server that is one of several workers: its report about them, and its number of connections.

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { runProxy } from '../util/running-proxy.ts';

it('/health has the number of workers, and is degraded while one is missing', async () => {
  let running = 2;
  await using registry = await runProxy({ workerStatus: { size: 2, running: () => running } });
  registry.tree.publish();
  expect((await registry.get('/health')).json()).toMatchObject({ status: 'ok', workers: { serving: 2, of: 2 } });
  running = 1;
  expect((await registry.get('/health')).json()).toMatchObject({
    status: 'degraded',
    tree: 'ok',
    counters: 'ok',
    workers: { serving: 1, of: 2 },
  });
});

it('connections beyond the limit are closed, not passed around among full workers', async () => {
  await using registry = await runProxy({ workerStatus: { size: 2, running: () => 2 }, limits: { maxConnections: 2 } });
  const open = async (): Promise<Socket> => {
    const socket = connect(registry.port, '127.0.0.1').on('error', () => undefined);
    await once(socket, 'connect');
    return socket;
  };
  const [one, two, three] = [await open(), await open(), await open()];
  if (three.readyState !== 'closed') await once(three.resume(), 'close');
  await delay(50);
  expect([one.readyState, two.readyState]).toEqual(['open', 'open']);
  one.destroy();
  await expect.poll(async () => (await registry.get('/health')).status).toBe(200);
  two.destroy();
});
