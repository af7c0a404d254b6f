// A request of HTTP/1.1 without a body. The module node:http ends every body as a stream with events, even an empty
// one. These events take a fourteenth of the time for a document from memory. Node 24.12 can skip these events
// (`optimizeEmptyRequests`); this file does the same for earlier versions.

import type { IncomingMessage } from 'node:http';
import { hasBody } from '../admit.ts';
import { ServerRequest } from '../server-request.ts';

/**
 * A GET or HEAD without a body: no byte is read, and neither 'end' nor 'close' is emitted. Code that has to notice a
 * client's departure watches the socket.
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
