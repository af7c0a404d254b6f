// Many clients that download a large archive slowly: what waits for them is on the disk and in the kernel, not in the memory of the server.

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { openConnection } from '../util/raw-client.ts';
import { runCli, startCli, type RunningCli } from '../util/run-cli.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { HandMadeTree, zipBytes } from '../util/tree.ts';

const megabyte = 1024 * 1024;
const readers = 50;

let server: RunningCli | undefined;
const folder = temporaryFolder('slow-readers');
afterEach(async () => {
  server?.signal('SIGKILL');
  await server?.ended;
  await folder.remove();
});

/** `VmRSS`: now; `VmHWM`: the most there ever was. Bytes. */
const memory = (pid: number, field: 'VmRSS' | 'VmHWM'): number => Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;

it.skipIf(process.platform !== 'linux')(`${readers} slow readers of 50 MB each cost the server less than 150 MB together`, async () => {
  const tree = new HandMadeTree(folder.at('var'));
  tree.put('acme/large', [{ version: '1.0.0', normalized: '1.0.0.0', zip: zipBytes('large', 50 * megabyte) }]);
  tree.publish();
  const token = (await runCli(['token', 'create', '--description', 'x', '--limit', '0'], { cwd: folder.path })).stdout;
  server = startCli(['serve', '--listen', '127.0.0.1:0'], { cwd: folder.path });
  const port = Number((await server.shows(/http:\/\/127\.0\.0\.1:(\d+)/))[1]);
  const before = memory(server.pid, 'VmRSS');

  const sockets = await Promise.all(Array.from({ length: readers }, () => openConnection(port)));
  const received = new Map(sockets.map((socket) => [socket, 0]));
  for (const socket of sockets) {
    socket.on('data', (chunk: Buffer) => {
      received.set(socket, (received.get(socket) ?? 0) + chunk.length);
      socket.pause();
    });
    socket.write(`GET /dist/acme/large/1.0.0.zip HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  }
  await Promise.all(sockets.map((socket) => once(socket, 'data')));
  for (let round = 0; round < 30; round += 1) {
    await sleep(50);
    for (const socket of sockets) socket.resume();
  }
  const grown = memory(server.pid, 'VmHWM') - before;
  for (const socket of sockets) socket.destroy();
  for (const bytes of received.values()) expect(bytes).toBeGreaterThan(megabyte);
  expect(grown / megabyte).toBeLessThan(150);
});
