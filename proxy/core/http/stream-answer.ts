// Writes an answer to a stream of HTTP/2. A body is sent completely or the stream is reset, as with HTTP/1.1: no short
// body looks complete. The server waits for a slow client until the stream stalls. A waiting answer needs two chunks of
// memory.

import type { OutgoingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { allHeaders, type Answer, type OpenFile, readChunk, type Sent } from './answer.ts';
import type { MaybeAsync } from '../../../build/shared/concurrency/maybe-async.ts';
import { cancel, noError, cutOff, untilTaken, type HttpRequest } from './http-request.ts';

/** Half of a chunk of HTTP/1.1, because one connection may have a hundred streams. */
const pieceBytes = 64 * 1024;

export interface StallLimits {
  /** how long a client may read nothing */
  readonly stallMs: number;
  /** for a chunk or a small answer that is being written: see `stalledFromMs` */
  readonly stalledFrom: () => number;
}

/** Rejects if a file turns out shorter than its recorded size. */
export function sendOnStream(
  request: HttpRequest,
  stream: ServerHttp2Stream,
  answer: Answer,
  { stallMs, stalledFrom }: StallLimits,
): MaybeAsync<Sent> {
  const { body } = answer;
  const file = typeof body === 'object' && 'handle' in body ? body : undefined;
  if (stream.destroyed || stream.closed) return withoutBody(file, true);
  endUnreadBody(request, stream);
  const bare = body === undefined || request.method === 'HEAD';
  stream.respond(headersOf(answer), { endStream: bare });
  request.stalledFromMs = stalledFrom();
  const stall = watchStall(stream, stallMs);
  if (bare) return withoutBody(file, false);
  const pieces = (): Pieces => writePieces(request, stream, stall, stalledFrom);
  if (file !== undefined) return sendFile(stream, file, pieces());
  const bytes = typeof body === 'string' ? Buffer.from(body, 'latin1') : (body as Buffer);
  if (bytes.length > pieceBytes) return sendBytes(bytes, pieces());
  stream.end(bytes);
  return { bytes: bytes.length, aborted: false };
}

/** Headers that belong to a connection, which HTTP/2 has no place for (RFC 9113 §8.2.2). */
const ofConnection: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
]);

function headersOf(answer: Answer): OutgoingHttpHeaders {
  const named: Record<string, string | string[] | number> = { ':status': answer.status };
  const headers = allHeaders(answer);
  for (let at = 0; at < headers.length; at += 2) {
    const name = (headers[at] ?? '').toLowerCase();
    if (ofConnection.has(name)) continue;
    const value = headers[at + 1] ?? '';
    const before = named[name];
    named[name] = before === undefined ? value : [before, value].flat().map(String);
  }
  return named;
}

/**
 * RFC 9113 §8.1: a client with a complete answer need not send the rest of its body. With HTTP/1.1 the connection ends
 * instead.
 */
function endUnreadBody(request: HttpRequest, stream: ServerHttp2Stream): void {
  if (stream.endAfterHeaders) return;
  const end = (): void => {
    if (request.readableEnded) return;
    dropBody(stream);
    setImmediate(() => stream.close(noError)); // deferred: see Http2Connection
  };
  // for HEAD node:http2 has ended its side before the answer, and may have emitted the event already
  if (stream.writableFinished) end();
  else stream.once('finish', end);
}

/** Drops the rest of an unread body. A stream with unread bytes would never be closed. */
export function dropBody(stream: ServerHttp2Stream): void {
  stream.removeAllListeners('data');
  stream.resume();
}

function withoutBody(file: OpenFile | undefined, aborted: boolean): MaybeAsync<Sent> {
  const sent = { bytes: 0, aborted };
  return file === undefined ? sent : file.handle.close().then(() => sent);
}

/**
 * Called from a timer. Resets the stream and releases it here, for any result of the reset: nghttp2 sends nothing on a
 * connection that broke the protocol.
 */
export function resetStream(stream: ServerHttp2Stream): void {
  stream.close(cancel);
  stream.destroy();
}

/** Ends a stream whose client has read nothing for this time. */
function watchStall(stream: ServerHttp2Stream, stallMs: number): NodeJS.Timeout {
  const timer = setTimeout(() => resetStream(stream), stallMs);
  stream.once('close', () => clearTimeout(timer));
  return timer;
}

async function sendBytes(bytes: Buffer, pieces: Pieces): Promise<Sent> {
  for (let at = 0; at < bytes.length; at += pieceBytes) await pieces.write(bytes.subarray(at, at + pieceBytes));
  return pieces.end();
}

/** Two buffers take turns, so that the next piece is read while the last one leaves. */
async function sendFile(stream: ServerHttp2Stream, file: OpenFile, pieces: Pieces): Promise<Sent> {
  const { abandon } = file;
  if (abandon !== undefined) stream.once('close', abandon);
  let read = 0;
  try {
    const buffers = [
      Buffer.allocUnsafeSlow(Math.min(pieceBytes, file.size)),
      Buffer.allocUnsafeSlow(Math.min(pieceBytes, file.size)),
    ] as const;
    for (let turn = 0; read < file.size; turn += 1) {
      const piece = await readChunk(file, buffers[turn % 2 === 0 ? 0 : 1], read);
      read += piece.length;
      if (!(await pieces.write(piece))) break;
    }
    return await pieces.end();
  } catch (error) {
    if (abandon !== undefined && (stream.destroyed || stream.closed)) return { bytes: read, aborted: true };
    cutOff(stream); // the status is already sent: an aborted body at least looks incomplete
    throw error;
  } finally {
    await file.handle.close();
  }
}

interface Pieces {
  /** Resolves after the previous piece was sent; false after the end of the stream. */
  readonly write: (piece: Buffer) => Promise<boolean>;
  readonly end: () => Promise<Sent>;
}

function writePieces(
  request: HttpRequest,
  stream: ServerHttp2Stream,
  stall: NodeJS.Timeout,
  stalledFrom: () => number,
): Pieces {
  const closed = new Promise<void>((resolve) => void (stream.closed ? resolve() : stream.once('close', resolve)));
  let leaving: Promise<void> = Promise.resolve();
  let bytes = 0;
  return {
    write: async (piece) => {
      await untilTaken(request, leaving, stalledFrom());
      if (stream.destroyed || stream.closed) return false;
      stall.refresh();
      leaving = Promise.race([new Promise<void>((resolve) => stream.write(piece, () => resolve())), closed]);
      bytes += piece.length;
      return true;
    },
    end: async () => {
      await untilTaken(request, leaving, stalledFrom());
      const aborted = stream.destroyed || stream.closed;
      request.stalledFromMs = stalledFrom(); // the end of the stream waits for the client, too
      if (!aborted) stream.end();
      return { bytes, aborted };
    },
  };
}
