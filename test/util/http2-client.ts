// Requests over HTTP/2 on one connection, with node:http2's client.

import { once } from 'node:events';
import {
  connect,
  constants,
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type OutgoingHttpHeaders,
} from 'node:http2';
import type { Authority } from './certificate.ts';

export interface Http2Reply {
  readonly status: number;
  /** without pseudo headers */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly json: () => Record<string, unknown>;
}

export interface Http2Client extends AsyncDisposable {
  readonly session: ClientHttp2Session;
  /**
   * Sends a request with the token `reader` unless the headers name another. Rejects where the stream is reset before
   * the answer ends.
   */
  readonly ask: (path: string, headers?: OutgoingHttpHeaders, body?: Buffer | string) => Promise<Http2Reply>;
  /** The bare stream after its request headers; `endStream: false` leaves it open for a body. */
  readonly open: (path: string, headers?: OutgoingHttpHeaders, endStream?: boolean) => ClientHttp2Stream;
}

export async function connectHttp2(port: number, authority: Pick<Authority, 'pem'>): Promise<Http2Client> {
  const session = connect(`https://localhost:${port}`, { ca: authority.pem, settings: { enablePush: false } });
  session.on('error', () => undefined); // tests check the outcome of the requests
  await once(session, 'connect');
  const open: Http2Client['open'] = (path, headers = {}, endStream = true) => {
    const stream = session.request({ ':path': path, authorization: 'Bearer reader', ...headers }, { endStream });
    stream.on('error', () => undefined);
    return stream;
  };
  return {
    session,
    open,
    ask: (path, headers, body) => {
      const stream = open(path, headers, body === undefined);
      if (body !== undefined) stream.end(body);
      return replyOf(stream);
    },
    [Symbol.asyncDispose]: async () => {
      if (session.destroyed) return;
      session.destroy();
      await once(session, 'close');
    },
  };
}

/** Reads the whole answer; rejects where it breaks off. */
export function replyOf(stream: ClientHttp2Stream): Promise<Http2Reply> {
  return new Promise((resolve, reject) => {
    let answer: Record<string, unknown> = {};
    const parts: Buffer[] = [];
    let ended = false;
    stream.on('response', (headers) => (answer = headers));
    stream.on('data', (part: Buffer) => parts.push(part));
    stream.on('end', () => (ended = true));
    stream.on('close', () => {
      const { ':status': status, ...headers } = answer;
      if (status === undefined || !ended || stream.rstCode !== constants.NGHTTP2_NO_ERROR) {
        reject(
          Object.assign(new Error(`the stream was closed with code ${stream.rstCode}`), {
            rstCode: stream.rstCode,
            status,
          }),
        );
        return;
      }
      const body = Buffer.concat(parts);
      resolve({
        status: Number(status),
        headers: Object.fromEntries(Object.entries(headers)) as Record<string, string>,
        body,
        json: () => JSON.parse(body.toString()) as Record<string, unknown>,
      });
    });
  });
}
