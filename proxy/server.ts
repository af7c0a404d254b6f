// The HTTP server: its limits against slow and greedy clients, what it says to those that do not speak HTTP, and how it stops without
// breaking off what is being answered.

import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { Server as NetServer, type AddressInfo, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import type { Authenticator } from './auth/authenticate.ts';
import type { TokenUses } from './auth/token-uses.ts';
import { Connections } from './connections.ts';
import { createHandler, type Handler } from './handler.ts';
import type { Eventually } from './eventually.ts';
import type { Counters } from './limits/counters.ts';
import { createGuessBudget } from './limits/guess-budget.ts';
import { clientAddress, type AddressRange } from './observe/client-address.ts';
import type { RequestCounts } from './observe/metrics.ts';
import type { Management } from './manage/api-request.ts';
import { refuseConnection, writeRefusal } from './parser-errors.ts';
import { createLocalFiles } from './protocol/local-files.ts';
import { Tree } from './protocol/tree.ts';
import { createSender } from './send.ts';

export interface ProxyOptions {
  /** holds `public/` and `index/`; may still be empty */
  readonly dataDirectory: string;
  readonly host: string;
  /** 0: any free one */
  readonly port: number;
  readonly authenticator: Authenticator;
  readonly counters: Counters;
  /** hears of each use of a valid token */
  readonly uses?: Pick<TokenUses, 'note'> | undefined;
  /** what answers below /api; undefined: nothing does */
  readonly management?: Management | undefined;
  readonly log: Logger;
  /** reverse proxies whose X-Forwarded-For is believed */
  readonly trustedProxies: readonly AddressRange[];
  /** advertised in packages.json instead of what the build wrote, asked for each; undefined: as built */
  readonly metadataUrl?: (() => Eventually<string | undefined>) | undefined;
  /** hears of every archive that is sent */
  readonly onDownload?: ((name: string, version: string) => void) | undefined;
  /** looks at the state for /health/ready; rejects where it cannot be read */
  readonly readState?: (() => Promise<unknown>) | undefined;
  /** hears of every answer; undefined: nobody asks for metrics */
  readonly counts?: RequestCounts | undefined;
  /** epoch milliseconds */
  readonly now: () => number;
  readonly limits?: Partial<ServerLimits>;
}

export interface ServerLimits {
  /** from the first byte of a request to the end of its headers */
  readonly headersTimeoutMs: number;
  /** to the end of its body. An upload may take that long; whoever reads a JSON body has a shorter time of their own (manage/json-body.ts), and where
   *  no body is wanted, the connection ends with the answer */
  readonly requestTimeoutMs: number;
  /** a connection between two requests; above the 60 s of the load balancers before it, so that they and not we close first */
  readonly keepAliveTimeoutMs: number;
  /** a connection on which nothing moves at all, for instance a client that stopped reading */
  readonly stallTimeoutMs: number;
  readonly maxHeaderBytes: number;
  readonly maxConnections: number;
  /** how long `close` waits for answers under way */
  readonly drainMs: number;
  /** memory for documents, indexes and small archives */
  readonly cacheBytes: number;
}

export const defaultServerLimits: ServerLimits = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 300_000,
  keepAliveTimeoutMs: 65_000,
  stallTimeoutMs: 120_000,
  maxHeaderBytes: 16 * 1024,
  maxConnections: 8192,
  drainMs: 10_000,
  cacheBytes: 96 * 1024 * 1024,
};

export interface Proxy {
  /** Rejects with Node's error (EADDRINUSE, EACCES…) where the address cannot be had. */
  readonly listen: () => Promise<{ readonly host: string; readonly port: number }>;
  /** Stops accepting, lets what is being answered finish, within `drainMs`; then cuts the rest. Resolves once every connection is gone
   *  and every request is in the log. */
  readonly close: () => Promise<void>;
  /** how many are open right now */
  readonly connections: () => number;
}

export function createProxy(options: ProxyOptions): Proxy {
  const limits: ServerLimits = { ...defaultServerLimits, ...options.limits };
  const files = createLocalFiles({ dataDirectory: options.dataDirectory, cacheBytes: limits.cacheBytes, onNewer: (err) => options.log.error({ err }, 'a newer version of Libretto has published') });
  const tree = new Tree({ files, metadataUrl: options.metadataUrl ?? asBuilt, derivedBytes: limits.cacheBytes / 4, onDownload: options.onDownload });
  let draining = false;
  const handler = createHandler({ ...options, management: options.management, uses: options.uses, readState: options.readState, counts: options.counts, guesses: createGuessBudget(), tree, sender: createSender(), elapsed: () => performance.now(), nextRequestId: requestIds(), draining: () => draining });
  const server = createLimitedServer(limits);
  const connections = new Connections();
  attach(server, connections, handler, options);
  let closing: Promise<void> | undefined;
  return {
    listen: () => listen(server, options.host, options.port),
    connections: () => connections.count(),
    close: () => {
      draining = true;
      closing ??= drain(server, connections, limits.drainMs).then(handler.settled).then(() => undefined);
      return closing;
    },
  };
}

const asBuilt = (): undefined => undefined;

function createLimitedServer(limits: ServerLimits): Server {
  const server = createServer({
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    connectionsCheckingInterval: Math.min(1000, limits.headersTimeoutMs / 2),
    maxHeaderSize: limits.maxHeaderBytes,
    insecureHTTPParser: false,
    requireHostHeader: false, // checked by `admit`, which answers in the error envelope
    noDelay: true,
  });
  server.timeout = limits.stallTimeoutMs;
  server.maxConnections = limits.maxConnections;
  return server;
}

function attach(server: Server, connections: Connections, handler: Handler, options: ProxyOptions): void {
  const serve: Handler['handle'] = (request, response) => {
    handler.handle(request, response);
    connections.answering(request.socket, response);
  };
  server.on('request', serve);
  server.on('checkContinue', serve); // no 100: nothing here takes a body
  server.on('checkExpectation', serve);
  server.on('connection', (socket) => connections.opened(socket));
  server.on('connect', (_request, socket) => logRefusal(options, socket, writeRefusal('BAD_TARGET', socket), 'CONNECT'));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const status = refuseConnection(error, socket, connections.isAnswering(socket));
    if (status !== undefined) logRefusal(options, socket, status, error.code ?? 'unknown');
  });
}

function logRefusal(options: ProxyOptions, socket: Duplex, status: number, reason: string): void {
  options.counts?.malformed(status);
  const peer = (socket as Partial<Socket>).remoteAddress;
  options.log.info({ status, reason, client: clientAddress(peer, undefined, []) });
}

function listen(server: Server, host: string, port: number): Promise<{ readonly host: string; readonly port: number }> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, backlog: 1024 }, () => {
      server.removeListener('error', reject);
      const address = server.address() as AddressInfo;
      resolve({ host: address.address, port: address.port });
    });
  });
}

/** Connections that are idle right now may have a request on its way: they get this long to have it answered, with `Connection: close`. */
const idleGraceMs = 250;

function drain(server: Server, connections: Connections, drainMs: number): Promise<void> {
  return new Promise((resolve) => {
    if (!server.listening) {
      resolve();
      return;
    }
    const idle = setInterval(() => connections.closeIdle(), idleGraceMs);
    const cut = setTimeout(() => server.closeAllConnections(), drainMs);
    // not http's own close: that one cuts idle connections at once
    NetServer.prototype.close.call(server, () => {
      clearInterval(idle);
      clearTimeout(cut);
      server.close(); // stops http's own timers; the port is long free
      resolve();
    });
  });
}

/** Ids that are unique across processes and say in which order one process got its requests. */
function requestIds(): () => string {
  const instance = randomBytes(4).toString('hex');
  let count = 0;
  return () => {
    count += 1;
    return `${instance}-${count}`;
  };
}
