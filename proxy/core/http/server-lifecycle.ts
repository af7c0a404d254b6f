// Starts a server, and stops it without cutting off active answers.

import type { Server } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import { Server as NetServer, type AddressInfo } from 'node:net';
import type { OpenConnections } from './connections.ts';

export type AnyServer = Server | HttpsServer;

/** The connections of a TLS server in addition to those of HTTP/1.1. */
export interface OtherConnections {
  /** Completes answers in progress, and ends everything else. */
  readonly finish: () => void;
  readonly cut: () => void;
}

/** Rejects with Node's error (EADDRINUSE, EACCES…) if the address is unavailable. */
export function listen(
  server: AnyServer,
  host: string,
  port: number,
): Promise<{ readonly host: string; readonly port: number }> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, backlog: 1024 }, () => {
      server.removeListener('error', reject);
      const address = server.address() as AddressInfo;
      resolve({ host: address.address, port: address.port });
    });
  });
}

/**
 * A request may be in transit on an idle connection: the connection has this time to answer it, with `Connection:
 * close` over HTTP/1.1.
 */
const idleGraceMs = 250;

/** Resolves after every connection has ended: busy connections have `drainMs`, then they are cut. */
export function drain(
  server: AnyServer,
  connections: OpenConnections,
  others: OtherConnections | undefined,
  drainMs: number,
): Promise<void> {
  return new Promise((resolve) => {
    if (!server.listening) {
      resolve();
      return;
    }
    const closeIdle = (): void => {
      connections.closeIdle();
      others?.finish();
    };
    // timers run before reads: after a busy moment, requests wait that are read first
    const idle = setInterval(() => setImmediate(closeIdle), idleGraceMs);
    const cut = setTimeout(() => {
      server.closeAllConnections();
      others?.cut();
    }, drainMs);
    // uses NetServer's close, because http's own close cuts idle connections immediately
    NetServer.prototype.close.call(server, () => {
      clearInterval(idle);
      clearTimeout(cut);
      server.close(); // stops http's own timers; the port is long free
      resolve();
    });
  });
}
