// Requests to the origin: GET and HEAD of paths that were made here, forwarded by http-proxy. Nothing of a client's request gets there: http-proxy is
// handed a request made for it, with no body, with headers from a closed list, and with a path out of the serving index. So there is nothing to smuggle (CVE-2026-29057), no
// pseudo header of HTTP/2 on which it would throw, and no credentials but the origin's own. The only file that imports http-proxy.

import { Agent as HttpAgent, type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
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
}

/** An answer whose body has not been read yet. Whoever has it reads it to its end or drops it. */
export interface OriginReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: IncomingMessage;
  /** Frees the connection; harmless once the body was read. */
  readonly drop: () => void;
}

export interface OriginRequests {
  /** Resolves with the head of whatever the origin answers. Rejects with OriginFailure where none comes within `headersTimeoutMs`. */
  readonly open: (request: OriginRequest) => Promise<OriginReply>;
  readonly close: () => void;
}

export interface OriginRequestsOptions {
  readonly address: OriginAddress;
  /** connections at once; what is beyond waits */
  readonly connections: number;
  readonly headersTimeoutMs?: number;
  /** says who asks, in the origin's log */
  readonly userAgent: string;
}

/** Shorter than servers keep idle connections, so that they are mostly ended from here. */
const idleConnectionMs = 15_000;

/** As much of a request as http-proxy looks at: it has ended before it begins. */
class ForwardedRequest extends Readable {
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly socket = { destroyed: false };
  sent: ClientRequest | undefined;
  settle: { readonly resolve: (reply: IncomingMessage) => void; readonly reject: (error: Error) => void } | undefined;

  constructor(method: string, url: string, headers: Record<string, string>) {
    super({ read: () => void this.push(null) });
    this.method = method;
    this.url = url;
    this.headers = headers;
  }
}

export function createOriginRequests({ address, connections, headersTimeoutMs = 10_000, userAgent }: OriginRequestsOptions): OriginRequests {
  const base = new URL(address.url);
  const secure = base.protocol === 'https:';
  const agent = new (secure ? HttpsAgent : HttpAgent)({ keepAlive: true, maxSockets: connections, maxFreeSockets: Math.min(connections, 32), scheduling: 'lifo', timeout: idleConnectionMs });
  const hostname = base.hostname.replace(/^\[|\]$/g, '');
  const target = { protocol: base.protocol, host: hostname, hostname, port: Number(base.port) || (secure ? 443 : 80) };
  const forwarder = httpProxy.createProxyServer({ target, agent, selfHandleResponse: true, toProxy: true, secure: true });
  forwarder.on('proxyReq', (sent, request) => void ((request as unknown as ForwardedRequest).sent = sent));
  forwarder.on('proxyRes', (reply, request) => {
    const { settle } = request as unknown as ForwardedRequest;
    if (settle === undefined) reply.destroy();
    else settle.resolve(reply);
  });
  const prefix = base.pathname.replace(/\/+$/, '');

  const attempt = (method: string, path: string, headers: Record<string, string>): { readonly request: ForwardedRequest; readonly reply: Promise<IncomingMessage> } => {
    const request = new ForwardedRequest(method, `${prefix}/${path.split('/').map(encodeURIComponent).join('/')}`, headers);
    const reply = new Promise<IncomingMessage>((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        request.settle = undefined; // an answer that comes now comes too late
      };
      const fail = (error: Error): void => {
        end();
        reject(new OriginFailure(`${address.url}/${path}: ${error.message}`, { cause: error }));
      };
      const timer = setTimeout(() => {
        fail(new Error(`no answer within ${headersTimeoutMs} ms`));
        request.emit('aborted'); // http-proxy then ends what it sent, waiting or not
      }, headersTimeoutMs);
      request.settle = {
        resolve: (message) => {
          end();
          message.on('error', () => undefined); // whoever reads the body meets it there
          resolve(message);
        },
        reject: fail,
      };
    });
    forwarder.web(request as unknown as IncomingMessage, noResponse, undefined, (error) => request.settle?.reject(error));
    return { request, reply };
  };

  return {
    open: async ({ method, path, ifNoneMatch, ifModifiedSince }) => {
      const headers: Record<string, string> = {
        host: base.host,
        'user-agent': userAgent,
        accept: '*/*',
        'accept-encoding': 'identity',
        ...(address.authorization === undefined ? {} : { authorization: address.authorization.reveal() }),
        ...(ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch }),
        ...(ifModifiedSince === undefined ? {} : { 'if-modified-since': ifModifiedSince }),
      };
      const first = attempt(method, path, headers);
      const message = await first.reply.catch((error: unknown) => {
        // the origin ended an idle connection just when it was used again: that says nothing about the origin
        if (first.request.sent?.reusedSocket === true && isReset(error)) return attempt(method, path, headers).reply;
        throw error;
      });
      return { status: message.statusCode ?? 0, headers: message.headers, body: message, drop: () => message.destroy() };
    },
    close: () => {
      agent.destroy();
      forwarder.close();
    },
  };
}

/** What http-proxy looks at of a response that it is not to write. */
const noResponse = { headersSent: false, finished: false } as unknown as ServerResponse;

function isReset(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause && (cause.code === 'ECONNRESET' || cause.code === 'EPIPE');
}
