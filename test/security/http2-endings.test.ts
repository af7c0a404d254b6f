// Tests the end of HTTP/2 connections that do not end by themselves: a request with an endless body, a broken protocol,
// a client that reads nothing while the server stops. `drainMs` is longer than the test's time limit, so that waiting
// for it fails the test.

import { once } from 'node:events';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAuthority, type Authority } from '../util/certificate.ts';
import { eventually } from '../util/eventually.ts';
import { flags, frame, opening, requestFrame, requestHeaders } from '../util/http2-frames.ts';
import { runProxy, type RunningProxy } from '../util/running-proxy.ts';
import { itInSeries } from '../util/series.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';
import { zipBytes } from '../util/hand-made-tree.ts';

const archive = '/dist/acme/hello/1.0.0.zip';
const size = 20_000_000;
/** SETTINGS and WINDOW_UPDATE: the client accepts any amount of data. */
const allWindows = Buffer.concat([
  frame('SETTINGS', 0, 0, Buffer.from([0, 4, 0x3f, 0xff, 0xff, 0xff])),
  frame('WINDOW_UPDATE', 0, 0, Buffer.from([0x3f, 0, 0, 0])),
]);

describe.skipIf(lacks('openssl'))('over HTTP/2', () => {
  const folder = temporaryFolder('tls');
  let authority: Authority;
  let served: RunningProxy;

  beforeAll(async () => {
    authority = createAuthority(folder.path);
    served = await runProxy({
      certificate: authority.issue('one'),
      tokens: { reader: 0 },
      limits: { drainMs: 120_000 },
    });
    served.tree.put('acme/hello', [{ version: '1.0.0', normalized: '1.0.0.0', zip: zipBytes('large', size) }]);
    served.tree.publish();
  });
  afterAll(async () => {
    await served[Symbol.asyncDispose]();
    await folder.remove();
  });

  async function open(
    ...frames: readonly Buffer[]
  ): Promise<{ readonly socket: TLSSocket; readonly received: () => Buffer }> {
    const socket = connectTls({ port: served.port, host: 'localhost', ca: authority.pem, ALPNProtocols: ['h2'] });
    const parts: Buffer[] = [];
    socket.on('error', () => undefined).on('data', (part: Buffer) => parts.push(part));
    await once(socket, 'secureConnect');
    socket.write(Buffer.concat([opening, ...frames]));
    return { socket, received: () => Buffer.concat(parts) };
  }

  it.each(['HEAD', 'GET', 'POST'])(
    '%s: a stream ends after its answer, although the client never ends the body (RFC 9113 §8.1)',
    async (method) => {
      const { socket, received } = await open(
        frame('HEADERS', flags.endHeaders, 1, requestHeaders('/packages.json', 'reader', { ':method': method })),
      );
      await eventually(() => received().includes(frame('RST_STREAM', 0, 1, Buffer.alloc(4)))); // NO_ERROR
      socket.destroy();
    },
  );

  itInSeries(
    'a stopping server cuts broken and unread connections soon, and waits for clients that make room',
    async () => {
      // a frame without length: nghttp2 gives up during a request
      const broken = await open(requestFrame(1, archive, 'reader'), frame('RST_STREAM', 0, 1));
      await eventually(() => received(broken).includes(Buffer.from([0, 0, 0, 6]))); // GOAWAY with FRAME_SIZE_ERROR
      const deaf = await open(allWindows, requestFrame(1, archive, 'reader'));
      await once(deaf.socket, 'data');
      deaf.socket.pause();
      const patient = await open(requestFrame(1, archive, 'reader')); // accepts 64 KiB for now
      await eventually(() => received(patient).length > 65_535);
      // node:http2 of Node 20 keeps the broken connection, that of Node 24 has ended it
      expect(served.proxy.connections()).toBeGreaterThanOrEqual(2);
      const closed = served.proxy.close();
      // it takes some bytes after the announcement of the end, and then no more
      const enough = received(deaf).length + 6_000_000;
      deaf.socket.on('data', () => void (received(deaf).length > enough && deaf.socket.pause())).resume();
      await eventually(() => served.proxy.connections() === 1);
      await sleep(300);
      expect(served.proxy.connections()).toBe(1);
      await eventually(() => broken.socket.closed);
      patient.socket.write(allWindows);
      patient.socket.write(frame('WINDOW_UPDATE', 0, 1, Buffer.from([0x3f, 0, 0, 0])));
      await closed;
      expect(received(patient).length).toBeGreaterThan(size);
      deaf.socket.destroy();
    },
  );
});

const received = ({ received: all }: { readonly received: () => Buffer }): Buffer => all();
