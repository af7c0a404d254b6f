// Forwards connections to a server with TLS, and counts them. Without a certificate of its own it forwards the bytes;
// with one it ends TLS and starts it anew, so that clients are limited to HTTP/1.1.

import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { connect as connectTls, createServer as createTlsServer } from 'node:tls';

export interface TlsProxy extends AsyncDisposable {
  readonly port: number;
  readonly connections: () => { readonly all: number; readonly mostAtOnce: number };
}

export async function startTlsProxy(
  to: number,
  http1?: { readonly cert: string; readonly key: string; readonly ca: string },
): Promise<TlsProxy> {
  const open = new Set<Socket>();
  let [all, mostAtOnce] = [0, 0];
  const pass = (client: Socket): void => {
    all += 1;
    open.add(client);
    mostAtOnce = Math.max(mostAtOnce, open.size);
    const server =
      http1 === undefined
        ? connect(to, '127.0.0.1')
        : connectTls({ port: to, host: 'localhost', ca: http1.ca, ALPNProtocols: ['http/1.1'] });
    client.pipe(server).pipe(client);
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const)
      one.on('error', () => other.destroy()).on('close', () => other.destroy());
    client.on('close', () => open.delete(client));
  };
  const server =
    http1 === undefined
      ? createServer(pass)
      : createTlsServer({ cert: http1.cert, key: http1.key, ALPNProtocols: ['http/1.1'] }, pass);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => ({ all, mostAtOnce }),
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}
