// Makes the answers of a hostile git server: invented refs, an endless list or pack, a redirect. The answers are in
// protocol version 0, which every client still understands (gitprotocol-http(5), gitprotocol-pack(5)).

import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { deflateSync } from 'node:zlib';

export type HostileBehaviour =
  /** advertises exactly these, `<oid> <name>`; fetches work normally */
  | { readonly refs: readonly string[] }
  | { readonly endless: 'refs' | 'pack' }
  /** every request is redirected there, followed by its own path */
  | { readonly redirect: string };

export function hostileAnswers(
  behaviour: HostileBehaviour,
  url: URL,
  request: IncomingMessage,
  response: ServerResponse,
  serveWell: () => void,
): void {
  if ('redirect' in behaviour) {
    response.writeHead(302, { Location: `${behaviour.redirect}${url.pathname}${url.search}` }).end();
    return;
  }
  delete request.headers['git-protocol'];
  const asksForRefs = request.method === 'GET';
  if ('refs' in behaviour) return asksForRefs ? advertise(response, behaviour.refs) : serveWell();
  if (behaviour.endless === 'refs') return asksForRefs ? advertise(response, manyRefs, true) : serveWell();
  return asksForRefs ? serveWell() : sendPack(request, response);
}

const packet = (payload: string | Buffer): Buffer => {
  const bytes = Buffer.from(payload);
  return Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, '0')), bytes]);
};
const flush = Buffer.from('0000');

const manyRefs = Array.from(
  { length: 1000 },
  (_, index) => `${'12'.repeat(20)} refs/heads/branch-${index}-${'x'.repeat(200)}`,
);

function advertise(response: ServerResponse, refs: readonly string[], endless = false): void {
  response.writeHead(200, { 'Content-Type': 'application/x-git-upload-pack-advertisement' });
  response.write(Buffer.concat([packet('# service=git-upload-pack\n'), flush]));
  write(response, refPackets(refs, endless));
}

function* refPackets(refs: readonly string[], endless: boolean): Generator<Buffer> {
  const first = refs
    .slice(0, 1)
    .map((ref) => packet(Buffer.from(`${ref}\0side-band-64k ofs-delta agent=hostile\n`, 'latin1')));
  yield Buffer.concat(first);
  const others = Buffer.concat(refs.slice(1).map((ref) => packet(Buffer.from(`${ref}\n`, 'latin1'))));
  do yield others;
  while (endless);
  yield flush;
}

/** New objects in side band 1, without an end. */
function sendPack(request: IncomingMessage, response: ServerResponse): void {
  request.resume();
  response.writeHead(200, { 'Content-Type': 'application/x-git-upload-pack-result' });
  response.write(packet('NAK\n'));
  write(response, packPackets());
}

function* packPackets(): Generator<Buffer> {
  const inBand = (bytes: Buffer): Buffer => packet(Buffer.concat([Buffer.from([1]), bytes]));
  yield inBand(Buffer.from([0x50, 0x41, 0x43, 0x4b, 0, 0, 0, 2, 0, 0x0f, 0xff, 0xff]));
  for (;;) {
    const content = randomBytes(60_000);
    // type 3 (blob) and the size, least significant bits first
    const head = Buffer.from([
      0x80 | (3 << 4) | (content.length & 15),
      0x80 | ((content.length >> 4) & 127),
      (content.length >> 11) & 127,
    ]);
    yield inBand(Buffer.concat([head, deflateSync(content, { level: 0 })]));
  }
}

/** Sends as fast as the other side reads. */
function write(response: ServerResponse, chunks: Generator<Buffer>): void {
  const more = (): void => {
    for (;;) {
      const next = chunks.next();
      if (response.destroyed) return;
      if (next.done === true) return void response.end();
      if (!response.write(next.value)) return void response.once('drain', more);
    }
  };
  more();
}
