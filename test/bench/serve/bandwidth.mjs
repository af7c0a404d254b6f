// Measures a 50 MB archive: bytes a second against nginx, and memory while fifty clients read slowly.

import { once } from 'node:events';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../measure.mjs';
import { residentMb } from './servers.mjs';
import { makeTree, paths } from './trees.mjs';
import { inTurns, wrk } from './wrk.mjs';

const slowReaders = 50;

export async function bandwidth({ folder, rounds, quick, servers, say }) {
  const { data, token } = await makeTree(folder);
  const nginx = await servers.nginx(data, token);
  const ours = await servers.proxy(data, { log: join(folder, 'requests.log') });
  const headers = { Authorization: `Bearer ${token}` };
  say('dist of 50 MB …');
  const extra = [];
  for (let round = 0; round < Math.min(rounds, 3); round += 1) extra.push(await memoryOfSlowReaders(ours, token));
  const seconds = quick ? 3 : 5;
  const measured = await inTurns(
    { nginx: () => wrk(nginx, paths.large, headers, seconds), ours: () => wrk(ours, paths.large, headers, seconds) },
    rounds,
  );
  return [
    {
      what: 'dist of 50 MB',
      unit: 'MB/s',
      value: measured.ours.mbPerSecond,
      besideValue: measured.nginx.mbPerSecond,
      beside: 'nginx',
      ours: measured.ours.mbPerSecond / measured.nginx.mbPerSecond,
      processor: measured.nginx.share / measured.nginx.mbPerSecond / (measured.ours.share / measured.ours.mbPerSecond),
      atLeast: 0.85,
    },
    {
      what: `memory for ${slowReaders} slow readers of it`,
      unit: 'MB',
      value: median(extra),
      ours: median(extra),
      atMost: 64,
    },
  ];
}

/**
 * The highest memory in MB above the idle server, while all clients have begun and read a few kilobytes now and then.
 */
async function memoryOfSlowReaders({ url, processId }, token) {
  const before = residentMb(processId);
  const { hostname, port } = new URL(url);
  const sockets = Array.from({ length: slowReaders }, () => createConnection({ host: hostname, port: Number(port) }));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  for (const socket of sockets) {
    socket.on('error', () => undefined);
    socket.pause();
    socket.write(`GET ${paths.large} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  }
  let most = 0;
  for (let step = 0; step < 30; step += 1) {
    await sleep(100);
    for (const socket of sockets) socket.read(16 * 1024);
    most = Math.max(most, residentMb(processId));
  }
  for (const socket of sockets) socket.destroy();
  await sleep(500);
  return Math.max(0, most - before);
}
