// One connection that speaks HTTP/2: what its client may take of the server, and how it ends without breaking off what
// is being answered. nghttp2 itself ends a connection that floods with pings or settings whose acknowledgements it does
// not read, with continuations, with frames that make no sense. Of one that takes its requests back (CVE-2023-44487) it
// only takes no further ones; here it is ended. After some faults node:http2 keeps a connection on which nothing moves
// any more and does not hear that its client left: nothing here waits for a client without an end.
//
// What node:http2 calls here it calls while nghttp2 is still reading the frame. Resetting a stream there sends at once,
// may free the stream of that frame, and nghttp2 writes to it afterwards: the process breaks (seen with Node 20.20). So
// streams and sessions are ended from setImmediate only, and a session never is `closed` without being destroyed: of
// such a one node:http2 resets each further stream by itself, in the very same place.

import {
  constants,
  Http2ServerRequest,
  performServerHandshake,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { TLSSocket } from 'node:tls';
import { isInProgress, type HttpRequest, type HttpResponse } from '../http-request.ts';
import type { Waiting } from '../idle-connections.ts';
import type { ServerLimits } from '../server-limits.ts';
import { dropBody, giveUp } from '../stream-answer.ts';

export interface Http2Parts {
  readonly limits: Pick<
    ServerLimits,
    'headersTimeoutMs' | 'requestTimeoutMs' | 'keepAliveTimeoutMs' | 'maxHeaderBytes'
  >;
  readonly handle: (request: HttpRequest, response: HttpResponse) => void;
  /** hears of a connection that was ended because it broke the protocol */
  readonly onMalformed: (socket: TLSSocket, reason: string) => void;
  /** monotonic milliseconds */
  readonly elapsed: () => number;
}

const maxStreams = 100;
/**
 * The bytes of a body that a client may send before any is read, so that an upload over a long distance does not wait
 * all the time.
 */
const windowBytes = 256 * 1024;
/** More than are let in: `admit` refuses them, with an answer that says why. */
const maxHeaderPairs = 256;
/** Streams that a client may take back, if it lets fewer be answered. */
const maxTakenBack = 200;
/** The time that a client has to close its side after the end of the connection is announced. */
const farewellMs = 1000;
/** After this time without any byte to a client with an open answer, no byte will leave any more. */
const silentMs = 3000;

export class Http2Connection {
  readonly #session: ServerHttp2Session;
  readonly #socket: TLSSocket;
  readonly #parts: Http2Parts;
  #timer: NodeJS.Timeout | undefined;
  readonly #open = new Set<Http2ServerRequest & HttpRequest>();
  #answered = 0;
  #takenBack = 0;
  /** when the connection opened, or its last stream began or ended */
  #sinceMs: number;
  #isFinishing = false;
  #isFlooding = false;
  /** node:http2's own */
  readonly #closeSession: () => void;

  /** For a socket whose TLS is up and which has sent nothing yet. */
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
    // node:http2 calls it when the client says GOAWAY
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
   * Accepts no further request, and ends with the last answer. The GOAWAY says which requests were accepted, so that a
   * client can safely send later ones to another server (RFC 9113 §6.8). nghttp2 has a call to announce the end first
   * and accept requests on their way; node:http2 has none. Each GOAWAY of its own refuses at once, and so does a limit
   * of no streams.
   */
  finish(): void {
    if (this.#isFinishing) return;
    this.#isFinishing = true;
    const before = this.#socket.bytesWritten;
    if (!this.#session.destroyed) this.#session.goaway(constants.NGHTTP2_NO_ERROR);
    if (this.#open.size === 0) this.#part();
    else this.#timer = setTimeout(() => this.#socket.bytesWritten === before && this.cut(), silentMs);
  }

  /** undefined while a stream is in progress: its request has arrived, and its client takes the answer. */
  waiting(nowMs: number): Waiting | undefined {
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
    this.#cutIn(farewellMs);
  }

  #begin(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, rawHeaders: readonly string[]): void {
    stream.on('error', () => undefined); // the client's doing; whoever sends the answer sees that the stream is closed
    if (stream.destroyed || stream.closed) {
      this.#noteEnd(stream); // before it was looked at
      return;
    }
    if (this.#isFinishing) {
      // it crossed the GOAWAY, by which its client knows that it was not taken and may be sent elsewhere: so it must
      // not be
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
    const late = setTimeout(() => giveUp(stream), this.#parts.limits.requestTimeoutMs);
    request.once('end', () => clearTimeout(late));
    stream.once('aborted', () => dropBody(stream));
    stream.once('close', () => clearTimeout(late));
  }

  #noteEnd(stream: ServerHttp2Stream): void {
    if (stream.rstCode === constants.NGHTTP2_NO_ERROR) this.#answered += 1;
    else this.#takenBack += 1;
    if (
      this.#takenBack <= maxTakenBack ||
      this.#takenBack <= this.#answered ||
      this.#session.destroyed ||
      this.#isFlooding
    )
      return;
    this.#isFlooding = true;
    this.#parts.onMalformed(this.#socket, 'HTTP2_RESETS');
    setImmediate(() =>
      this.#session.destroy(
        new Error('the client takes back more requests than it lets be answered'),
        constants.NGHTTP2_ENHANCE_YOUR_CALM,
      ),
    );
    this.#cutIn(farewellMs);
  }

  #ended(stream: ServerHttp2Stream, request: Http2ServerRequest & HttpRequest): void {
    this.#noteEnd(stream);
    this.#open.delete(request);
    if (this.#open.size > 0 || this.#socket.destroyed) return;
    this.#sinceMs = this.#parts.elapsed();
    if (this.#isFinishing) this.#part();
    else if (this.#session.destroyed) this.#cutIn(farewellMs);
    else this.#endIn(this.#parts.limits.keepAliveTimeoutMs);
  }

  /** Unless a request comes before. Frames that are none (pings, settings) keep nothing alive. */
  #endIn(milliseconds: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.finish(), milliseconds);
  }

  #cutIn(milliseconds: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.cut(), milliseconds);
  }
}
