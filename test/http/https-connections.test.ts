// Tests connections with TLS, mostly over HTTP/2: the limits for slow clients, the graceful shutdown, and the change of
// a certificate. The server's time limits are short here; the tests check that they apply, not when.

import { once } from 'node:events';
import { constants } from 'node:http2';
import { connect as connectTcp, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAuthority, type Authority, type MadeCertificate } from '../util/certificate.ts';
import { eventually, openFilesBelow } from '../util/eventually.ts';
import { connectHttp2, replyOf } from '../util/http2-client.ts';
import { frame, opening, requestFrame, requestHeaders } from '../util/http2-frames.ts';
import { runProxy, type RunningOptions, type RunningProxy } from '../util/running-proxy.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';
import { zipBytes } from '../util/hand-made-tree.ts';
import { itInSeries } from '../util/series.ts';

const large = zipBytes('large', 30_000_000);

describe.skipIf(lacks('openssl'))('connections with TLS', () => {
  const folder = temporaryFolder('tls');
  let authority: Authority;
  let certificate: MadeCertificate;

  beforeAll(() => {
    authority = createAuthority(folder.path);
    certificate = authority.issue('one');
  });
  afterAll(() => folder.remove());

  async function run(limits: RunningOptions['limits'] = {}): Promise<RunningProxy> {
    const served = await runProxy({ certificate, limits: limits ?? {}, tokens: { reader: 0 } });
    served.tree.put('acme/hello', [{ version: '1.0.0', normalized: '1.0.0.0', zip: large }]);
    served.tree.publish();
    return served;
  }

  async function secure(port: number, protocol: 'h2' | 'http/1.1'): Promise<TLSSocket> {
    const socket = connectTls({ port, host: 'localhost', ca: authority.pem, ALPNProtocols: [protocol] });
    socket.on('error', () => undefined);
    await once(socket, 'secureConnect');
    return socket;
  }

  async function plain(port: number): Promise<Socket> {
    const socket = connectTcp(port, '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    return socket;
  }

  async function bytesUntilClose(socket: Socket): Promise<Buffer> {
    const parts: Buffer[] = [];
    socket.on('data', (part: Buffer) => parts.push(part));
    await once(socket, 'close');
    return Buffer.concat(parts);
  }

  const closed = (socket: Socket): Promise<unknown> => (socket.resume(), once(socket, 'close'));

  describe('row 13: slow clients', () => {
    itInSeries(
      'slow clients are cut off before TLS is up, before the first request and within its headers, while other clients are served',
      async () => {
        await using served = await run({ headersTimeoutMs: 1000 });
        const endings: Promise<unknown>[] = [];
        const watched = <Kind extends Socket>(socket: Kind): Kind => (endings.push(closed(socket)), socket);
        watched(await plain(served.port));
        const halfHello = watched(await plain(served.port));
        halfHello.write(Buffer.from('16030100c8010000c40303', 'hex'));
        watched(await secure(served.port, 'h2'));
        const noRequest = watched(await secure(served.port, 'h2'));
        noRequest.write(opening);
        const halfHeaders = watched(await secure(served.port, 'h2'));
        // a CONTINUATION is to follow
        halfHeaders.write(Buffer.concat([opening, frame('HEADERS', 0, 1, requestHeaders('/health', 'reader'))]));
        const slowHttp1 = watched(await secure(served.port, 'http/1.1'));
        slowHttp1.write('GET /health HTTP/1.1\r\nHost: x\r\nX-Slow: ');
        await using client = await connectHttp2(served.port, authority);
        expect((await client.ask('/health')).status).toBe(200);
        expect(await Promise.all(endings)).toHaveLength(6);
        expect((await client.ask('/health')).status).toBe(200);
      },
    );

    itInSeries(
      'clients that stay idle between two requests are closed in the end, whatever frames they send',
      async () => {
        await using served = await run({ keepAliveTimeoutMs: 300 });
        await using client = await connectHttp2(served.port, authority);
        await client.ask('/health');
        const pings = setInterval(() => client.session.destroyed || client.session.ping(() => undefined), 50);
        await once(client.session, 'close');
        clearInterval(pings);
        await eventually(() => served.proxy.connections() === 0);
      },
    );

    it('a client that sends a body slowly loses its stream and keeps the connection', async () => {
      await using served = await runProxy({
        certificate,
        limits: { headersTimeoutMs: 300, requestTimeoutMs: 300 },
        management: {
          kinds: ['api'],
          routeOf: () => ({
            kind: 'api',
            open: true,
            answer: ({ incoming }) =>
              once(incoming, 'aborted').then(() => ({ status: 200, headers: [], body: undefined })),
          }),
        },
      });
      await using client = await connectHttp2(served.port, authority);
      const stream = client.open('/api/users', { ':method': 'POST' }, false);
      stream.write('{');
      await once(stream, 'close');
      expect(stream.rstCode).toBe(constants.NGHTTP2_CANCEL);
      expect((await client.ask('/health')).status).toBe(200);
    });

    it('a client that stops reading one stream loses it, its file is closed, and its other streams continue', async () => {
      await using served = await run({ stallTimeoutMs: 500 });
      await using client = await connectHttp2(served.port, authority);
      const stuck = client.open('/dist/acme/hello/1.0.0.zip');
      await once(stuck, 'response');
      stuck.pause();
      const closing = once(stuck, 'close');
      for (let round = 0; round < 8; round += 1) {
        expect((await client.ask('/packages.json')).status).toBe(200);
        await sleep(100);
      }
      await eventually(
        () => served.lines.some((line) => line['aborted'] === true) && openFilesBelow(served.tree.data) === 0,
      );
      stuck.resume();
      await closing;
      expect(stuck.rstCode).toBe(constants.NGHTTP2_CANCEL);
      expect((await client.ask('/packages.json')).status).toBe(200);
    });

    itInSeries('a client that stops reading altogether is cut off', async () => {
      await using served = await run({ stallTimeoutMs: 300, keepAliveTimeoutMs: 300 });
      const socket = await secure(served.port, 'h2');
      socket.write(opening);
      for (let at = 0; at < 20; at += 1) socket.write(requestFrame(2 * at + 1, '/dist/acme/hello/1.0.0.zip', 'reader'));
      await once(socket, 'data');
      socket.pause();
      await eventually(() => served.proxy.connections() === 0 && openFilesBelow(served.tree.data) === 0);
      expect(served.lines.filter((line) => line['aborted'] === true)).toHaveLength(20);
      socket.destroy();
    });
  });

  describe('F14: closing', () => {
    itInSeries(
      'a closing server finishes running answers, answers sent requests, and accepts no connection',
      async () => {
        await using served = await run({ drainMs: 120_000 });
        await using client = await connectHttp2(served.port, authority);
        const idle = await secure(served.port, 'h2');
        idle.write(opening);
        const handshaking = await plain(served.port);
        const running = client.open('/dist/acme/hello/1.0.0.zip');
        const download = replyOf(running);
        await once(running, 'data');
        running.pause();
        const end = served.proxy.close();
        idle.write(requestFrame(1, '/packages.json', 'reader'));
        const [received] = await Promise.all([bytesUntilClose(idle), closed(handshaking)]);
        expect(received.includes('"metadata-url"')).toBe(true);
        await expect(connectHttp2(served.port, authority)).rejects.toThrow();
        await sleep(400); // longer than the time limit of idle connections
        running.resume();
        expect((await download).body.equals(large)).toBe(true);
        await end;
        await eventually(() => served.proxy.connections() === 0);
      },
    );

    it('a closing server cuts off answers that take longer than the drain limit', async () => {
      await using served = await run({ drainMs: 400 });
      const stuck = await secure(served.port, 'h2');
      stuck.write(Buffer.concat([opening, requestFrame(1, '/dist/acme/hello/1.0.0.zip', 'reader')]));
      await once(stuck, 'data');
      stuck.pause();
      await plain(served.port);
      await served.proxy.close();
      expect(served.lines.at(-1)).toMatchObject({ aborted: true });
    });

    it('a closing server under load fails no request that was sent', async () => {
      await using served = await run();
      const outcomes: unknown[] = [];
      const clients = await Promise.all(Array.from({ length: 4 }, () => connectHttp2(served.port, authority)));
      const load = clients.map(async (client) => {
        while (!client.session.closed && !client.session.destroyed) {
          outcomes.push(
            ...(await Promise.all(
              Array.from({ length: 10 }, () =>
                client.ask('/p2/acme/hello.json').then(
                  ({ status }) => status,
                  () => 'not sent',
                ),
              ),
            )),
          );
        }
      });
      await sleep(100);
      await Promise.all([served.proxy.close(), ...load]);
      const answered = outcomes.filter((outcome) => outcome === 200).length;
      expect(answered).toBeGreaterThan(0);
      // the client never sent its other requests
      expect(served.lines.map(({ status, aborted }) => [status, aborted])).toEqual(
        Array.from({ length: answered }, () => [200, undefined]),
      );
      for (const client of clients) await client[Symbol.asyncDispose]();
    });
  });

  it('a new certificate applies to new connections', async () => {
    await using served = await run();
    const nameOf = (socket: TLSSocket): string => String(socket.getPeerCertificate().subject.CN);
    const before = await connectHttp2(served.port, authority);
    served.proxy.renewCertificate(authority.issue('two'));
    const after = await secure(served.port, 'http/1.1');
    expect([nameOf(before.session.socket as TLSSocket), nameOf(after)]).toEqual(['one', 'two']);
    expect((await before.ask('/health')).status).toBe(200);
    await before[Symbol.asyncDispose]();
    after.destroy();
  });
});
