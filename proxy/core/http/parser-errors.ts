// Answers requests that Node's HTTP parser refuses. Such requests never reach the pipeline, so this file writes the
// same error envelope to the bare socket.

import type { Duplex } from 'node:stream';
import { type ErrorCode, errorTable, RegistryError } from '../../../build/contract/errors.ts';
import { errorAnswer } from './answer.ts';
import type { ServerRequest } from './server-request.ts';

const reasons: Readonly<Record<400 | 408 | 431, string>> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
};

/**
 * Answers and closes. `answering`: an earlier request of this connection has an unfinished answer, so that no other
 * answer may be sent. Returns the sent status, or undefined without an answer.
 */
export function refuseConnection(error: NodeJS.ErrnoException, socket: Duplex, answering: boolean): number | undefined {
  const code = codeOf(error);
  if (code === undefined || answering || !socket.writable) {
    socket.destroy();
    return undefined;
  }
  return writeRefusal(code, socket);
}

/**
 * True if this fault of a body becomes the answer of its request, through the reader of the body. False: the fault has
 * no reader, so the connection itself answers, if it can.
 */
export function refuseBody(error: NodeJS.ErrnoException, request: ServerRequest | undefined): boolean {
  if (request === undefined || request.complete || error.code?.startsWith('HPE_') !== true) return false;
  const message = `The framing of the body is broken: ${error.message.replace(/^Parse Error: /, '')}.`;
  request.failBody(new RegistryError(codeOf(error) ?? 'BAD_REQUEST', { message }));
  return true;
}

/** The envelope, by hand, and the end of the connection. `message`: in place of the code's own. */
export function writeRefusal(
  code: 'BAD_REQUEST' | 'BAD_TARGET' | 'REQUEST_TIMEOUT' | 'HEADERS_TOO_LARGE',
  socket: Duplex,
  message?: string,
): number {
  const { status } = errorTable[code];
  const { headers, body } = errorAnswer(code, {
    headers: ['Connection', 'close'],
    ...(message === undefined ? {} : { message }),
  });
  let head = `HTTP/1.1 ${status} ${reasons[status]}\r\n`;
  for (let at = 0; at < headers.length; at += 2) head += `${headers[at]}: ${headers[at + 1]}\r\n`;
  socket.end(`${head}\r\n${String(body)}`, 'latin1', () => socket.destroy());
  return status;
}

function codeOf(
  error: NodeJS.ErrnoException,
): (ErrorCode & ('BAD_REQUEST' | 'REQUEST_TIMEOUT' | 'HEADERS_TOO_LARGE')) | undefined {
  if (error.code === 'HPE_HEADER_OVERFLOW') return 'HEADERS_TOO_LARGE';
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'REQUEST_TIMEOUT';
  return error.code?.startsWith('HPE_') === true ? 'BAD_REQUEST' : undefined;
}
