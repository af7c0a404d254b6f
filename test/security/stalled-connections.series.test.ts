// Tests two thousand connections whose requests never end, on the real server with its real limits.

import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAuthority, type Authority } from '../util/certificate.ts';
import { connectHttp2 } from '../util/http2-client.ts';
import { openConnection } from '../util/raw-client.ts';
import { startCli, type RunningCli } from '../util/run-cli.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';
import { playsSeries } from '../util/series.ts';

const stalled = playsSeries ? 2000 : 500;
const megabyte = 1024 * 1024;

/** `VmRSS`: the present memory; `VmHWM`: its peak. Bytes. */
const memory = (pid: number, field: 'VmRSS' | 'VmHWM'): number =>
  Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;

describe.skipIf(process.platform !== 'linux' || lacks('openssl'))('F10: stalled connections', () => {
  const folder = temporaryFolder('stalled');
  let authority: Authority;
  beforeAll(() => {
    authority = createAuthority(folder.path);
  });
  afterAll(() => folder.remove());

  async function serve(
    name: string,
    ...flags: readonly string[]
  ): Promise<{ readonly server: RunningCli; readonly port: number } & AsyncDisposable> {
    const server = startCli(['serve', '--data', folder.at(name), '--listen', '127.0.0.1:0', ...flags], {
      cwd: folder.path,
      alone: true,
    });
    const port = Number((await server.shows(/https?:\/\/127\.0\.0\.1:(\d+)/))[1]);
    const stop = async (): Promise<void> => {
      server.signal('SIGKILL');
      await server.ended;
    };
    return { server, port, [Symbol.asyncDispose]: stop };
  }

  /** Opens all connections, and repeats `isHealthy` until all of them are closed. */
  async function expectAllClosed(
    pid: number,
    open: () => Promise<{ readonly once: (event: 'close', listener: () => void) => unknown }>,
    isHealthy: () => Promise<boolean>,
  ): Promise<void> {
    expect(await isHealthy()).toBe(true);
    const before = memory(pid, 'VmRSS');
    let closed = 0;
    for (let at = 0; at < stalled; at += 50) {
      for (const socket of await Promise.all(Array.from({ length: 50 }, open)))
        socket.once('close', () => (closed += 1));
    }
    let asked = 0;
    for (; closed < stalled; asked += 1) {
      expect(await isHealthy()).toBe(true);
      await sleep(50);
    }
    expect(asked).toBeGreaterThan(0);
    expect((memory(pid, 'VmHWM') - before) / megabyte).toBeLessThan(100);
  }

  it(`F10: ${stalled} connections with endless headers are closed, other clients are served, and memory stays bounded`, async () => {
    await using running = await serve('plain');
    await expectAllClosed(
      running.server.pid,
      async () => {
        const socket = await openConnection(running.port);
        socket.resume();
        socket.write('GET /health HTTP/1.1\r\nHost: x\r\nX-Slow: ');
        return socket;
      },
      async () =>
        (await fetch(`http://127.0.0.1:${running.port}/health`, { headers: { connection: 'close' } })).status === 200,
    );
  });

  it(`F10: ${stalled} connections that never finish TLS, or never send an HTTP/2 request, are closed too`, async () => {
    const { certFile, keyFile } = authority.issue('one');
    await using running = await serve('tls', '--tls-cert', certFile, '--tls-key', keyFile);
    let turn = 0;
    await expectAllClosed(
      running.server.pid,
      async () => {
        turn += 1;
        if (turn % 4 !== 0) {
          const socket = await openConnection(running.port);
          socket.resume();
          return socket;
        }
        const socket = connectTls({ port: running.port, host: 'localhost', ca: authority.pem, ALPNProtocols: ['h2'] });
        socket.on('error', () => undefined).resume();
        await new Promise((resolve) => socket.once('secureConnect', resolve));
        return socket;
      },
      async () => {
        await using client = await connectHttp2(running.port, authority);
        return (await client.ask('/health')).status === 200;
      },
    );
  });
});
