// Tests random HTTP/2 frames in any order, with any flags and content (`FRAME_RUNS=5000` for a long series): the
// process continues (I10), holds no file open for them, and answers other clients.

import { once } from 'node:events';
import { connect as connectTls } from 'node:tls';
import { fc } from '../util/seeded-check.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAuthority, type Authority } from '../util/certificate.ts';
import { eventually, openFilesBelow } from '../util/eventually.ts';
import { connectHttp2 } from '../util/http2-client.ts';
import { frame, opening, requestHeaders, type FrameType } from '../util/http2-frames.ts';
import { runProxy, type RunningProxy } from '../util/running-proxy.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';
import { zipBytes } from '../util/hand-made-tree.ts';

const numRuns = Number(process.env['FRAME_RUNS'] ?? 150);

const type = fc.constantFrom<FrameType>(
  'DATA',
  'HEADERS',
  'PRIORITY',
  'RST_STREAM',
  'SETTINGS',
  'PUSH_PROMISE',
  'PING',
  'GOAWAY',
  'WINDOW_UPDATE',
  'CONTINUATION',
);
const number = fc.oneof(fc.constantFrom(0, 1, 3, 5, 7, 2, 2 ** 31 - 1), fc.nat({ max: 99 }));
const path = fc.constantFrom(
  '/packages.json',
  '/dist/acme/hello/1.0.0.zip',
  '/p2/acme/hello$%hash%.json',
  '*',
  '',
  '/api/tokens',
  '/nowhere',
);
const headers = fc
  .tuple(
    path,
    fc.dictionary(
      fc.constantFrom(':method', ':path', 'host', 'content-length', 'expect', 'te', 'connection', 'x-a', 'X-Upper'),
      fc.constantFrom('GET', 'HEAD', 'POST', 'CONNECT', '100-continue', '5', 'close', 'a\r\nb', ''),
    ),
  )
  .map(([at, more]) => requestHeaders(at, 'reader', more));
const payload = fc.oneof(
  headers,
  headers.map((whole) => whole.subarray(0, whole.length / 2)),
  fc.uint8Array({ maxLength: 40 }).map(Buffer.from),
  fc.constantFrom(Buffer.alloc(0), Buffer.alloc(4), Buffer.alloc(8), Buffer.from([0, 4, 0, 0, 0, 0])),
);
const anyFrame = fc
  .tuple(type, fc.constantFrom(0, 1, 4, 5, 8, 32, 255), number, payload)
  .map(([kind, flag, stream, content]) => frame(kind, flag, stream, content));
const request = fc
  .tuple(fc.constantFrom(1, 3, 5, 7, 9), fc.constantFrom(4, 5), headers)
  .map(([stream, flag, content]) => frame('HEADERS', flag, stream, content));
const conversation = fc
  .tuple(fc.boolean(), fc.array(fc.oneof(anyFrame, request), { minLength: 1, maxLength: 25 }), fc.nat({ max: 30 }))
  .map(([proper, frames, cut]) => {
    const bytes = Buffer.concat(proper ? [opening, ...frames] : frames);
    return cut < 10 ? bytes.subarray(0, bytes.length - cut) : bytes;
  });

describe.skipIf(lacks('openssl'))('row 8, over HTTP/2', () => {
  const folder = temporaryFolder('tls');
  let authority: Authority;
  let served: RunningProxy;

  beforeAll(async () => {
    authority = createAuthority(folder.path);
    served = await runProxy({
      certificate: authority.issue('one'),
      tokens: { reader: 0 },
      limits: { headersTimeoutMs: 500, requestTimeoutMs: 500, keepAliveTimeoutMs: 500, stallTimeoutMs: 500 },
    });
    served.tree.put('acme/hello', [{ version: '1.0.0', normalized: '1.0.0.0', zip: zipBytes('large', 1_000_000) }]);
    served.tree.publish();
  });
  afterAll(async () => {
    await served[Symbol.asyncDispose]();
    await folder.remove();
  });

  it('row 8: random frames in any order affect no other client', async () => {
    await fc.assert(
      fc.asyncProperty(conversation, fc.boolean(), async (bytes, reads) => {
        const socket = connectTls({ port: served.port, host: 'localhost', ca: authority.pem, ALPNProtocols: ['h2'] });
        socket.on('error', () => undefined);
        await once(socket, 'secureConnect');
        if (reads) socket.resume();
        await new Promise((resolve) => socket.write(bytes, resolve));
        await new Promise((resolve) => setTimeout(resolve, 2));
        socket.destroy();
      }),
      { numRuns, endOnFailure: true },
    );
    const client = await connectHttp2(served.port, authority);
    expect((await client.ask('/packages.json')).status).toBe(200);
    await client[Symbol.asyncDispose]();
    await eventually(() => served.proxy.connections() === 0 && openFilesBelow(served.tree.data) === 0);
    expect(served.lines.filter((line) => line['level'] === 50)).toEqual([]);
  }, 600_000);
});
