// Passes a whole answer, with its head as text, to a ServerResponse: one write to the socket, and no second pass over
// the headers. node:http has no public way to do that. The three private fields have not changed since the first
// versions of Node. If a version of Node lacks one of them, `takesWhole` is false, and answers take the public way.
// node:http still does framing, pipelining and the end of connections.

import type { ServerResponse } from 'node:http';

interface Internals {
  /** the head as text; null: none was made */
  _header: string | null;
  _headerSent: boolean;
  /** writes to the connection, or waits until it is this response's turn */
  _send?: (data: string | Buffer, encoding?: 'latin1') => boolean;
}

/** Whether the response is untouched, its connection continues after it, and its form is known here. */
export function takesWhole(response: ServerResponse): boolean {
  const { _header, _headerSent, _send } = response as unknown as Internals;
  return response.shouldKeepAlive && _header === null && _headerSent === false && _send !== undefined;
}

/**
 * Only where `takesWhole`. `text`: the head, which says how long the body is, and the body too unless that is `bytes`;
 * latin1.
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
