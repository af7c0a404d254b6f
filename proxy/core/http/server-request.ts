// A request of HTTP/1.1 as the server receives it: the request of node:http with the server's own notes.

import { IncomingMessage } from 'node:http';
import { RegistryError } from '../../../build/contract/errors.ts';

export class ServerRequest extends IncomingMessage {
  /** see HttpRequest */
  declare holdsSlot?: boolean;
  /** see HttpRequest */
  declare stalledFromMs?: number | undefined;

  /**
   * Ends the body with `fault` for its present or later reader. Unlike `destroy` alone, it keeps the connection open
   * for the answer.
   */
  failBody(fault: RegistryError): void {
    this.on('error', () => undefined); // the body may have no reader
    this.destroy(fault);
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    if (error instanceof RegistryError) callback(error);
    else super._destroy(error, callback);
  }
}
