// A request and its answer as the pipeline sees them, for both versions of HTTP. The request classes of node:http and
// node:http2 share this shape. The answer goes to a ServerResponse or, with HTTP/2, to the stream itself.

import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';

export interface HttpRequest extends Readable {
  readonly method?: string | undefined;
  /** the unchanged target: path and query */
  readonly url?: string | undefined;
  readonly headers: IncomingHttpHeaders;
  /** name, value, name, value; with HTTP/2 the pseudo headers too */
  readonly rawHeaders: readonly string[];
  readonly httpVersion: string;
  readonly httpVersionMajor: number;
  /**
   * True when the request broke off. An aborted HTTP/2 body may end as if it were complete: its reader has to check
   * this field.
   */
  readonly aborted: boolean;
  /** True once its body has arrived in full; over HTTP/2 once it was read, too. */
  readonly complete: boolean;
  /** true while it holds a slot for uploads, of which there are few, and which have a least speed */
  holdsSlot?: boolean;
  /**
   * Set while the client has not read a piece of its answer: at this time, in monotonic milliseconds, the client starts
   * to count as one that reads nothing.
   */
  stalledFromMs?: number | undefined;
  readonly socket: Socket;
}

/** A request that came over HTTP/2. */
export interface StreamRequest extends HttpRequest {
  readonly stream: ServerHttp2Stream;
}

/** True once the client no longer waits for the answer. */
export function isGone(request: HttpRequest): boolean {
  return isStreamRequest(request) ? request.stream.closed : request.socket.destroyed;
}

export type HttpResponse = ServerResponse | ServerHttp2Stream;

export function isStreamRequest(request: HttpRequest): request is StreamRequest {
  return request.httpVersionMajor === 2;
}

/** Waits for the client to take a piece of an answer, which has been written. `fromMs`: see `stalledFromMs`. */
export async function untilTaken(request: HttpRequest, leaving: Promise<void>, fromMs: number): Promise<void> {
  request.stalledFromMs = fromMs;
  await leaving;
  request.stalledFromMs = undefined;
}

/**
 * False while the request waits for its body, unless it is an upload with a slot; and while its client does not read
 * the answer.
 */
export function isInProgress(request: HttpRequest, nowMs: number): boolean {
  if (request.stalledFromMs !== undefined && nowMs >= request.stalledFromMs) return false;
  return request.complete || request.holdsSlot === true || (isStreamRequest(request) && request.stream.endAfterHeaders);
}

export function isStream(response: HttpResponse): response is ServerHttp2Stream {
  return 'respond' in response;
}

/** `100 Continue`, to a client that waits for it before it sends its body. */
export function writeContinue(response: HttpResponse): void {
  if (!isStream(response)) response.writeContinue();
  else if (!response.closed && !response.destroyed) response.additionalHeaders({ ':status': 100 });
}

/** Aborts an answer, so that no client accepts it as complete. */
export function cutOff(response: HttpResponse): void {
  if (isStream(response)) setImmediate(() => response.close(internalError)); // deferred: see Http2Connection
  else response.destroy();
}

/** The status that was sent, or would have been. */
export function statusSent(response: HttpResponse): number {
  return isStream(response) ? Number(response.sentHeaders?.[':status'] ?? 500) : response.statusCode;
}

// The HTTP/2 error codes that end streams (RFC 9113 §7). node:http2 has these codes too, but its import would slow
// every start, and most servers speak HTTP/1.1 alone.
export const noError = 0;
const internalError = 2;
export const cancel = 8;
