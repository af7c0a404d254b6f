// Sends requests to the origin: GET and HEAD of paths that are made here, forwarded by http-proxy. No part of a
// client's request reaches the origin (I16). http-proxy gets a synthetic request: no body, headers from a closed list,
// and a path from the serving index. So smuggling (CVE-2026-29057) is impossible, no HTTP/2 pseudo header makes
// http-proxy throw, and only the origin's own credentials are sent. Only this file imports http-proxy.

import {
  Agent as HttpAgent,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { Readable } from 'node:stream';
import httpProxy from 'http-proxy';
import type { OriginAddress } from './origin-address.ts';
import { OriginFailure } from './origin-failure.ts';

export interface OriginRequest {
  readonly method: 'GET' | 'HEAD';
  /** below the origin's address, not encoded: `index/acme/core.json` */
  readonly path: string;
  readonly ifNoneMatch?: string | undefined;
  readonly ifModifiedSince?: string | undefined;
  /** hex, of the published bytes, where it is known: an object store then sends exactly these */
  readonly sha256?: string | undefined;
  /** The newest publication is asked for, and not the one that was taken last. */
  readonly newest?: boolean;
}

/** A response with an unread body. Its owner reads the body to its end or drops the response. */
export interface OriginReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readable;
  /** Frees the connection; harmless once the body was read. */
  readonly drop: () => void;
}

export interface OriginRequests {
  /** Resolves with the head of any response. Rejects with OriginFailure if none arrives within `headersTimeoutMs`. */
  readonly open: (request: OriginRequest) => Promise<OriginReply>;
  /** The publication of the last reply to `newest` is in effect: all later requests are for its files. */
  readonly taken?: () => void;
  /** A URL that is the right to GET an archive for a minute; undefined: there is none. Only object stores have it. */
  readonly presigned?: (path: string) => Promise<string | undefined>;
  readonly close: () => void;
}

export interface OriginRequestsOptions {
  readonly address: OriginAddress;
  /** maximum number of connections; further requests wait */
  readonly connections: number;
  readonly headersTimeoutMs?: number;
  /** identifies this server in the origin's log */
  readonly userAgent: string;
}

/** Shorter than servers keep idle connections, so that they are mostly ended from here. */
const idleConnectionMs = 15_000;

/** The part of a request that http-proxy reads: it has already ended. It also receives the outcome. */
class ForwardedRequest extends Readable {
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly socket = { destroyed: false };
  /** the outgoing request, after it has a connection */
  sent: ClientRequest | undefined;
  #settle: { readonly resolve: (reply: IncomingMessage) => void; readonly reject: (error: Error) => void } | undefined;

  constructor(method: string, url: string, headers: Record<string, string>) {
    super({ read: () => void this.push(null) });
    this.method = method;
    this.url = url;
    this.headers = headers;
  }

  /** The head of the response. Rejects with the error, or after `timeoutMs`. */
  answered(timeoutMs: number): Promise<IncomingMessage> {
    const timer = setTimeout(() => {
      this.failed(new Error(`no answer within ${timeoutMs} ms`));
      this.emit('aborted'); // http-proxy then ends what it sent, waiting for a connection or not
    }, timeoutMs);
    return new Promise<IncomingMessage>((resolve, reject) => (this.#settle = { resolve, reject })).finally(() =>
      clearTimeout(timer),
    );
  }

  arrived(reply: IncomingMessage): void {
    reply.on('error', () => undefined); // the reader of the body receives the error
    if (this.#settle === undefined) reply.destroy(); // the response arrived after the timeout
    this.#settle?.resolve(reply);
    this.#settle = undefined;
  }

  failed(error: Error): void {
    this.#settle?.reject(error);
    this.#settle = undefined;
  }
}

export function createOriginRequests({
  address,
  connections,
  headersTimeoutMs = 10_000,
  userAgent,
}: OriginRequestsOptions): OriginRequests {
  const base = new URL(address.url);
  const { forwarder, close } = createForwarder(base, connections);
  const prefix = base.pathname.replace(/\/+$/, '');
  const own = {
    host: base.host,
    'user-agent': userAgent,
    accept: '*/*',
    'accept-encoding': 'identity',
    ...(address.authorization === undefined ? {} : { authorization: address.authorization.reveal() }),
  };
  const open = async (asked: OriginRequest, again = false): Promise<OriginReply> => {
    const { method, path } = asked;
    const url = `${prefix}/${path.split('/').map(encodeURIComponent).join('/')}`;
    const request = new ForwardedRequest(method, url, { ...own, ...conditionsOf(asked) });
    const answered = request.answered(headersTimeoutMs);
    forwarder.web(request as unknown as IncomingMessage, noResponse, undefined, (error) => request.failed(error));
    try {
      const body = await answered;
      return { status: body.statusCode ?? 0, headers: body.headers, body, drop: () => body.destroy() };
    } catch (error) {
      // the origin closed an idle connection at the moment of its reuse, which is no failure of the origin
      if (!again && request.sent?.reusedSocket === true && isReset(error)) return open(asked, true);
      throw new OriginFailure(`${address.url}/${path}: ${(error as Error).message}`, { cause: error });
    }
  };
  return { open: (request) => open(request), close };
}

function conditionsOf({ ifNoneMatch, ifModifiedSince }: OriginRequest): Record<string, string> {
  return {
    ...(ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch }),
    ...(ifModifiedSince === undefined ? {} : { 'if-modified-since': ifModifiedSince }),
  };
}

function createForwarder({ protocol, hostname: named, port }: URL, connections: number) {
  const secure = protocol === 'https:';
  const agent = new (secure ? HttpsAgent : HttpAgent)({
    keepAlive: true,
    maxSockets: connections,
    maxFreeSockets: Math.min(connections, 32),
    scheduling: 'lifo',
    timeout: idleConnectionMs,
  });
  const hostname = named.replace(/^\[|\]$/g, '');
  const target = { protocol, host: hostname, hostname, port: Number(port) || (secure ? 443 : 80) };
  const forwarder = httpProxy.createProxyServer({
    target,
    agent,
    selfHandleResponse: true,
    toProxy: true,
    secure: true,
  });
  forwarder.on('proxyReq', (sent, request) => void ((request as unknown as ForwardedRequest).sent = sent));
  forwarder.on('proxyRes', (reply, request) => (request as unknown as ForwardedRequest).arrived(reply));
  return { forwarder, close: () => agent.destroy() };
}

/** The fields of a response that http-proxy reads and never writes. */
const noResponse = { headersSent: false, finished: false } as unknown as ServerResponse;

function isReset(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
}
