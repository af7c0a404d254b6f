// The fast path through node:http: whole answers in one write, and requests without the events of an empty body.
// docs/explanation/serving-costs.md lists its gains; without it the server gives the same answers. node:http has no
// public method to send a head as text. The three private fields have not changed since the first versions of Node. If
// a version of Node lacks one of them, `takesWhole` is false, and answers use the public methods. node:http still does
// framing, pipelining and the end of connections.

import type { ServerResponse, IncomingMessage } from 'node:http';
import { hasBody } from './admit.ts';
import { ServerRequest } from './server-request.ts';
import type { NodePath } from './node-path.ts';

interface Internals {
  /** the head as text; null: none was made */
  _header: string | null;
  _headerSent: boolean;
  /** writes to the connection, or waits until it is this response's turn */
  _send?: (data: string | Buffer, encoding?: 'latin1') => boolean;
}

/** True if the response is untouched, its connection continues after it, and its form is known here. */
export function takesWhole(response: ServerResponse): boolean {
  const { _header, _headerSent, _send } = response as unknown as Internals;
  return response.shouldKeepAlive && _header === null && _headerSent === false && _send !== undefined;
}

/**
 * Call it only if `takesWhole` is true. `text`: the head with the length of the body, and also the body unless `bytes`
 * has it; latin1.
 */
export function endWhole(response: ServerResponse, status: number, text: string, bytes: Buffer | undefined): void {
  if (response.destroyed) return;
  const internals = response as unknown as Internals;
  response.statusCode = status;
  internals._header = text;
  internals._headerSent = true;
  if (bytes === undefined) internals._send?.(text, 'latin1');
  else {
    const { socket } = response;
    socket?.cork();
    internals._send?.(text, 'latin1');
    internals._send?.(bytes);
    socket?.uncork();
  }
  response.end();
}

/**
 * A GET or HEAD of HTTP/1.1 without a body: no byte is read, and neither 'end' nor 'close' is emitted. Code that has to
 * notice a client's departure watches the socket. node:http ends every body as a stream with events, even an empty one,
 * which takes a fourteenth of the time for a document from memory. Node 24.12 can skip these events
 * (`optimizeEmptyRequests`).
 */
export class BodylessRequest extends ServerRequest {
  override push(chunk: unknown, encoding?: BufferEncoding): boolean {
    return chunk === null && isBodyless(this) ? false : super.push(chunk, encoding);
  }

  /** The call by which node:http drops an unread body. */
  override resume(): this {
    return isBodyless(this) ? this : super.resume();
  }
}

function isBodyless(request: IncomingMessage): boolean {
  return (request.method === 'GET' || request.method === 'HEAD') && !hasBody(request);
}

export const fastPath: NodePath = {
  Request: BodylessRequest,
  rawResponses: { takes: takesWhole, end: endWhole },
};
