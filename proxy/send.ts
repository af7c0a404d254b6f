// Writes an answer to a connection. A body is sent in full or the connection is cut: never a short body that looks whole. A client that hangs up
// frees the file at once.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answer, OpenFile } from './answer.ts';
import type { Eventually } from './eventually.ts';

/** What became of an answer. */
export interface Sent {
  /** bytes of the body handed to the connection */
  readonly bytes: number;
  /** the client left before it had everything */
  readonly aborted: boolean;
}

const chunkBytes = 128 * 1024;
/** A smaller body is in the kernel's hands at once: watching whether the client stays for it would cost more than sending it. */
const watchedFromBytes = 64 * 1024;
const nothing: Sent = { bytes: 0, aborted: false };

export interface Sender {
  /** `closing`: tells the client that this connection ends with this answer. Rejects where a file turns out shorter than it was. */
  readonly send: (request: IncomingMessage, response: ServerResponse, answer: Answer, closing: boolean) => Eventually<Sent>;
}

/**
 * Small answers leave together, once everything that arrived in this turn of the event loop has been decided. Written one by one, each write wakes
 * a client that sleeps, at several times the cost of the write itself; measured with 32 connections that is a fifth of all processor time. The last
 * answer of a connection goes at once: what still arrives there may be nonsense, on which node:http cuts it.
 */
export function createSender(): Sender {
  let leaving: { readonly response: ServerResponse; readonly body: Buffer | string | undefined }[] = [];
  const depart = (): void => {
    const batch = leaving;
    leaving = [];
    for (const { response, body } of batch) response.end(body, 'latin1'); // the encoding is for strings
  };
  const leave = (response: ServerResponse, body: Buffer | string | undefined, atOnce: boolean): Sent => {
    if (atOnce) response.end(body, 'latin1');
    else if (leaving.push({ response, body }) === 1) setImmediate(depart);
    return { bytes: body?.length ?? 0, aborted: response.destroyed };
  };
  return {
    send: (request, response, answer, closing) => {
      const { body } = answer;
      response.writeHead(answer.status, closing ? [...answer.headers, 'Connection', 'close'] : (answer.headers as string[]));
      if (body === undefined || request.method === 'HEAD') {
        leave(response, undefined, closing);
        return typeof body === 'object' && 'handle' in body ? body.handle.close().then(() => nothing) : nothing;
      }
      if (typeof body !== 'string' && !Buffer.isBuffer(body)) return sendFile(response, request, body);
      return body.length > watchedFromBytes ? sendWatched(response, request, body) : leave(response, body, closing);
    },
  };
}

async function sendWatched(response: ServerResponse, request: IncomingMessage, body: Buffer | string): Promise<Sent> {
  const closed = untilClosed(request);
  const finished = new Promise<void>((resolve) => response.end(body, 'latin1', () => resolve()));
  await Promise.race([finished, closed.promise]);
  closed.forget();
  return { bytes: body.length, aborted: !response.writableFinished };
}

/** Two buffers take turns, so that the next piece is read while the last one leaves; memory stays at that whatever the client's speed. */
async function sendFile(response: ServerResponse, request: IncomingMessage, file: OpenFile): Promise<Sent> {
  const closed = untilClosed(request);
  try {
    const buffers = [Buffer.allocUnsafeSlow(Math.min(chunkBytes, file.size)), Buffer.allocUnsafeSlow(Math.min(chunkBytes, file.size))] as const;
    let leaving: Promise<void> = Promise.resolve();
    let sent = 0;
    for (let turn = 0; sent < file.size; turn += 1) {
      const piece = await readPiece(file, buffers[turn % 2 === 0 ? 0 : 1], sent);
      await leaving;
      if (request.socket.destroyed) return { bytes: sent, aborted: true };
      leaving = Promise.race([new Promise<void>((resolve) => response.write(piece, () => resolve())), closed.promise]);
      sent += piece.length;
    }
    await leaving;
    response.end();
    return { bytes: sent, aborted: request.socket.destroyed };
  } catch (error) {
    response.destroy(); // the status is long out: all that is left is not to look complete
    throw error;
  } finally {
    closed.forget();
    await file.handle.close();
  }
}

async function readPiece(file: OpenFile, buffer: Buffer, position: number): Promise<Buffer> {
  const { bytesRead } = await file.handle.read(buffer, 0, Math.min(buffer.length, file.size - position), position);
  if (bytesRead === 0) throw new Error(`${file.path} became shorter while it was sent: archives must be replaced, never rewritten`);
  return buffer.subarray(0, bytesRead);
}

/** The socket's own event: a response that still waits behind another on one connection is told nothing when that connection breaks. */
function untilClosed(request: IncomingMessage): { readonly promise: Promise<void>; readonly forget: () => void } {
  const { socket } = request;
  if (socket.destroyed) return { promise: Promise.resolve(), forget: () => undefined };
  let listener: () => void = () => undefined;
  const promise = new Promise<void>((resolve) => {
    listener = resolve;
    socket.once('close', listener);
  });
  return { promise, forget: () => socket.removeListener('close', listener) };
}
