// Tests a client that sends GOAWAY during a request and continues to send requests (I10 over HTTP/2). node:http2 resets
// later requests while nghttp2 is reading, which then writes to freed memory. glibc fills freed memory here, so that
// one such write crashes the process soon.

import { once } from 'node:events';
import { connect as connectTls } from 'node:tls';
import { afterAll, describe, expect, it } from 'vitest';
import { createAuthority } from '../util/certificate.ts';
import { connectHttp2 } from '../util/http2-client.ts';
import { frame, opening, requestFrame, requestHeaders } from '../util/http2-frames.ts';
import { startCli } from '../util/run-cli.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';

const goaway = Buffer.concat([
  opening,
  frame('HEADERS', 4, 1, requestHeaders('/api/auth/login', 'none', { ':method': 'POST' })), // its body never arrives
  frame('GOAWAY', 0, 0, Buffer.alloc(8)),
  ...Array.from({ length: 20 }, (_, at) => requestFrame(2 * at + 3, '/packages.json', 'none')),
]);

describe.skipIf(lacks('openssl'))('GOAWAY from the client', () => {
  const folder = temporaryFolder('goaway');
  afterAll(() => folder.remove());

  it('does not crash the server, and the server ends normally', async () => {
    const authority = createAuthority(folder.path);
    const { certFile, keyFile } = authority.issue('one');
    const environment = {
      GLIBC_TUNABLES: 'glibc.malloc.tcache_count=0:glibc.malloc.perturb=165:glibc.malloc.mxfast=0',
    };
    const server = startCli(['serve', '--listen', '127.0.0.1:0', '--tls-cert', certFile, '--tls-key', keyFile], {
      cwd: folder.path,
      environment,
    });
    const port = Number((await server.shows(/on https:\/\/127\.0\.0\.1:(\d+)/))[1]);
    for (let turn = 0; turn < 60; turn += 1) {
      const socket = connectTls({ port, host: 'localhost', ca: authority.pem, ALPNProtocols: ['h2'] });
      socket.on('error', () => undefined).resume();
      await once(socket, 'secureConnect');
      socket.write(goaway);
      await Promise.race([once(socket, 'data'), once(socket, 'close')]);
      await new Promise((resolve) => setTimeout(resolve, 10));
      socket.destroy();
    }
    await using client = await connectHttp2(port, authority);
    expect((await client.ask('/health')).status).toBe(200);
    await client[Symbol.asyncDispose]();
    server.signal('SIGTERM');
    expect((await server.ended).exitCode).toBe(0);
  });
});
