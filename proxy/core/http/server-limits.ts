// The limits of one client: time, memory, connections.

import type { ServerOptions } from 'node:http';
import type { Server, Socket } from 'node:net';

export interface ServerLimits {
  /** from the first byte of a request to the end of its headers */
  readonly headersTimeoutMs: number;
  /**
   * to the end of its body. An upload may take this long; readers of JSON bodies have a shorter limit
   * (http/request-body.ts). If no body is wanted, the connection ends with the answer
   */
  readonly requestTimeoutMs: number;
  /**
   * a connection between two requests; above the 60 s of the load balancers before it, so that they and not we close
   * first
   */
  readonly keepAliveTimeoutMs: number;
  /**
   * the time without any progress after which a connection is closed. Twice as long over HTTP/1.1 if the kernel took a
   * part of a piece: node:net compares the bytes still queued with those at the write, finds a difference, and waits
   * once more
   */
  readonly stallTimeoutMs: number;
  /**
   * for the client to take a piece of an answer (send.ts), before its connection counts as half-open
   * (idle-connections.ts)
   */
  readonly writeStallMs: number;
  readonly maxHeaderBytes: number;
  readonly maxConnections: number;
  /** connections of one client address without a request in progress; 0: unlimited (idle-connections.ts) */
  readonly idlePerAddress: number;
  /** how long `close` waits for answers in progress */
  readonly drainMs: number;
  /** memory for documents, indexes and small archives */
  readonly cacheBytes: number;
}

export const defaultServerLimits: ServerLimits = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 300_000,
  keepAliveTimeoutMs: 65_000,
  stallTimeoutMs: 120_000,
  writeStallMs: 30_000,
  maxHeaderBytes: 16 * 1024,
  maxConnections: 8192,
  idlePerAddress: 1024,
  drainMs: 10_000,
  cacheBytes: 96 * 1024 * 1024,
};

/** The limits as options of node:http and node:https. */
export function nodeLimits(limits: ServerLimits): ServerOptions {
  return {
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    connectionsCheckingInterval: Math.min(1000, limits.headersTimeoutMs / 2),
    maxHeaderSize: limits.maxHeaderBytes,
    insecureHTTPParser: false,
    requireHostHeader: false, // checked by `admit`, which answers in the error envelope
    noDelay: true,
  };
}

/**
 * Closes connections that are too many, for one of several workers. With Node's own `maxConnections` such a worker
 * returns excess connections to the primary, which offers them to the next worker. If all workers are full, the
 * connections circulate and keep all workers busy.
 */
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
