// GET /metrics, on an address of its own: it asks for no token, so it must not stand where clients reach the registry.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { formatMetrics, metricsContentType, type Family } from './metrics-text.ts';

export interface MetricsListener {
  /** Rejects with Node's error (EADDRINUSE, EACCES…) where the address cannot be had. */
  readonly listen: () => Promise<{ readonly host: string; readonly port: number }>;
  readonly close: () => Promise<void>;
}

export interface MetricsListenerOptions {
  readonly host: string;
  /** 0: any free one */
  readonly port: number;
  readonly families: () => Promise<readonly Family[]>;
  /** hears why metrics could not be had; who asked gets a 500 */
  readonly onError: (error: unknown) => void;
}

export function createMetricsListener({ host, port, families, onError }: MetricsListenerOptions): MetricsListener {
  const server = createServer(
    { headersTimeout: 5000, requestTimeout: 5000, keepAliveTimeout: 65_000, connectionsCheckingInterval: 1000 },
    (request, response) => {
      const say = (status: number, text: string, headers: Readonly<Record<string, string>> = {}): void =>
        void response
          .writeHead(status, {
            'content-type': 'text/plain; charset=utf-8',
            'cache-control': 'no-store',
            'x-content-type-options': 'nosniff',
            ...headers,
          })
          .end(text);
      if (request.url?.split('?', 1)[0] !== '/metrics') say(404, 'Only /metrics is here.\n');
      else if (request.method !== 'GET' && request.method !== 'HEAD')
        say(400, 'Metrics are read with GET.\n', { allow: 'GET, HEAD' });
      else {
        families().then(
          (found) => say(200, formatMetrics(found), { 'content-type': metricsContentType }),
          (error: unknown) => {
            onError(error);
            say(500, 'The metrics cannot be read now; the log has the reason.\n');
          },
        );
      }
    },
  );
  server.maxConnections = 64;
  return {
    listen: () =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen({ host, port }, () => {
          server.removeListener('error', reject);
          const address = server.address() as AddressInfo;
          resolve({ host: address.address, port: address.port });
        });
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
