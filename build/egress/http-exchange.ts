// One HTTP request and its response, by Node's own client. The body may be read slowly, late or not at all: the
// connection then waits. An early end of the body is an error of the body. Node's client is used because undici 7 ends
// the process when a response is over while its body waits (nodejs/undici#5360).

import { request as requestHttp, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { pipeline, type Readable } from 'node:stream';
import type { GuardedAgent } from './guarded-agent.ts';

export interface OutgoingRequest {
  readonly headers: Readonly<Record<string, string>>;
  /** ends the request, and the body of its response */
  readonly signal: AbortSignal;
  /** Pieces are read as fast as they are sent. They come with a header Content-Length. */
  readonly body?: string | Buffer | AsyncIterable<Buffer> | undefined;
  /** default: GET without a body, POST with one */
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | undefined;
}

export interface IncomingResponse {
  readonly status: number;
  /** by lower-case name; a repeated header is ambiguous, and omitted */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /**
   * Ends with an error if the connection ends before the body. The reader must read the body to its end, or destroy it.
   */
  readonly body: Readable;
}

/** Rejects with Node's error, with HttpTimeout, or with the reason of the signal. A 1xx response is passed over. */
export function exchangeHttp(url: URL, agent: GuardedAgent, request: OutgoingRequest): Promise<IncomingResponse> {
  return send(url, agent, request, false);
}

/** `code` as Node's errors have one. */
export class HttpTimeout extends Error {
  readonly code: string;

  constructor(code: 'CONNECT_TIMEOUT' | 'SILENCE_TIMEOUT', message: string) {
    super(message);
    this.code = code;
  }
}

/** `anew`: on a new connection. */
function send(url: URL, agent: GuardedAgent, given: OutgoingRequest, anew: boolean): Promise<IncomingResponse> {
  const { headers, signal, body, method = body === undefined ? 'GET' : 'POST' } = given;
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const secure = url.protocol === 'https:';
    const pooledAgent = secure ? agent.https : agent.http;
    const options = {
      agent: anew ? false : pooledAgent,
      lookup: agent.lookup,
      headers,
      method,
      timeout: agent.idleTimeoutMs,
    };
    const request = (secure ? requestHttps : requestHttp)(url, options);
    let response: IncomingMessage | undefined;
    const fail = (error: Error): void => void (response ?? request).destroy(error);
    const onAbort = (): void => fail(signal.reason as Error);
    signal.addEventListener('abort', onAbort);
    request.on('close', () => signal.removeEventListener('abort', onAbort));
    watchConnecting(request, secure, agent.connectTimeoutMs);
    request.on('timeout', () => {
      // a body that waits for its reader is not silent
      if (response !== undefined && response.readableLength > 0) request.socket?.setTimeout(agent.idleTimeoutMs);
      else fail(new HttpTimeout('SILENCE_TIMEOUT', `nothing came for ${agent.idleTimeoutMs / 1000} s`));
    });
    // the listener stays: errors of the connection come after the response, too
    request.on('error', (error) => {
      if (response?.complete === false) response.destroy(error);
      // RFC 9112 §9.3.1: the server may have closed an idle connection while the request was in transit
      else if (request.reusedSocket && body === undefined && isReset(error)) resolve(send(url, agent, given, true));
      else reject(error);
    });
    request.on('response', (incoming) => {
      response = incoming.on('error', () => undefined); // the reader of the body receives the error, at any later time
      resolve({ status: incoming.statusCode ?? 0, headers: singleHeaders(incoming), body: incoming });
    });
    // a failure of the pieces ends the request, and is its error; Node sends no rest of them after an early answer
    if (typeof body === 'object' && !Buffer.isBuffer(body)) pipeline(body, request, (error) => error && reject(error));
    else request.end(body);
  });
}

/** Until there is a connection that a request can be sent on, with TLS agreed on. */
function watchConnecting(request: ClientRequest, secure: boolean, timeoutMs: number): void {
  request.on('socket', (socket) => {
    if (!socket.connecting) return;
    const late = (): void =>
      void request.destroy(new HttpTimeout('CONNECT_TIMEOUT', `there was no connection within ${timeoutMs / 1000} s`));
    const timer = setTimeout(late, timeoutMs);
    const settle = (): void => clearTimeout(timer);
    socket.once(secure ? 'secureConnect' : 'connect', settle).once('close', settle);
  });
}

function isReset(error: Error): boolean {
  return 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
}

function singleHeaders({ headersDistinct }: IncomingMessage): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(
    Object.entries(headersDistinct).flatMap(([name, values = []]) => (values.length === 1 ? [[name, values[0]]] : [])),
  );
}
