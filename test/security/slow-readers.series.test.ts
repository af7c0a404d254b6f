// Tests many slow downloads of a large archive: the waiting bytes are on the disk and in the kernel, not in the
// server's memory.

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { afterAll, afterEach, expect, it } from 'vitest';
import { createAuthority } from '../util/certificate.ts';
import { frame, opening, requestFrame } from '../util/http2-frames.ts';
import { openConnection } from '../util/raw-client.ts';
import { runCli, startCli, type RunningCli } from '../util/run-cli.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';
import { HandMadeTree, zipBytes } from '../util/hand-made-tree.ts';
import { firstOf, playsSeries } from '../util/series.ts';

const megabyte = 1024 * 1024;
const readers = playsSeries ? 50 : 15;

let server: RunningCli | undefined;
const folder = temporaryFolder('slow-readers');
afterEach(async () => {
  server?.signal('SIGKILL');
  await server?.ended;
});
afterAll(() => folder.remove());

/** `VmRSS`: the present memory; `VmHWM`: its peak. Bytes. */
const memory = (pid: number, field: 'VmRSS' | 'VmHWM'): number =>
  Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;

const path = '/dist/acme/large/1.0.0.zip';

/** Returns a connection that is ready; `ask` is the whole request. */
interface Reader {
  readonly socket: Socket;
  readonly ask: (token: string) => string | Buffer;
}

async function overHttp1(port: number): Promise<Reader> {
  return {
    socket: await openConnection(port),
    ask: (token) => `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`,
  };
}

/** With windows that leave the slowing down to TCP. */
async function overHttp2(port: number): Promise<Reader> {
  const socket = connectTls({ port, host: 'localhost', rejectUnauthorized: false, ALPNProtocols: ['h2'] });
  await once(socket, 'secureConnect');
  const windows = [
    frame('SETTINGS', 0, 0, Buffer.from([0, 4, 0x7f, 0xff, 0xff, 0xff])),
    frame('WINDOW_UPDATE', 0, 0, Buffer.from([0x7f, 0, 0, 0])),
  ];
  return { socket, ask: (token) => Buffer.concat([opening, ...windows, requestFrame(1, path, token)]) };
}

it.skipIf(process.platform !== 'linux' || lacks('openssl')).each(
  firstOf<[string, boolean, typeof overHttp1]>(
    [
      ['HTTP/1.1', false, overHttp1],
      ['HTTP/2', true, overHttp2],
    ],
    1,
  ),
)(
  `${readers} slow readers of 50 MB each cost the server less than 150 MB together, over %s`,
  async (_version, secure, openReader) => {
    const tree = new HandMadeTree(folder.at('var'));
    tree.put('acme/large', [{ version: '1.0.0', normalized: '1.0.0.0', zip: zipBytes('large', 50 * megabyte) }]);
    tree.publish();
    const token = (await runCli(['token', 'create', '--description', 'x', '--limit', '0'], { cwd: folder.path }))
      .stdout;
    const certificate = createAuthority(folder.path).issue('one');
    server = startCli(
      [
        'serve',
        '--listen',
        '127.0.0.1:0',
        ...(secure ? ['--tls-cert', certificate.certFile, '--tls-key', certificate.keyFile] : []),
      ],
      { cwd: folder.path, alone: true },
    );
    const port = Number((await server.shows(/https?:\/\/127\.0\.0\.1:(\d+)/))[1]);
    const before = memory(server.pid, 'VmRSS');

    const opened = await Promise.all(Array.from({ length: readers }, () => openReader(port)));
    const sockets = opened.map(({ socket }) => socket);
    const received = new Map(sockets.map((socket) => [socket, 0]));
    for (const { socket, ask } of opened) {
      socket.on('data', (chunk: Buffer) => {
        received.set(socket, (received.get(socket) ?? 0) + chunk.length);
        socket.pause();
      });
      socket.write(ask(token));
    }
    await Promise.all(sockets.map((socket) => once(socket, 'data')));
    for (let round = 0; round < 30 || (round < 300 && Math.min(...received.values()) <= megabyte); round += 1) {
      await sleep(25);
      for (const socket of sockets) socket.resume();
    }
    const grown = memory(server.pid, 'VmHWM') - before;
    for (const socket of sockets) socket.destroy();
    for (const bytes of received.values()) expect(bytes).toBeGreaterThan(megabyte);
    expect(grown / megabyte).toBeLessThan(150);
  },
);
