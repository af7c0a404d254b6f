// GET /metrics on a separate address. The endpoint needs no token, so clients of the registry must not reach it.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { formatMetrics, metricsContentType, type Family } from './metrics-text.ts';

export interface MetricsListener {
  /** Rejects with Node's error (EADDRINUSE, EACCES…). */
  readonly listen: () => Promise<{ readonly host: string; readonly port: number }>;
  readonly close: () => Promise<void>;
}

export interface MetricsListenerOptions {
  readonly host: string;
  /** 0: any free port */
  readonly port: number;
  readonly families: () => Promise<readonly Family[]>;
  /** Reports a failure; the client gets a 500. */
  readonly onError: (error: unknown) => void;
}

export function createMetricsListener({ host, port, families, onError }: MetricsListenerOptions): MetricsListener {
  const server = createServer(
    { headersTimeout: 5000, requestTimeout: 5000, keepAliveTimeout: 65_000, connectionsCheckingInterval: 1000 },
    (request, response) => void answer(request, response, { families, onError }),
  );
  server.maxConnections = 64;
  return {
    listen: () => listen(server, host, port),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  { url, method }: IncomingMessage,
  response: ServerResponse,
  { families, onError }: Pick<MetricsListenerOptions, 'families' | 'onError'>,
): Promise<void> {
  if (url?.split('?', 1)[0] !== '/metrics') return respond(response, 404, 'Only /metrics is here.\n');
  if (method !== 'GET' && method !== 'HEAD')
    return respond(response, 400, 'Metrics are read with GET.\n', { allow: 'GET, HEAD' });
  try {
    respond(response, 200, formatMetrics(await families()), { 'content-type': metricsContentType });
  } catch (error) {
    onError(error);
    respond(response, 500, 'The metrics cannot be read now; the log has the reason.\n');
  }
}

function respond(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  response
    .writeHead(status, {
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...headers,
    })
    .end(text);
}

function listen(server: Server, host: string, port: number): ReturnType<MetricsListener['listen']> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.removeListener('error', reject);
      const address = server.address() as AddressInfo;
      resolve({ host: address.address, port: address.port });
    });
  });
}
