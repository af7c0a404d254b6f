// x
import { once } from 'node:events';
import { connect as connectTls } from 'node:tls';
import { expect, it } from 'vitest';
import { createAuthority } from '../util/certificate.ts';
import { frame, opening, requestFrame, resetFrame } from '../util/http2-frames.ts';
import { connectHttp2 } from '../util/http2-client.ts';
import { runProxy } from '../util/running-proxy.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { zipBytes } from '../util/tree.ts';
it('x', async () => {
  const folder = temporaryFolder('tls');
  const authority = createAuthority(folder.path);
  const served = await runProxy({ certificate: authority.issue('one'), tokens: { reader: 0 }, limits: { stallTimeoutMs: 60, keepAliveTimeoutMs: 80, headersTimeoutMs: 200, requestTimeoutMs: 200 } });
  served.tree.put('acme/hello', [{ version: '1.0.0', normalized: '1.0.0.0', zip: zipBytes('large', 3_000_000) }]); served.tree.publish();
  const until = Date.now() + 70_000;
  const one = async (): Promise<void> => {
    const mode = Math.floor(Math.random() * 4);
    const socket = connectTls({ port: served.port, host: 'localhost', ca: authority.pem, ALPNProtocols: ['h2'] });
    socket.on('error', () => undefined);
    await once(socket, 'secureConnect').catch(() => undefined);
    if (mode > 0) socket.resume();
    socket.write(opening);
    if (mode < 2) socket.write(frame('SETTINGS', 0, 0, Buffer.from([0, 4, 0, 0, 0, 0])));
    const n = Math.floor(Math.random() * 120);
    for (let at = 0; at < n; at += 1) {
      socket.write(requestFrame(2 * at + 1, ['/dist/acme/hello/1.0.0.zip', '/p2/acme/hello.json', '/packages.json'][at % 3] as string, 'reader'));
      if (mode === 3 && Math.random() < 0.3) socket.write(resetFrame(2 * at + 1));
      if (Math.random() < 0.05) await new Promise((r) => setTimeout(r, Math.random() * 30));
      if (Math.random() < 0.02) socket.write(frame('WINDOW_UPDATE', 0, 2 * at + 1, Buffer.from([0, 1, 0, 0])));
      if (Math.random() < 0.01) socket.write(frame('PING', 0, 0, Buffer.alloc(7)));
    }
    await new Promise((r) => setTimeout(r, Math.random() * 200));
    socket.destroy();
  };
  let rounds = 0;
  while (Date.now() < until) { await Promise.all(Array.from({ length: 8 }, one)); rounds += 8; }
  await using client = await connectHttp2(served.port, authority);
  expect((await client.ask('/packages.json')).status).toBe(200);
  console.log('rounds', rounds, served.lines.length, served.proxy.connections(), served.lines.filter((l) => l['level'] === 50).length);
}, 120000);
