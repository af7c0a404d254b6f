// Writes an answer to a connection. A body is sent in full or the connection is cut: never a short body that looks
// whole. A client that hangs up frees the file immediately.

import type { ServerResponse } from 'node:http';
import { allHeaders, type Answer, type OpenFile, type Sent, readChunk } from './answer.ts';
import type { MaybeAsync } from '../../../build/shared/concurrency/maybe-async.ts';
import { createHeadEnd } from './serialize-headers.ts';
import { isStream, untilTaken, type HttpRequest, type HttpResponse } from './http-request.ts';
import { sendOnStream } from './stream-answer.ts';
import { createWriteBatch } from './write-batch.ts';
import type { RawResponses } from './node-path.ts';

const chunkBytes = 128 * 1024;
/** The size of a turn for a body in memory: see `createTurns`. */
const turnBytes = 256 * 1024;
/** The kernel takes a smaller body in one write: watching the client would cost more than sending the body. */
const watchedFromBytes = 64 * 1024;
const nothing: Sent = { bytes: 0, aborted: false };

export interface SenderOptions {
  /** undefined: node:http makes the head of each answer */
  readonly rawResponses: RawResponses | undefined;
  readonly stallTimeoutMs: number;
  /** for the client to take a piece, before its connection counts as half-open */
  readonly writeStallMs: number;
  readonly keepAliveMs: number;
  /** epoch milliseconds */
  readonly now: () => number;
  /** monotonic milliseconds */
  readonly elapsed: () => number;
}

export interface Sender {
  /**
   * `closing`: tells an HTTP/1.1 client that this connection ends with this answer. Rejects if a file turns out shorter
   * than its recorded size.
   */
  readonly send: (request: HttpRequest, response: HttpResponse, answer: Answer, closing: boolean) => MaybeAsync<Sent>;
}

/**
 * Small answers leave together (write-batch.ts). The last answer of a connection leaves immediately: later bytes there
 * may be malformed, and node:http then cuts the connection. With HTTP/2 node:http2 batches the writes.
 * `stallTimeoutMs`: how long a stream of HTTP/2 may stall; a connection of HTTP/1.1 has that limit itself.
 * `keepAliveMs`: the server's keepAliveTimeout, which answers name.
 */
export function createSender(options: SenderOptions): Sender {
  const { rawResponses, stallTimeoutMs, writeStallMs, keepAliveMs, now, elapsed } = options;
  const headEnd = createHeadEnd(now, keepAliveMs);
  const stalledFrom = (): number => elapsed() + writeStallMs;
  const turn = createTurns();
  const batch = createWriteBatch(rawResponses);
  return {
    send: (request, response, answer, closing) => {
      if (isStream(response)) return sendOnStream(request, response, answer, { stallMs: stallTimeoutMs, stalledFrom });
      const { body, head } = answer;
      const toSend = request.method === 'HEAD' || body === undefined ? '' : body;
      if (head !== undefined && isShort(toSend) && !closing && rawResponses?.takes(response) === true)
        return batch.endRaw(response, answer.status, head + headEnd(), toSend);
      writeHead(response, answer, closing);
      if (body === undefined || request.method === 'HEAD') {
        if (closing) response.end();
        else batch.end(response, undefined);
        return typeof body === 'object' && 'handle' in body ? body.handle.close().then(() => nothing) : nothing;
      }
      if (typeof body !== 'string' && !Buffer.isBuffer(body)) return sendFile(response, request, body, stalledFrom);
      if (body.length > watchedFromBytes) return sendWatched(response, request, body, { turn, stalledFrom });
      if (!closing) return batch.end(response, body);
      response.end(body, 'latin1');
      return { bytes: body.length, aborted: response.destroyed };
    },
  };
}

function writeHead(response: ServerResponse, answer: Answer, closing: boolean): void {
  const headers = allHeaders(answer) as string[];
  response.writeHead(
    answer.status,
    closing && !headers.includes('Connection') ? [...headers, 'Connection', 'close'] : headers,
  );
}

function isShort(body: string | Buffer | OpenFile): body is string | Buffer {
  return typeof body === 'string' || (Buffer.isBuffer(body) && body.length <= watchedFromBytes);
}

/**
 * Resolves for one caller in each turn of the event loop. Copying a megabyte into the kernel takes a millisecond, and
 * each turn accepts one connection. If a burst of requests for large bodies were answered in one turn, connections of
 * other clients would wait behind all of them.
 */
function createTurns(): () => Promise<void> {
  const queue: (() => void)[] = [];
  const next = (): void => {
    queue.shift()?.();
    if (queue.length > 0) setImmediate(next);
  };
  return () => new Promise((resolve) => void (queue.push(resolve) === 1 && setImmediate(next)));
}

/** Sends in chunks like a file, so that one rule distinguishes a slow client from one that reads nothing. */
async function sendWatched(
  response: ServerResponse,
  request: HttpRequest,
  body: Buffer | string,
  { turn, stalledFrom }: { readonly turn: () => Promise<void>; readonly stalledFrom: () => number },
): Promise<Sent> {
  const closed = untilClosed(request);
  const bytes = typeof body === 'string' ? Buffer.from(body, 'latin1') : body;
  const write = async (piece: Buffer, isLast: boolean): Promise<void> => {
    if (!isLast) await turn();
    if (request.socket.destroyed) return;
    await new Promise<void>((resolve) => response.write(piece, () => resolve()));
  };
  let sent = 0;
  while (sent < bytes.length && !request.socket.destroyed) {
    const piece = bytes.subarray(sent, sent + turnBytes);
    sent += piece.length;
    await untilTaken(request, Promise.race([write(piece, sent === bytes.length), closed.promise]), stalledFrom());
  }
  closed.forget();
  if (!request.socket.destroyed) response.end();
  return { bytes: sent, aborted: request.socket.destroyed };
}

/**
 * Two buffers take turns: the next chunk is read while the last one leaves. The memory is the same for any speed of the
 * client.
 */
async function sendFile(
  response: ServerResponse,
  request: HttpRequest,
  file: OpenFile,
  stalledFrom: () => number,
): Promise<Sent> {
  const closed = untilClosed(request);
  const { abandon } = file;
  if (abandon !== undefined) void closed.promise.then(abandon);
  let sent = 0;
  try {
    const buffers = [
      Buffer.allocUnsafeSlow(Math.min(chunkBytes, file.size)),
      Buffer.allocUnsafeSlow(Math.min(chunkBytes, file.size)),
    ] as const;
    let leaving: Promise<void> = Promise.resolve();
    for (let turn = 0; sent < file.size; turn += 1) {
      const piece = await readChunk(file, buffers[turn % 2 === 0 ? 0 : 1], sent);
      await untilTaken(request, leaving, stalledFrom());
      if (request.socket.destroyed) return { bytes: sent, aborted: true };
      leaving = Promise.race([new Promise<void>((resolve) => response.write(piece, () => resolve())), closed.promise]);
      sent += piece.length;
    }
    await untilTaken(request, leaving, stalledFrom());
    response.end();
    return { bytes: sent, aborted: request.socket.destroyed };
  } catch (error) {
    if (abandon !== undefined && request.socket.destroyed) return { bytes: sent, aborted: true };
    response.destroy(); // the status is already sent: an aborted body at least looks incomplete
    throw error;
  } finally {
    closed.forget();
    await file.handle.close();
  }
}

/**
 * The socket's own event: a response that still waits behind another one gets no event when their connection breaks.
 */
function untilClosed(request: HttpRequest): { readonly promise: Promise<void>; readonly forget: () => void } {
  const { socket } = request;
  if (socket.destroyed) return { promise: Promise.resolve(), forget: () => undefined };
  let listener: () => void = () => undefined;
  const promise = new Promise<void>((resolve) => {
    listener = resolve;
    socket.once('close', listener);
  });
  return { promise, forget: () => socket.removeListener('close', listener) };
}
