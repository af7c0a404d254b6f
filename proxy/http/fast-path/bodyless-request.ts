// A request of HTTP/1.1. node:http ends the body of each as a stream, with all its events and turns, also where there
// is none: a fourteenth of what a document out of memory costs. This is what Node 24.12 does if asked to
// (`optimizeEmptyRequests`), for those before.

import { IncomingMessage } from 'node:http';
import { RegistryError } from '../../../build/contract/errors.ts';
import { hasBody } from '../admit.ts';

/**
 * Where nothing follows a GET or HEAD, nothing is read and nothing ends: no 'end', no 'close'. Who has to know that the
 * client left asks the socket.
 */
export class LeanRequest extends IncomingMessage {
  /** see HttpRequest */
  declare holdsSlot?: boolean;
  /** see HttpRequest */
  declare untakenFromMs?: number | undefined;

  override push(chunk: unknown, encoding?: BufferEncoding): boolean {
    return chunk === null && isBare(this) ? false : super.push(chunk, encoding);
  }

  /** How node:http drops what was not read. */
  override resume(): this {
    return isBare(this) ? this : super.resume();
  }

  /**
   * Ends the body with `fault`, for whoever reads it or will: unlike `destroy` alone it leaves the connection, on which
   * the answer is still to come.
   */
  failBody(fault: RegistryError): void {
    this.on('error', () => undefined); // nobody may be reading
    this.destroy(fault);
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    if (error instanceof RegistryError) callback(error);
    else super._destroy(error, callback);
  }
}

function isBare(request: IncomingMessage): boolean {
  return (request.method === 'GET' || request.method === 'HEAD') && !hasBody(request);
}
