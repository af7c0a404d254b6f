// One HTTP/2 connection: limits its client's use of the server, and ends without aborting answers in progress. nghttp2
// itself ends a connection that floods with pings, unread settings acknowledgements, continuations or senseless frames.
// If a client cancels its requests in bulk (CVE-2023-44487), nghttp2 only accepts no further ones; this class ends the
// connection. After some faults node:http2 of Node 20 keeps a stalled connection, and does not notice that its client
// left; node:http2 of Node 24 ends the connection at once. So every wait for a client has an end.
//
// node:http2 calls the listeners here while nghttp2 is still reading the frame. A reset at that moment sends
// immediately and may free the stream of that frame. nghttp2 then writes to the freed stream, and the process crashes
// (seen with Node 20.20). So streams and sessions are ended from setImmediate only. A session is never `closed` without
// being destroyed: node:http2 resets each further stream of such a session, at the same moment.

import {
  constants,
  Http2ServerRequest,
  performServerHandshake,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { isInProgress, type HttpRequest, type HttpResponse } from '../http-request.ts';
import type { WaitingConnection } from '../idle-connections.ts';
import type { ServerLimits } from '../server-limits.ts';
import { dropBody, resetStream } from '../stream-answer.ts';

export interface Http2Parts {
  readonly limits: Pick<
    ServerLimits,
    'headersTimeoutMs' | 'requestTimeoutMs' | 'keepAliveTimeoutMs' | 'maxHeaderBytes'
  >;
  readonly handle: (request: HttpRequest, response: HttpResponse) => void;
  /** called with a connection that was ended because it broke the protocol */
  readonly onMalformed: (socket: Socket, reason: string) => void;
  /** monotonic milliseconds */
  readonly elapsed: () => number;
}

const maxStreams = 100;
/**
 * The bytes of a body that a client may send before the first read, so that an upload over a long distance does not
 * wait at each step.
 */
const windowBytes = 256 * 1024;
/** More headers than accepted: `admit` refuses them with an explaining answer. */
const maxHeaderPairs = 256;
/** Streams that a client may cancel (rapid reset), if it lets fewer be answered. */
const maxCancelled = 200;
/** The time that a client has to close its side after the end of the connection is announced. */
const closeGraceMs = 1000;
/** A client with an open answer that has received no byte for this time will receive none later. */
const deadClientMs = 3000;

export class Http2Connection {
  readonly #session: ServerHttp2Session;
  readonly #socket: TLSSocket;
  readonly #parts: Http2Parts;
  #timer: NodeJS.Timeout | undefined;
  readonly #open = new Set<Http2ServerRequest & HttpRequest>();
  #answered = 0;
  #cancelled = 0;
  /** time of the opening of the connection, or of the last start or end of a stream */
  #sinceMs: number;
  #isFinishing = false;
  #isFlooding = false;
  /** node:http2's own */
  readonly #closeSession: () => void;

  /** Takes a socket after its TLS handshake and before its first byte. */
  constructor(socket: TLSSocket, parts: Http2Parts) {
    this.#socket = socket;
    this.#parts = parts;
    this.#sinceMs = parts.elapsed();
    this.#session = performServerHandshake(socket, {
      maxSessionInvalidFrames: 100,
      maxSessionRejectedStreams: 100,
      maxHeaderListPairs: maxHeaderPairs,
      settings: {
        maxConcurrentStreams: maxStreams,
        initialWindowSize: windowBytes,
        maxHeaderListSize: 2 * parts.limits.maxHeaderBytes,
      },
    });
    this.#closeSession = this.#session.close.bind(this.#session);
    // node:http2 calls it when the client sends GOAWAY
    this.#session.close = () => void setImmediate(() => this.finish());
    this.#session.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code?.startsWith('ERR_HTTP2_') === true) parts.onMalformed(socket, error.code);
    });
    this.#session.on(
      'stream',
      (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, _flags: number, rawHeaders: readonly string[] = []) =>
        this.#begin(stream, headers, rawHeaders),
    );
    socket.once('close', () => clearTimeout(this.#timer));
    this.#endIn(parts.limits.headersTimeoutMs);
  }

  /**
   * Accepts no further request, and ends with the last answer. The GOAWAY names the accepted requests, so that a client
   * can safely send later ones to another server (RFC 9113 §6.8). nghttp2 has a call to announce the end first and
   * accept requests in transit; node:http2 has none. A separate GOAWAY refuses immediately, and so does a limit of zero
   * streams.
   */
  finish(): void {
    if (this.#isFinishing) return;
    this.#isFinishing = true;
    const before = this.#socket.bytesWritten;
    if (!this.#session.destroyed) this.#session.goaway(constants.NGHTTP2_NO_ERROR);
    if (this.#open.size === 0) this.#part();
    else this.#cutUnlessWritten(before);
  }

  /**
   * Cuts the connection once nothing leaves it any more. Each time a PING has to leave: it leaves unless the client reads
   * nothing, also while the client makes no room for the answer.
   */
  #cutUnlessWritten(before: number): void {
    const check = (): void => {
      if (this.#open.size === 0 || this.#socket.destroyed) return;
      const written = this.#socket.bytesWritten;
      if (written === before || this.#session.destroyed) return this.cut();
      this.#session.ping(() => undefined);
      this.#cutUnlessWritten(written);
    };
    // timers run before writes: after a busy moment, the GOAWAY or the PING still has to leave
    this.#timer = setTimeout(() => setImmediate(check), deadClientMs);
  }

  /** undefined while a stream is in progress: its request has arrived, and its client takes the answer. */
  waiting(nowMs: number): WaitingConnection | undefined {
    for (const request of this.#open) if (isInProgress(request, nowMs)) return undefined;
    return { idle: this.#open.size === 0 && this.#answered > 0, sinceMs: this.#sinceMs };
  }

  cut(): void {
    this.#socket.destroy();
  }

  /** The GOAWAY has left before this runs. */
  #part(): void {
    setImmediate(() => {
      if (this.#open.size > 0 || this.#session.destroyed) return;
      this.#closeSession(); // for a session so marked node:http2 ends the socket in order
      this.#session.destroy();
    });
    this.#cutIn(closeGraceMs);
  }

  #begin(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, rawHeaders: readonly string[]): void {
    stream.on('error', () => undefined); // the client caused it; the sender sees the closed stream
    if (stream.destroyed || stream.closed) {
      this.#noteEnd(stream); // ended before this check
      return;
    }
    if (this.#isFinishing) {
      // the request crossed the GOAWAY: its client knows that it was not accepted and may send it elsewhere, so the
      // server must refuse it
      setImmediate(() => stream.close(constants.NGHTTP2_REFUSED_STREAM));
      return;
    }
    const request = new Http2ServerRequest(stream, headers, {}, rawHeaders) as Http2ServerRequest & HttpRequest;
    this.#open.add(request);
    this.#sinceMs = this.#parts.elapsed();
    clearTimeout(this.#timer);
    stream.once('close', () => this.#ended(stream, request));
    if (!stream.endAfterHeaders) this.#limitBody(stream, request);
    this.#parts.handle(request, stream);
  }

  #limitBody(stream: ServerHttp2Stream, request: Http2ServerRequest): void {
    const late = setTimeout(() => resetStream(stream), this.#parts.limits.requestTimeoutMs);
    request.once('end', () => clearTimeout(late));
    stream.once('aborted', () => dropBody(stream));
    stream.once('close', () => clearTimeout(late));
  }

  #noteEnd(stream: ServerHttp2Stream): void {
    if (stream.rstCode === constants.NGHTTP2_NO_ERROR) this.#answered += 1;
    else this.#cancelled += 1;
    if (
      this.#cancelled <= maxCancelled ||
      this.#cancelled <= this.#answered ||
      this.#session.destroyed ||
      this.#isFlooding
    )
      return;
    this.#isFlooding = true;
    this.#parts.onMalformed(this.#socket, 'HTTP2_RESETS');
    setImmediate(() =>
      this.#session.destroy(
        new Error('the client cancels more streams than it lets be answered'),
        constants.NGHTTP2_ENHANCE_YOUR_CALM,
      ),
    );
    this.#cutIn(closeGraceMs);
  }

  #ended(stream: ServerHttp2Stream, request: Http2ServerRequest & HttpRequest): void {
    this.#noteEnd(stream);
    this.#open.delete(request);
    if (this.#open.size > 0 || this.#socket.destroyed) return;
    this.#sinceMs = this.#parts.elapsed();
    if (this.#isFinishing) this.#part();
    else if (this.#session.destroyed) this.#cutIn(closeGraceMs);
    else this.#endIn(this.#parts.limits.keepAliveTimeoutMs);
  }

  /** Ends the connection unless a request arrives. Other frames (pings, settings) do not extend the time. */
  #endIn(milliseconds: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.finish(), milliseconds);
  }

  #cutIn(milliseconds: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.cut(), milliseconds);
  }
}
