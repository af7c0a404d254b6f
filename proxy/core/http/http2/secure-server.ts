// Listens with TLS: HTTP/2 for clients that offer it (ALPN), HTTP/1.1 for all others, with the same limits as without
// TLS. node:https carries HTTP/1.1 as usual; a connection for HTTP/2 is taken over from node:https after its TLS
// handshake.

import { constants, X509Certificate } from 'node:crypto';
import { createServer, type Server } from 'node:https';
import { type Socket, isIPv6 } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { IdleConnections, HttpConnectionState } from '../idle-connections.ts';
import type { ServerRequest } from '../server-request.ts';
import { nodeLimits, type ServerLimits } from '../server-limits.ts';
import { Http2Connection, type Http2Parts } from './http2-connection.ts';
import { writeRefusal } from '../parser-errors.ts';
import { certificateNames } from './certificate-names.ts';

// Answers a client that speaks plain HTTP to a port with TLS: a mistyped http:// would otherwise end in a closed
// connection without a reason. OpenSSL has consumed the request by then, and its Host header too, so the answer names
// the address that the client reached, or a name of the certificate.

/** OpenSSL knows GET, HEAD, POST and PUT; a request with another method looks like a record of no TLS version. */
const plainHttp: ReadonlySet<string | undefined> = new Set([
  'ERR_SSL_HTTP_REQUEST',
  'ERR_SSL_HTTPS_PROXY_REQUEST',
  'ERR_SSL_WRONG_VERSION_NUMBER',
]);

/** True for the fault of a TLS handshake that a plain HTTP request causes. */
function isPlainHttp({ code }: NodeJS.ErrnoException): boolean {
  return plainHttp.has(code);
}

/**
 * Answers 400 and closes. `socket`: the bare socket, below TLS. `pem`: the certificate of the server. Returns the
 * status.
 */
function refusePlainHttp(socket: Socket, pem: string): number {
  const address = addressOf(pem, socket);
  return writeRefusal(
    'BAD_REQUEST',
    socket,
    'This port serves HTTPS, and the request came over plain HTTP. Write https:// in place of http:// in the ' +
      `address${address === undefined ? '' : `: ${address}`}`,
  );
}

/** A certificate is valid for the address that the client reached only if it has this address. */
function addressOf(pem: string, { localAddress, localPort: port }: Socket): string | undefined {
  const names = certificateNames(new X509Certificate(pem));
  const reached = localAddress?.replace(/^::ffff:(?=\d+\.)/, '');
  const name = names.find((candidate) => candidate === reached) ?? names.find((candidate) => !candidate.includes('*'));
  return name === undefined || port === undefined ? undefined : `https://${isIPv6(name) ? `[${name}]` : name}:${port}`;
}

/** PEM: the certificate with those that lead to the authority behind it, and its private key. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

export interface SecureParts extends Http2Parts {
  readonly limits: ServerLimits;
  readonly certificate: Certificate;
  /** the class of HTTP/1.1 requests */
  readonly Request: typeof ServerRequest;
  /** called with every connection that will speak HTTP/1.1 */
  readonly onHttp1: (socket: TLSSocket) => HttpConnectionState;
  readonly idle: IdleConnections;
}

export interface SecureServer {
  readonly server: Server;
  /** the connections that speak HTTP/2, or have sent nothing yet */
  readonly connections: SecureConnections;
  /** Connections that begin from now on get this one. */
  readonly renew: (certificate: Certificate) => void;
}

export interface SecureConnections {
  readonly count: () => number;
  /** Completes answers in progress, and ends everything else. */
  readonly finish: () => void;
  readonly cut: () => void;
}

const tlsOptions = {
  minVersion: 'TLSv1.2',
  honorCipherOrder: true,
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
} as const;

export function createSecureServer({ certificate, Request, onHttp1, idle, ...parts }: SecureParts): SecureServer {
  const server = createTlsServer({ limits: parts.limits, certificate, Request });
  const handshakes = new Map<string, Socket>();
  const open = new Set<Http2Connection>();
  server.on('connection', (socket: Socket) => {
    const name = nameOf(socket);
    handshakes.set(name, socket);
    idle.opened(socket);
    socket.once('close', () => handshakes.delete(name));
  });
  let current = certificate;
  answerPlainHttp(server, handshakes, (bare) => {
    refusePlainHttp(bare, current.cert);
    parts.onMalformed(bare, 'plain HTTP');
  });
  const speakHttp1 = takeHttp1Listener(server);
  server.on('secureConnection', (socket) => {
    const bare = handshakes.get(nameOf(socket));
    handshakes.delete(nameOf(socket));
    const speaks = (speaker: HttpConnectionState): void => void (bare && idle.speaks(bare, speaker));
    if (socket.alpnProtocol !== 'h2') {
      speaks(onHttp1(socket));
      speakHttp1?.call(server, socket);
      return;
    }
    if (socket.destroyed) return;
    const connection = new Http2Connection(socket, parts);
    open.add(connection);
    speaks({ waiting: (nowMs) => connection.waiting(nowMs), end: () => connection.finish() });
    socket.once('close', () => open.delete(connection));
  });
  return {
    server,
    connections: connectionsOf(handshakes, open),
    renew: (renewed) => {
      server.setSecureContext({ ...renewed, ...tlsOptions });
      current = renewed;
    },
  };
}

/** Calls `refuse` with each bare connection on which a client speaks plain HTTP. */
function answerPlainHttp(
  server: Server,
  handshakes: ReadonlyMap<string, Socket>,
  refuse: (bare: Socket) => void,
): void {
  // before the listener of node:https, which destroys the connection
  server.prependListener('tlsClientError', (error: NodeJS.ErrnoException, socket) => {
    const bare = isPlainHttp(error) ? handshakes.get(nameOf(socket)) : undefined;
    if (bare?.writable === true) refuse(bare);
  });
}

function createTlsServer({
  limits,
  certificate,
  Request,
}: Pick<SecureParts, 'limits' | 'certificate' | 'Request'>): Server {
  return createServer({
    ...certificate,
    ...tlsOptions,
    ...nodeLimits(limits),
    IncomingMessage: Request,
    ALPNProtocols: ['h2', 'http/1.1'],
    handshakeTimeout: limits.headersTimeoutMs,
  });
}

/** Removes the listener of node:https from the server: it then serves only the connections that are passed to it. */
function takeHttp1Listener(server: Server) {
  const [listener] = server.listeners('secureConnection');
  server.removeAllListeners('secureConnection');
  return listener;
}

function connectionsOf(handshakes: ReadonlyMap<string, Socket>, open: ReadonlySet<Http2Connection>): SecureConnections {
  const cutHandshakes = (): void => {
    for (const socket of handshakes.values()) socket.destroy();
  };
  return {
    count: () => handshakes.size + open.size,
    finish: () => {
      cutHandshakes();
      for (const connection of open) connection.finish();
    },
    cut: () => {
      cutHandshakes();
      for (const connection of open) connection.cut();
    },
  };
}

/** A connection is identified by its two addresses: the bare socket and the TLS socket on it have the same. */
function nameOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
}
