// The server, with TLS or without: joins the parts of the core (docs/ARCHITECTURE.md, "The core on one page"), limits
// slow and greedy clients, refuses malformed requests, and stops without cutting answers.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import type { Authenticator } from './tokens/authenticate.ts';
import type { TokenUses } from './tokens/token-uses.ts';
import { limitConnections, defaultServerLimits, nodeLimits, type ServerLimits } from './http/server-limits.ts';
import { fastPath } from './http/fast-path.ts';
import type { NodePath } from './http/node-path.ts';
import { OpenConnections } from './http/connections.ts';
import { createHandler, type Handler } from './handler.ts';
import { requestIds } from './pipeline/exchange.ts';
import type { MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import type { Counters } from './limits/counters.ts';
import { IdleConnections, type HttpConnectionState } from './http/idle-connections.ts';
import { createFailedAuthLimiter } from './limits/failed-auth-limiter.ts';
import { clientAddress, type AddressRange } from './http/client-address.ts';
import type { WorkerStatus } from './observe/health.ts';
import type { RequestCounts } from './observe/metrics.ts';
import type { RequestLog } from './observe/request-log.ts';
import { createStorageWatch } from './observe/storage.ts';
import { refuseBody, refuseConnection, writeRefusal } from './http/parser-errors.ts';
import type { CountUse } from './protocol/archive-answers.ts';
import type { Feature } from './protocol/feature.ts';
import type { MirroredPackages } from './protocol/mirrored-packages.ts';
import { asBuilt, type RootChanges } from './tree/root-document.ts';
import type { ReleasePolicy } from './protocol/release-policy.ts';
import type { Tombstones } from './protocol/tombstones.ts';
import type { Route } from './protocol/route.ts';
import { Tree } from './protocol/tree.ts';
import type { TreeFiles } from './tree/tree-files.ts';
import type { Certificate, SecureParts, SecureServer } from './http/http2/secure-server.ts';
import { createSender } from './http/send.ts';
import { drain, listen, type AnyServer } from './http/server-lifecycle.ts';

export interface ProxyOptions {
  /** /health watches the disk of this folder */
  readonly dataDirectory: string;
  /** the published tree, in a folder or at an origin */
  readonly files: TreeFiles;
  readonly host: string;
  /** 0: any free port */
  readonly port: number;
  /** served with TLS, as HTTP/2 or HTTP/1.1; undefined: as HTTP/1.1, without */
  readonly certificate?: Certificate | undefined;
  readonly authenticator: Authenticator;
  readonly counters: Counters;
  /** notes each use of a valid token */
  readonly uses?: Pick<TokenUses, 'note'> | undefined;
  /** the routes in addition to packages.json, p2 and dist */
  readonly features?: readonly Feature[];
  /** the core's route of a raw request target; default: `parseRoute` */
  readonly routeOf?: ((target: string) => Route) | undefined;
  readonly log: Logger;
  /** logs every answered or aborted request */
  readonly logRequest: RequestLog;
  /** reverse proxies with a trusted X-Forwarded-For */
  readonly trustedProxies: readonly AddressRange[];
  /** additions to packages.json, called for each request of it; undefined: none */
  readonly rootChanges?: (() => MaybeAsync<RootChanges>) | undefined;
  readonly onDownload?: CountUse | undefined;
  /** packages of other registries; undefined: none */
  readonly mirrored?: MirroredPackages | undefined;
  /** tombstones of purged versions; undefined: a purged version is answered like an unknown version */
  readonly tombstones?: Tombstones | undefined;
  /** undefined: every version may be sent */
  readonly policy?: ReleasePolicy | undefined;
  /** reads the state for /health/ready; rejects if the state is unreadable */
  readonly readState?: (() => Promise<unknown>) | undefined;
  /** for /health; undefined: the state is in this process */
  readonly stateAway?: (() => boolean) | undefined;
  /** counts every answer; undefined: without metrics */
  readonly counts?: RequestCounts | undefined;
  /** the worker pool of this process; undefined: a single process */
  readonly workerStatus?: WorkerStatus | undefined;
  /** epoch milliseconds */
  readonly now: () => number;
  readonly limits?: Partial<ServerLimits>;
  /** default: `fastPath`; tests use `publicPath` too */
  readonly nodePath?: NodePath | undefined;
}

export interface Proxy {
  /** Rejects with Node's error (EADDRINUSE, EACCES…). */
  readonly listen: () => Promise<{ readonly host: string; readonly port: number }>;
  /**
   * Stops accepting, finishes active requests within `drainMs`, then cuts the rest. Resolves once every connection is
   * closed and every request is logged.
   */
  readonly close: () => Promise<void>;
  /** the number of open connections */
  readonly connections: () => number;
  /** Later connections use this certificate. Only for a proxy with TLS. */
  readonly renewCertificate: (certificate: Certificate) => void;
}

export async function createProxy(options: ProxyOptions): Promise<Proxy> {
  const limits: ServerLimits = { ...defaultServerLimits, ...options.limits };
  let draining = false;
  const handler = createHandlerOf(options, limits, () => draining);
  const connections = new OpenConnections(elapsed);
  const idle = idleConnections(options, limits);
  const onHttp1 = (socket: Socket): HttpConnectionState => {
    connections.opened(socket);
    return connections.speaker(socket);
  };
  const secure = await createSecureServerOf(options, limits, { handle: handler.handle, onHttp1, idle });
  const { Request } = pathOf(options);
  const server = withLimits(
    secure?.server ?? createServer({ ...nodeLimits(limits), IncomingMessage: Request }),
    limits,
  );
  if (options.workerStatus !== undefined) limitConnections(server, limits.maxConnections);
  if (secure === undefined) {
    server.on('connection', (socket) => {
      idle.opened(socket);
      idle.speaks(socket, onHttp1(socket));
    });
  }
  attach(server, connections, handler, options);
  let closing: Promise<void> | undefined;
  return {
    listen: () => listen(server, options.host, options.port),
    connections: () => connections.count() + (secure?.connections.count() ?? 0),
    renewCertificate: (certificate) => secure?.renew(certificate),
    close: () => {
      draining = true;
      closing ??= drain(server, connections, secure?.connections, limits.drainMs)
        .then(handler.settled)
        .then(() => undefined);
      return closing;
    },
  };
}

function pathOf({ nodePath = fastPath }: ProxyOptions): NodePath {
  return nodePath;
}

function createHandlerOf(options: ProxyOptions, limits: ServerLimits, draining: () => boolean): Handler {
  const { files, features = [] } = options;
  const tree = new Tree({
    files,
    rootChanges: options.rootChanges ?? (() => asBuilt),
    derivedBytes: limits.cacheBytes / 4,
    onDownload: options.onDownload,
    mirrored: options.mirrored,
    tombstones: options.tombstones,
    policy: options.policy,
  });
  return createHandler({
    ...options,
    features,
    uses: options.uses,
    readState: options.readState,
    storage: createStorageWatch(options.dataDirectory, elapsed),
    counts: options.counts,
    guesses: createFailedAuthLimiter(options.workerStatus?.size),
    tree,
    sender: createSender({
      rawResponses: pathOf(options).rawResponses,
      stallTimeoutMs: limits.stallTimeoutMs,
      writeStallMs: limits.writeStallMs,
      keepAliveMs: limits.keepAliveTimeoutMs,
      now: options.now,
      elapsed,
    }),
    elapsed,
    nextRequestId: requestIds(),
    draining,
  });
}

/** undefined: the server speaks plain HTTP, and loads no module of TLS or HTTP/2. */
async function createSecureServerOf(
  options: ProxyOptions,
  limits: ServerLimits,
  parts: Pick<SecureParts, 'handle' | 'onHttp1' | 'idle'>,
): Promise<SecureServer | undefined> {
  if (options.certificate === undefined) return undefined;
  const { createSecureServer } = await import('./http/http2/secure-server.ts');
  return createSecureServer({
    ...parts,
    limits,
    certificate: options.certificate,
    Request: pathOf(options).Request,
    elapsed,
    onMalformed: (socket, reason) => logRefusal(options, socket, 400, reason),
  });
}

function elapsed(): number {
  return performance.now();
}

/** Worker processes share the limit of an address. */
function idleConnections(
  { trustedProxies, workerStatus, log }: ProxyOptions,
  { idlePerAddress: most, writeStallMs, maxConnections }: ServerLimits,
): IdleConnections {
  const onExcess = (client: string): void =>
    log.warn({ client, most }, 'an address has too many idle and half-open connections: the oldest are closed');
  return new IdleConnections({
    most: Math.ceil(most / (workerStatus?.size ?? 1)),
    strictAboveConnections: maxConnections / 2,
    trustedProxies,
    recheckMs: writeStallMs,
    elapsed,
    onExcess,
  });
}

function withLimits(server: AnyServer, limits: ServerLimits): AnyServer {
  server.timeout = limits.stallTimeoutMs;
  server.maxConnections = limits.maxConnections;
  return server;
}

function attach(server: AnyServer, connections: OpenConnections, handler: Handler, options: ProxyOptions): void {
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    handler.handle(request, response);
    connections.answering(request.socket, response);
  };
  server.on('request', serve);
  server.on('checkContinue', serve); // no 100: these routes take no body
  server.on('checkExpectation', serve);
  server.on('connect', (_request, socket) =>
    logRefusal(options, socket, writeRefusal('BAD_TARGET', socket), 'CONNECT'),
  );
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (connections.hasEnded(socket)) return; // node:http closes it after its last answer
    if (refuseBody(error, connections.unanswered(socket))) {
      connections.ends(socket);
      return;
    }
    const status = refuseConnection(error, socket, connections.isAnswering(socket));
    if (status !== undefined) logRefusal(options, socket, status, error.code ?? 'unknown');
  });
}

function logRefusal(options: ProxyOptions, socket: Duplex, status: number, reason: string): void {
  options.counts?.malformed(status);
  const peer = (socket as Partial<Socket>).remoteAddress;
  options.log.info({ status, reason, client: clientAddress(peer, undefined, []) });
}
