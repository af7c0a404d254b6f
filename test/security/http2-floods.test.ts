// Tests floods of every kind of HTTP/2 frame: a connection that floods is ended, other connections are served, and the
// process continues (I10).

import { once } from 'node:events';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAuthority, type Authority } from '../util/certificate.ts';
import { eventually, openFilesBelow } from '../util/eventually.ts';
import { connectHttp2 } from '../util/http2-client.ts';
import { flags, frame, literal, opening, requestFrame, requestHeaders, resetFrame } from '../util/http2-frames.ts';
import { runProxy, type RunningProxy } from '../util/running-proxy.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';
import { zipBytes } from '../util/hand-made-tree.ts';

describe.skipIf(lacks('openssl'))('floods over HTTP/2', () => {
  const folder = temporaryFolder('tls');
  let authority: Authority;
  let served: RunningProxy;

  beforeAll(async () => {
    authority = createAuthority(folder.path);
    served = await runProxy({
      certificate: authority.issue('one'),
      tokens: { reader: 0 },
      limits: { stallTimeoutMs: 2000 },
    });
    served.tree.put('acme/hello', [{ version: '1.0.0', normalized: '1.0.0.0', zip: zipBytes('large', 5_000_000) }]);
    served.tree.publish();
  });
  afterAll(async () => {
    await served[Symbol.asyncDispose]();
    await folder.remove();
  });

  async function open(): Promise<TLSSocket> {
    const socket = connectTls({ port: served.port, host: 'localhost', ca: authority.pem, ALPNProtocols: ['h2'] });
    socket.on('error', () => undefined);
    await once(socket, 'secureConnect');
    socket.write(opening);
    return socket;
  }

  async function expectHealthy(): Promise<void> {
    await using client = await connectHttp2(served.port, authority);
    expect((await client.ask('/packages.json')).status).toBe(200);
  }

  /**
   * Writes the result of `next` for 0, 1, 2… until the server ends the connection. Returns how many it accepted, and
   * fails at `most`.
   */
  async function flood(socket: TLSSocket, most: number, next: (at: number) => Buffer): Promise<number> {
    let ended = false;
    socket.once('close', () => (ended = true));
    socket.once('end', () => (ended = true));
    let at = 0;
    for (; at < most && !ended; at += 100) {
      const more = socket.write(Buffer.concat(Array.from({ length: 100 }, (_, offset) => next(at + offset))));
      await (more
        ? new Promise((resolve) => setImmediate(resolve))
        : Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => undefined)); // reset meanwhile
    }
    if (!ended) await Promise.race([once(socket, 'close'), once(socket, 'end')]);
    await expectHealthy();
    socket.destroy();
    return at;
  }

  it('streams that are cancelled at once (CVE-2023-44487) end the connection soon', async () => {
    const before = served.lines.length;
    const socket = await open();
    socket.resume();
    const sent = await flood(socket, 100_000, (at) =>
      Buffer.concat([requestFrame(2 * at + 1, '/packages.json', 'reader'), resetFrame(2 * at + 1)]),
    );
    expect(sent).toBeLessThan(5000);
    expect(served.lines.length - before).toBeLessThan(1000);
    expect(served.lines.some((line) => line['reason'] === 'HTTP2_RESETS')).toBe(true);
  });

  it.each([
    ['pings', () => frame('PING', 0, 0, Buffer.alloc(8))],
    ['settings', () => frame('SETTINGS', 0, 0)],
  ])('%s whose acknowledgements the client never reads end the connection', async (_name, next) => {
    const socket = await open();
    socket.pause();
    const one = next();
    const some = Buffer.concat(Array.from({ length: 500 }, () => one));
    await flood(socket, 40_000, () => some);
  });

  it('endless headers end the connection', async () => {
    const socket = await open();
    socket.resume();
    socket.write(frame('HEADERS', flags.endStream, 1, requestHeaders('/packages.json', 'reader')));
    await flood(socket, 10_000, (at) => frame('CONTINUATION', 0, 1, literal(`x-${at}`, 'a'.repeat(100))));
  });

  it('empty frames of an unwanted body end the connection', async () => {
    const socket = await open();
    socket.resume();
    socket.write(frame('HEADERS', flags.endHeaders, 1, requestHeaders('/packages.json', 'reader')));
    await flood(socket, 200_000, () => frame('DATA', 0, 1));
  });

  it('invalid frames end the connection', async () => {
    const socket = await open();
    socket.resume();
    await flood(socket, 10_000, (at) => frame('WINDOW_UPDATE', 0, 2 * at + 1, Buffer.from([0, 0, 0, 0])));
  });

  it('headers that are small on the wire and large in memory are refused', async () => {
    const socket = await open();
    const replies: Buffer[] = [];
    socket.on('data', (part: Buffer) => replies.push(part));
    // one entry in the table (RFC 7541 §6.2.1), then one byte for each repetition
    const bomb = Buffer.concat([
      requestHeaders('/packages.json', 'reader'),
      Buffer.from([0x40]),
      literal('x-bomb', 'a'.repeat(3000)).subarray(1),
      Buffer.alloc(2000, 0x80 | 62),
    ]);
    socket.write(frame('HEADERS', flags.endStream | flags.endHeaders, 1, bomb));
    // ENHANCE_YOUR_CALM, or INTERNAL_ERROR: nghttp2 finds one of its limits first
    const refusals = [11, 2].map((code) => frame('RST_STREAM', 0, 1, Buffer.from([0, 0, 0, code])));
    await eventually(() => refusals.some((refusal) => Buffer.concat(replies).includes(refusal)));
    await expectHealthy();
    socket.destroy();
  });

  it('row 20: a hundred archives without room at the client are the most that wait, and are given up in the end', async () => {
    const before = served.lines.length;
    const socket = await open();
    const replies: Buffer[] = [];
    socket.on('data', (part: Buffer) => replies.push(part));
    socket.write(frame('SETTINGS', 0, 0, Buffer.from([0, 4, 0, 0, 0, 0]))); // INITIAL_WINDOW_SIZE 0
    for (let at = 0; at < 150; at += 1) socket.write(requestFrame(2 * at + 1, '/dist/acme/hello/1.0.0.zip', 'reader'));
    // REFUSED_STREAM
    const refused = (at: number): boolean =>
      Buffer.concat(replies).includes(frame('RST_STREAM', 0, 2 * at + 1, Buffer.from([0, 0, 0, 7])));
    await eventually(() => refused(149));
    expect(Array.from({ length: 150 }, (_, at) => at).filter(refused)).toEqual(
      Array.from({ length: 50 }, (_, at) => 100 + at),
    );
    await expectHealthy();
    await eventually(
      () =>
        openFilesBelow(served.tree.data) === 0 &&
        served.lines.slice(before).filter((line) => line['aborted'] === true).length === 100,
    );
    socket.destroy();
  });
});
