// A static server over a folder, used as an origin, which misbehaves on command; and a proxy that serves from it. It
// records every request, and knows the number of open connections.

import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { Secret } from '../../build/shared/text/secret.ts';
import { connectToServer, createOriginFiles, type OriginFiles } from '../../proxy/origin/origin-files.ts';
import type { OriginNotice } from '../../proxy/origin/origin-failure-log.ts';
import { runProxy, type RunningOptions, type RunningProxy } from './running-proxy.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { HandMadeTree } from './hand-made-tree.ts';

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  /** the bytes of an unexpected body */
  bodyBytes: number;
}

/** True: the test answers the request; false: the static server does. */
export type Misbehave = (request: IncomingMessage, response: ServerResponse) => boolean;

export interface OriginServer extends AsyncDisposable {
  readonly url: string;
  readonly seen: SeenRequest[];
  /** paths requested since the last call */
  readonly asked: () => string[];
  readonly connections: () => number;
  misbehave: Misbehave;
  /** Refuses connections until it is resumed. */
  readonly goAway: () => Promise<void>;
  readonly comeBack: () => Promise<void>;
}

export async function startOrigin(directory: string): Promise<OriginServer> {
  const sockets = new Set<Socket>();
  const seen: SeenRequest[] = [];
  let told = 0;
  const server = createServer((request, response) => {
    seen.push(recordOf(request));
    if (!origin.misbehave(request, response)) serveFile(directory, request, response);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  const listen = (port: number): Promise<void> => new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const origin: OriginServer = {
    url: `http://127.0.0.1:${port}`,
    seen,
    asked: () => {
      const paths = seen.slice(told).map(({ url }) => url);
      told = seen.length;
      return paths;
    },
    connections: () => sockets.size,
    misbehave: () => false,
    goAway: close,
    comeBack: () => listen(port),
    [Symbol.asyncDispose]: close,
  };
  return origin;
}

function recordOf(request: IncomingMessage): SeenRequest {
  const { method = '', url = '', headers } = request;
  const record: SeenRequest = { method, url, headers, bodyBytes: 0 };
  request.on('data', (piece: Buffer) => (record.bodyBytes += piece.length));
  return record;
}

/** Answers with the validators of nginx. */
function serveFile(directory: string, request: IncomingMessage, response: ServerResponse): void {
  const path = join(directory, decodeURIComponent(request.url ?? ''));
  if (!existsSync(path) || !statSync(path).isFile()) {
    response.writeHead(404, { 'content-type': 'text/html' }).end('<html>404 Not Found</html>');
    return;
  }
  const { mtimeMs, size } = statSync(path);
  const validators = {
    etag: `"${Math.floor(mtimeMs / 1000).toString(16)}-${size.toString(16)}"`,
    'last-modified': new Date(mtimeMs).toUTCString(),
  };
  if (request.headers['if-none-match'] === validators.etag) response.writeHead(304, validators).end();
  else
    response
      .writeHead(200, { ...validators, 'content-type': 'application/octet-stream', 'content-length': size })
      .end(request.method === 'HEAD' ? undefined : readFileSync(path));
}

export interface ServedOrigin extends AsyncDisposable {
  readonly origin: OriginServer;
  readonly tree: HandMadeTree;
  readonly proxy: RunningProxy;
  readonly notices: readonly OriginNotice[];
  readonly files: OriginFiles;
  /** Moves the clock that decides on repeated requests; timers run on. */
  readonly skip: (ms: number) => void;
}

/** A proxy on an origin with a hand-made tree. It checks for a publication every 100 ms. */
export async function serveOrigin(
  options: RunningOptions & { readonly authorization?: string; readonly cacheBytes?: number } = {},
): Promise<ServedOrigin> {
  const folder = temporaryFolder('origin');
  const tree = new HandMadeTree(folder.path);
  const origin = await startOrigin(folder.path);
  const notices: OriginNotice[] = [];
  let skippedMs = 0;
  const files = createOriginFiles({
    origin: connectToServer(
      {
        url: origin.url,
        authorization: options.authorization === undefined ? undefined : new Secret(options.authorization),
      },
      'Libretto/test',
    ),
    checkEveryMs: 100,
    cacheBytes: options.cacheBytes ?? 8 * 1024 * 1024,
    onNewer: () => undefined,
    notice: (notice) => void notices.push(notice),
    monotonicMs: () => performance.now() + skippedMs,
  });
  const proxy = await runProxy({ tokens: { reader: 100_000 }, ...options, files: files.files });
  return {
    origin,
    tree,
    proxy,
    notices,
    files,
    skip: (ms) => void (skippedMs += ms),
    [Symbol.asyncDispose]: async () => {
      await proxy[Symbol.asyncDispose]();
      files.close();
      await origin[Symbol.asyncDispose]();
      await folder.remove();
    },
  };
}
