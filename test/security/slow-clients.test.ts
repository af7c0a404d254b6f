// Tests clients that are slow, stall or leave. The server's time limits are short here; the tests check that they
// apply, not when.

import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { Feature, FeatureRequest } from '../../proxy/core/protocol/feature.ts';
import { eventually, openFilesBelow } from '../util/eventually.ts';
import { exchange, openConnection } from '../util/raw-client.ts';
import { runProxy, type RunningProxy } from '../util/running-proxy.ts';
import { zipBytes } from '../util/hand-made-tree.ts';

const large = zipBytes('large', 30_000_000);

async function runWithLarge(limits: NonNullable<Parameters<typeof runProxy>[0]>['limits'] = {}): Promise<RunningProxy> {
  const served = await runProxy({ tokens: { reader: 0 }, limits });
  served.tree.put('acme/hello', [{ version: '1.0.0', normalized: '1.0.0.0', zip: large }]);
  served.tree.publish();
  return served;
}

const request = 'GET /dist/acme/hello/1.0.0.zip HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer reader\r\n\r\n';

describe('row 13: slow clients', () => {
  it('endless headers get 408 with the error body, and another client is served meanwhile', async () => {
    await using served = await runWithLarge({ headersTimeoutMs: 300 });
    const stalled = Array.from({ length: 20 }, () =>
      exchange(served.port, 'GET /health HTTP/1.1\r\nHost: x\r\nX-Slow: '),
    );
    expect((await served.get('/health')).status).toBe(200);
    for (const reply of await Promise.all(stalled)) {
      expect([reply.status, reply.closed]).toEqual([408, true]);
      expect(JSON.parse(reply.body)).toMatchObject({ code: 'REQUEST_TIMEOUT' });
    }
  });

  it('an endless body is cut off where it is read, and answered at once where it is unwanted', async () => {
    const answer = ({ incoming }: FeatureRequest) =>
      once(incoming, 'aborted').then(() => ({ status: 400, headers: [], body: undefined }));
    const management: Feature = {
      kinds: ['api'],
      routeOf: (path) => (path.startsWith('/api/') ? { kind: 'api', open: true, answer } : undefined),
    };
    await using served = await runProxy({
      tokens: { reader: 0 },
      limits: { headersTimeoutMs: 300, requestTimeoutMs: 300 },
      management,
    });
    const begin = (path: string): string =>
      `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer reader\r\nContent-Length: 100\r\n\r\n{`;
    expect(await exchange(served.port, begin('/api/tokens'), 5000)).toMatchObject({ status: 0, closed: true });
    expect(await exchange(served.port, begin('/packages.json'), 5000)).toMatchObject({ status: 400, closed: true });
    expect((await served.get('/health')).status).toBe(200);
  });

  it('an idle connection is closed in the end', async () => {
    await using served = await runWithLarge({ keepAliveTimeoutMs: 200 });
    const reply = await exchange(served.port, 'GET /health HTTP/1.1\r\nHost: x\r\n\r\n', 5000);
    expect([reply.status, reply.closed]).toEqual([200, true]);
  });

  it('a client that stops reading is cut off, and its file is closed', async () => {
    await using served = await runWithLarge({ stallTimeoutMs: 300 });
    const socket = await openConnection(served.port);
    socket.pause();
    socket.write(request);
    await eventually(() => served.lines.some((line) => line['aborted'] === true));
    await eventually(() => openFilesBelow(served.tree.data) === 0);
    socket.destroy();
  });
});

describe('row 20: a client that hangs up during a download', () => {
  it('frees the file and is marked in the log, with one line each, for a hundred such clients', async () => {
    await using served = await runWithLarge();
    for (let round = 0; round < 10; round += 1) {
      const sockets = await Promise.all(Array.from({ length: 10 }, () => openConnection(served.port)));
      await Promise.all(
        sockets.map(async (socket) => {
          socket.write(request);
          await once(socket, 'data');
          socket.resetAndDestroy();
        }),
      );
    }
    await eventually(() => served.lines.length === 100);
    for (const line of served.lines) {
      expect(line).toMatchObject({ status: 200, aborted: true });
      expect(line['bytes']).toBeLessThan(large.length);
    }
    await eventually(() => openFilesBelow(served.tree.data) === 0);
    expect((await served.get('/dist/acme/hello/1.0.0.zip')).body.equals(large)).toBe(true);
  });

  it('frees the files of later requests on the same connection', async () => {
    await using served = await runWithLarge();
    const socket = await openConnection(served.port);
    socket.write(request.repeat(12));
    await once(socket, 'data');
    socket.destroy();
    await eventually(() => openFilesBelow(served.tree.data) === 0 && served.lines.length === 12);
  });
});
