// A limit of connections for a worker of several. Node's own, `maxConnections`, has such a worker hand back what is too
// much to the primary, which offers it to the next one: where all of them are full, it goes round and round and keeps
// all of them busy.

import type { Server, Socket } from 'node:net';

/** Closes connections that are too many, as a server that is alone does. */
export function limitConnections(server: Server, most: number): void {
  let open = 0;
  server.maxConnections = Number.POSITIVE_INFINITY;
  server.on('connection', (socket: Socket) => {
    open += 1;
    socket.once('close', () => {
      open -= 1;
    });
    // not before all who listen have seen it: for them it is a client that leaves
    if (open > most) setImmediate(() => socket.destroy());
  });
}
