// Passes a whole answer, with its head as text, to a ServerResponse: one write to the socket, and no second pass over
// the headers. node:http has no public method for this. The three private fields have not changed since the first
// versions of Node. If a version of Node lacks one of them, `takesWhole` is false, and answers use the public methods.
// node:http still does framing, pipelining and the end of connections.

import type { ServerResponse } from 'node:http';

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
