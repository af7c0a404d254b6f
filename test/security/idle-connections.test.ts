// Tests the cap on idle and half-open connections of one address: above the cap the oldest close, and every other
// client is served.

import { once } from 'node:events';
import { statSync } from 'node:fs';
import { connect as connectSession, type ClientHttp2Session } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAuthority, type Authority } from '../util/certificate.ts';
import { connectHttp2, type Http2Client } from '../util/http2-client.ts';
import { startCli } from '../util/run-cli.ts';
import { runManagement } from '../util/running-management.ts';
import { runProxy, type RunningProxy } from '../util/running-proxy.ts';
import { itInSeries } from '../util/series.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';
import { zipBytes } from '../util/hand-made-tree.ts';

const most = 8;
const bundles = 5;
const bundleBytes = bundles * statSync('node_modules/swagger-ui-dist/swagger-ui-bundle.js').size;
const halfOpen = 'GET /health HTTP/1.1\r\nHost: x\r\nX-Slow: ';
const withoutBody =
  'POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{';
const whole = 'GET /health HTTP/1.1\r\nHost: x\r\n\r\n';

/** Connects from this address of loopback, sends `sent`, and then nothing more. */
async function open(port: number, sent: string, from = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from });
  socket.on('error', () => undefined).resume();
  await once(socket, 'connect');
  if (sent !== '') socket.write(sent);
  return socket;
}

/** Opens connections one after another, so that the server sees them in this order. */
async function openAll(count: number, port: number, sent: string, from?: string): Promise<Socket[]> {
  const sockets: Socket[] = [];
  for (let at = 0; at < count; at += 1) {
    const socket = await open(port, sent, from);
    if (sent === whole) await once(socket, 'data');
    sockets.push(socket);
  }
  return sockets;
}

const stillOpen = (sockets: readonly Socket[]): boolean[] =>
  sockets.map(({ closed, readableEnded }) => !closed && !readableEnded);
const counted = (count: number, value: boolean): boolean[] => Array.from({ length: count }, () => value);
const answers = async (served: RunningProxy, from: string): Promise<boolean> => {
  const socket = await open(served.port, whole, from);
  const [bytes] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return bytes.toString('latin1').startsWith('HTTP/1.1 200 ');
};

function publishLarge(served: RunningProxy): void {
  served.tree.put('acme/hello', [{ version: '1.0.0', normalized: '1.0.0.0', zip: zipBytes('large', 20_000_000) }]);
  served.tree.publish();
}

/** Its answer has begun, and the client reads no further. */
async function beginDownload(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.on('error', () => undefined);
  socket.write('GET /dist/acme/hello/1.0.0.zip HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer reader\r\n\r\n');
  await once(socket, 'readable');
  return socket;
}

/**
 * Connections with answers of some megabytes from memory that have begun, one after another; the clients read no
 * further.
 */
async function beginAll(count: number, port: number): Promise<Socket[]> {
  const sockets: Socket[] = [];
  for (let at = 0; at < count; at += 1) {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.on('error', () => undefined);
    // more than the system's buffers hold
    socket.write('GET /api/swagger/swagger-ui-bundle.js HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(bundles));
    await once(socket, 'readable');
    sockets.push(socket);
  }
  return sockets;
}

/** HTTP/2 connections, each after one answer. */
async function openTls(count: number, port: number, authority: Authority): Promise<Http2Client[]> {
  const clients: Http2Client[] = [];
  for (let at = 0; at < count; at += 1) {
    const client = await connectHttp2(port, authority);
    expect((await client.ask('/health')).status).toBe(200);
    clients.push(client);
  }
  return clients;
}

/** The client accepts no body until it opens its window. */
async function connectWithoutWindow(port: number, { pem }: Authority): Promise<ClientHttp2Session> {
  const session = connectSession(`https://localhost:${port}`, { ca: pem, settings: { initialWindowSize: 0 } });
  session.on('error', () => undefined);
  await once(session, 'remoteSettings');
  return session;
}

describe('over HTTP/1.1', () => {
  it('half-open connections: the oldest are closed, and other clients of this and other addresses are answered', async () => {
    await using served = await runProxy({ limits: { idlePerAddress: most } });
    const sockets = await openAll(30, served.port, halfOpen);
    await expect.poll(() => stillOpen(sockets)).toEqual([...counted(30 - most, false), ...counted(most, true)]);
    expect([await answers(served, '127.0.0.1'), await answers(served, '127.0.0.2')]).toEqual([true, true]);
    expect(served.lines.filter(({ msg }) => String(msg).includes('too many idle'))).toMatchObject([
      { client: '127.0.0.1' },
    ]);
    for (const socket of sockets) socket.destroy();
  });

  it('idle connections are closed before older half-open ones', async () => {
    await using served = await runProxy({ limits: { idlePerAddress: most } });
    const opening = await openAll(5, served.port, halfOpen);
    const idle = await openAll(10, served.port, whole);
    await expect
      .poll(() => stillOpen([...opening, ...idle]))
      .toEqual([...counted(5, true), ...counted(7, false), ...counted(3, true)]);
    for (const socket of [...opening, ...idle]) socket.destroy();
  });

  it('connections with a request in progress never count', async () => {
    await using served = await runProxy({ tokens: { reader: 0 }, limits: { idlePerAddress: 2, writeStallMs: 60_000 } });
    publishLarge(served);
    const sockets = await Promise.all(Array.from({ length: 10 }, () => beginDownload(served.port)));
    const idle = await openAll(6, served.port, whole);
    await expect.poll(() => stillOpen(idle)).toEqual([...counted(4, false), ...counted(2, true)]);
    expect(stillOpen(sockets)).toEqual(counted(10, true));
    for (const socket of [...sockets, ...idle]) socket.destroy();
  });

  itInSeries(
    'downloads that the client never reads are reset, the oldest first, and a slow download arrives complete',
    async () => {
      await using served = await runProxy({ tokens: { reader: 0 }, limits: { idlePerAddress: 2, writeStallMs: 2000 } });
      publishLarge(served);
      const slow = await beginDownload(served.port);
      let taken = 0;
      const taking = setInterval(() => (taken += (slow.read() as Buffer | null)?.length ?? 0), 20);
      const stalled: Socket[] = [];
      for (let at = 0; at < 6; at += 1) stalled.push(await beginDownload(served.port));
      await expect.poll(() => served.proxy.connections()).toBe(3);
      clearInterval(taking);
      slow.on('data', (bytes: Buffer) => (taken += bytes.length));
      await expect.poll(() => taken).toBeGreaterThan(20_000_000);
      let late = 0;
      stalled[0]!.on('data', (bytes: Buffer) => (late += bytes.length));
      // not `once`, which rejects with the reset: Node 24 reports one that arrived during a pause, Node 20 reports an end
      await expect.poll(() => stalled[0]!.closed).toBe(true);
      expect(late).toBeLessThan(1_000_000); // the kernel drops the unread megabytes of a client that is cut off
      for (const socket of [slow, ...stalled]) socket.destroy();
    },
  );

  it('connections of a trusted proxy are exempt, and a cap of 0 exempts all connections', async () => {
    for (const options of [
      { trustedProxies: ['127.0.0.1'], limits: { idlePerAddress: most } },
      { limits: { idlePerAddress: 0 } },
    ]) {
      await using served = await runProxy(options);
      const sockets = await openAll(3 * most, served.port, halfOpen);
      await sleep(100);
      expect(stillOpen(sockets)).toEqual(counted(3 * most, true));
      for (const socket of sockets) socket.destroy();
    }
  });
});

describe('requests whose body never arrives', () => {
  it('are closed like half-open connections, the oldest first, and other clients are answered', async () => {
    await using registry = await runManagement({ limits: { idlePerAddress: most } });
    const sockets = await openAll(30, registry.proxy.port, withoutBody);
    await expect.poll(() => stillOpen(sockets)).toEqual([...counted(30 - most, false), ...counted(most, true)]);
    expect([await answers(registry.proxy, '127.0.0.1'), await answers(registry.proxy, '127.0.0.2')]).toEqual([
      true,
      true,
    ]);
    for (const socket of sockets) socket.destroy();
  });

  it('are ordered by the beginning of the request, not of a reused connection', async () => {
    await using registry = await runManagement({ limits: { idlePerAddress: most } });
    const kept = await openAll(1, registry.proxy.port, whole);
    const older = await openAll(most - 1, registry.proxy.port, withoutBody);
    kept[0]?.write(withoutBody);
    await sleep(100); // the server must see it before the later ones
    const younger = await openAll(3, registry.proxy.port, withoutBody);
    await expect.poll(() => stillOpen(older)).toEqual([...counted(3, false), ...counted(most - 4, true)]);
    expect(stillOpen([...kept, ...younger])).toEqual(counted(4, true));
    for (const socket of [...kept, ...older, ...younger]) socket.destroy();
  });

  it('are closed together with connections whose clients read no answer', async () => {
    await using registry = await runManagement({ limits: { idlePerAddress: 2, writeStallMs: 200 } });
    const sockets: Socket[] = [];
    for (let at = 0; at < 6; at += 1) {
      const socket = connect({ port: registry.proxy.port, host: '127.0.0.1' });
      socket.on('error', () => undefined);
      // more than the system's buffers hold
      socket.write('GET /api/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(40));
      await once(socket, 'readable'); // the client reads no further
      sockets.push(socket);
    }
    await expect
      .poll(async () => [await answers(registry.proxy, '127.0.0.1'), registry.proxy.proxy.connections() <= 3])
      .toEqual([true, true]);
    for (const socket of sockets) socket.destroy();
  });

  it('do not include slow readers of an answer from memory, who keep their connections and get the whole answer', async () => {
    await using registry = await runManagement({ limits: { idlePerAddress: 2, writeStallMs: 60_000 } });
    const readers = await beginAll(10, registry.proxy.port);
    const idle = await openAll(6, registry.proxy.port, whole);
    await expect.poll(() => stillOpen(idle)).toEqual([...counted(4, false), ...counted(2, true)]);
    expect(stillOpen(readers)).toEqual(counted(10, true));
    for (const reader of readers) reader.resume();
    await expect.poll(() => readers.every(({ bytesRead }) => bytesRead > bundleBytes)).toBe(true);
    for (const socket of [...readers, ...idle]) socket.destroy();
  });

  it('get no time to read answers at an address with half of all connections, and other clients are answered', async () => {
    const limits = { idlePerAddress: 2, writeStallMs: 60_000, maxConnections: 24 };
    await using registry = await runManagement({ limits });
    const readers = await beginAll(13, registry.proxy.port);
    await expect.poll(() => registry.proxy.proxy.connections()).toBe(2);
    expect(await answers(registry.proxy, '127.0.0.2')).toBe(true);
    for (const socket of readers) socket.destroy();
  });

  it('do not include an upload that holds a slot', async () => {
    await using registry = await runManagement({ limits: { idlePerAddress: 2 } });
    const writer = await registry.createToken('write');
    const upload = `POST /api/artifacts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${writer}\r\nContent-Type: application/zip\r\nContent-Length: 100000\r\nExpect: 100-continue\r\n\r\n`;
    const uploads: Socket[] = [];
    for (let at = 0; at < 3; at += 1) {
      const socket = await open(registry.proxy.port, upload);
      await once(socket, 'data'); // 100 Continue arrives once the upload holds its slot
      uploads.push(socket);
    }
    const others = await openAll(6, registry.proxy.port, withoutBody);
    await expect.poll(() => stillOpen(others)).toEqual([...counted(4, false), ...counted(2, true)]);
    expect(stillOpen(uploads)).toEqual(counted(3, true));
    for (const socket of [...uploads, ...others]) socket.destroy();
  });
});

describe.skipIf(lacks('openssl'))('over TLS', () => {
  const folder = temporaryFolder('idle-connections');
  let authority: Authority;
  beforeAll(() => void (authority = createAuthority(folder.path)));
  afterAll(() => folder.remove());

  it('unfinished handshakes are closed like half-open requests', async () => {
    await using served = await runProxy({ certificate: authority.issue('idle'), limits: { idlePerAddress: most } });
    const silent = await openAll(3 * most, served.port, '');
    await expect.poll(() => stillOpen(silent)).toEqual([...counted(2 * most, false), ...counted(most, true)]);
    await using client = await connectHttp2(served.port, authority);
    expect((await client.ask('/health')).status).toBe(200);
    for (const socket of silent) socket.destroy();
  });

  itInSeries(
    'HTTP/2 sessions without a stream are closed in order, the oldest first, and one with a stream stays',
    async () => {
      await using served = await runProxy({
        certificate: authority.issue('idle'),
        tokens: { reader: 0 },
        limits: { idlePerAddress: most, writeStallMs: 60_000 },
      });
      publishLarge(served);
      await using busy = await connectHttp2(served.port, authority);
      await once(busy.open('/dist/acme/hello/1.0.0.zip'), 'response'); // the client reads no further
      const clients = await openTls(2 * most, served.port, authority);
      await expect
        .poll(() => clients.map(({ session }) => !session.closed))
        .toEqual([...counted(most, false), ...counted(most, true)]);
      expect(busy.session.closed).toBe(false);
      for (const client of clients) await client[Symbol.asyncDispose]();
    },
  );

  itInSeries(
    'HTTP/2 sessions that wait for bodies or for a client that reads no answer are closed, the oldest first',
    async () => {
      await using registry = await runManagement({
        certificate: authority.issue('idle'),
        limits: { idlePerAddress: most, writeStallMs: 200 },
      });
      const stalled: readonly ((session: ClientHttp2Session) => void)[] = [
        (session) =>
          void session
            .request(
              { ':method': 'POST', ':path': '/api/auth/login', 'content-type': 'application/json' },
              { endStream: false },
            )
            .on('error', () => undefined)
            .write('{'),
        (session) =>
          void session
            .request({ ':path': '/health' })
            .on('error', () => undefined)
            .resume(),
        (session) =>
          void session
            .request({ ':path': '/api/openapi.json' })
            .on('error', () => undefined)
            .resume(), // sent in chunks
      ];
      for (const stall of stalled) {
        const sessions: ClientHttp2Session[] = [];
        for (let at = 0; at < 2 * most; at += 1) {
          const session = await connectWithoutWindow(registry.proxy.port, authority);
          stall(session);
          // after the request, so that the server has read it
          await new Promise<void>((resolve) => void session.ping(() => resolve()));
          sessions.push(session);
        }
        await expect
          .poll(() => sessions.map(({ closed, destroyed }) => !closed && !destroyed))
          .toEqual([...counted(most, false), ...counted(most, true)]);
        for (const session of sessions) session.destroy();
        await expect.poll(() => registry.proxy.proxy.connections()).toBe(0);
      }
    },
  );

  it('HTTP/2 sessions whose clients read small answers slowly stay above the cap', async () => {
    await using served = await runProxy({
      certificate: authority.issue('idle'),
      limits: { idlePerAddress: 2, writeStallMs: 60_000 },
    });
    const sessions: ClientHttp2Session[] = [];
    for (let at = 0; at < 6; at += 1) {
      const session = await connectWithoutWindow(served.port, authority);
      session
        .request({ ':path': '/health' })
        .on('error', () => undefined)
        .resume();
      // after the request, so that the server has read it
      await new Promise<void>((resolve) => void session.ping(() => resolve()));
      sessions.push(session);
    }
    const idle = await openTls(4, served.port, authority);
    await expect.poll(() => idle.filter(({ session }) => session.closed).length).toBe(2);
    expect(sessions.map(({ closed, destroyed }) => !closed && !destroyed)).toEqual(counted(6, true));
    for (const session of sessions) session.destroy();
    for (const client of idle) await client[Symbol.asyncDispose]();
  });
});

describe('the shipped server', () => {
  it('takes the cap from --max-idle-connections', async () => {
    const folder = temporaryFolder('idle-connections-shipped');
    const server = startCli(
      ['serve', '--data', folder.at('data'), '--listen', '127.0.0.1:0', '--max-idle-connections', '20'],
      { cwd: folder.path },
    );
    const port = Number((await server.shows(/http:\/\/127\.0\.0\.1:(\d+)/))[1]);
    const sockets = await openAll(60, port, halfOpen);
    await expect.poll(() => stillOpen(sockets).filter(Boolean).length).toBeLessThanOrEqual(20);
    expect((await fetch(`http://127.0.0.1:${port}/health`)).status).toBe(200);
    for (const socket of sockets) socket.destroy();
    server.signal('SIGKILL');
    await server.ended;
    await folder.remove();
  });
});
