// A limit of connections for one of several workers. With Node's own `maxConnections` such a worker returns excess
// connections to the primary, which offers them to the next worker. If all workers are full, the connections circulate
// and keep all workers busy.

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
    // after all listeners have seen the connection: for them it is a client that leaves
    if (open > most) setImmediate(() => socket.destroy());
  });
}
