// A connection to a server on loopback that can be slow, or go dead silently: connections stay open and carry no data.

import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface TcpProxy extends AsyncDisposable {
  readonly port: number;
  /** the connections of clients so far */
  readonly accepted: () => number;
  /** Delays the server's data by this time from now on. */
  delayMs: number;
  /** All present connections carry no data from now on; later ones do. */
  readonly deaden: () => void;
}

interface Line {
  readonly client: Socket;
  readonly server: Socket;
  dead: boolean;
}

export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  const lines = new Set<Line>();
  let accepted = 0;
  const listener = createServer((client) => {
    accepted += 1;
    const line = { client, server: connect(targetPort, '127.0.0.1'), dead: false };
    lines.add(line);
    carry(
      line,
      () => proxy.delayMs,
      () => lines.delete(line),
    );
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const address = listener.address();
  const proxy: TcpProxy = {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    accepted: () => accepted,
    delayMs: 0,
    deaden: () => {
      for (const line of lines) line.dead = true;
    },
    [Symbol.asyncDispose]: async () => {
      for (const { client, server } of lines) {
        client.destroy();
        server.destroy();
      }
      listener.close();
      await once(listener, 'close');
    },
  };
  return proxy;
}

/** Forwards the bytes of both sides. `onEnd`: one side has ended, and the other side ends with it. */
function carry(line: Line, delayMs: () => number, onEnd: () => void): void {
  const { client, server } = line;
  const end = (): void => {
    if (line.dead) return;
    onEnd();
    client.destroy();
    server.destroy();
  };
  for (const socket of [client, server]) socket.setNoDelay(true).on('error', end).on('close', end);
  client.on('data', (bytes) => {
    if (!line.dead) server.write(bytes);
  });
  server.on('data', (bytes) => {
    const pass = (): void => {
      if (!line.dead && !client.destroyed) client.write(bytes);
    };
    if (delayMs() > 0) setTimeout(pass, delayMs());
    else pass();
  });
}
