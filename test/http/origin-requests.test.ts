// Tests requests to an origin over real connections: time limits, reused connections, and bodies that stop.

import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { IndexEntry } from '../../build/contract/serving-index.ts';
import { Secret } from '../../build/shared/text/secret.ts';
import { OriginFailure } from '../../proxy/origin/origin-failure.ts';
import { createOriginRequests, type OriginRequests } from '../../proxy/origin/origin-requests.ts';
import { originStream } from '../../proxy/origin/origin-archives.ts';
import { fetchWhole } from '../../proxy/origin/origin-text.ts';
import { createAuthority } from '../util/certificate.ts';
import { eventually } from '../util/eventually.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';
import { sha1, zipBytes } from '../util/hand-made-tree.ts';

let server: Server;
let requests: OriginRequests;
const sockets = new Set<Socket>();

async function ask(
  listener: RequestListener,
  options: { readonly connections?: number; readonly headersTimeoutMs?: number } = {},
): Promise<OriginRequests> {
  server = createServer({ keepAliveTimeout: 60_000 }, listener);
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  requests = createOriginRequests({
    address: { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/base`, authorization: undefined },
    connections: options.connections ?? 4,
    headersTimeoutMs: options.headersTimeoutMs ?? 20_000,
    userAgent: 'test',
  });
  return requests;
}
afterEach(() => {
  requests.close();
  server.close();
  server.closeAllConnections();
});

const get = (path: string) => ({ method: 'GET', path }) as const;

describe('a request to an origin', () => {
  it('uses the path below the address, encoded segment by segment', async () => {
    const seen: string[] = [];
    const origin = await ask((request, response) => (seen.push(request.url ?? ''), response.end()));
    for (const path of [
      'public/dist/acme/hello/dev-a+b #%?\\ü.zip',
      'public/dist/http:/x/1.zip',
      'index/acme/hello~dev.json',
    ])
      (await origin.open(get(path))).body.resume();
    expect(seen).toEqual([
      '/base/public/dist/acme/hello/dev-a%2Bb%20%23%25%3F%5C%C3%BC.zip',
      '/base/public/dist/http%3A/x/1.zip',
      '/base/index/acme/hello~dev.json',
    ]);
  });

  it('is given up without a timely answer, sent or waiting for a connection, and frees the connection', async () => {
    const answers: RequestListener = ({ url }, response) => void (url?.endsWith('file-4') === true && response.end());
    const origin = await ask(answers, { connections: 1, headersTimeoutMs: 200 });
    const outcomes = await Promise.allSettled([1, 2, 3].map((at) => origin.open(get(`file-${at}`))));
    for (const outcome of outcomes)
      expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(OriginFailure) });
    // Node 24 keeps a connection that was opened for an abandoned request; Node 20 closes it
    await eventually(() => sockets.size <= 1);
    const status = (): Promise<number> => origin.open(get('file-4')).then((reply) => reply.status);
    await expect.poll(() => status().catch(String)).toBe(200); // a busy machine may need two tries
  });

  it('reuses a connection, and is sent once more where the origin closed that connection', async () => {
    let count = 0;
    const origin = await ask((request, response) => {
      count += 1;
      if (count === 2) request.socket.destroy();
      else response.end(`answer ${count}`);
    });
    expect(await fetchWhole(origin, 'a', 100)).toMatchObject({ bytes: Buffer.from('answer 1') });
    expect(await fetchWhole(origin, 'a', 100)).toMatchObject({ bytes: Buffer.from('answer 3') });
  });

  it.skipIf(lacks('openssl'))('is sent over TLS only to a server with a trusted certificate', async () => {
    const folder = temporaryFolder('tls');
    const asked: unknown[] = [];
    const secure = createSecureServer(
      createAuthority(folder.path).issue('one'),
      (request, response) => (asked.push(request.headers.authorization), response.end()),
    );
    await new Promise<void>((resolve) => secure.listen(0, '127.0.0.1', resolve));
    await ask((_, response) => response.end());
    const origin = createOriginRequests({
      address: {
        url: `https://localhost:${(secure.address() as AddressInfo).port}`,
        authorization: new Secret('Bearer of-the-tree'),
      },
      connections: 4,
      userAgent: 'test',
    });
    await expect(origin.open(get('a'))).rejects.toThrow(/certificate/);
    expect(asked).toEqual([]);
    origin.close();
    secure.close();
    await folder.remove();
  });

  it('is sent once where a new connection was reset', async () => {
    let count = 0;
    const origin = await ask((request) => {
      count += 1;
      request.socket.destroy();
    });
    await expect(fetchWhole(origin, 'a', 100)).rejects.toThrow(OriginFailure);
    expect(count).toBe(1);
  });

  it.each<[string, RequestListener]>([
    [
      'more than is taken',
      (_, response) => void response.writeHead(200, { 'content-length': 1000 }).end(Buffer.alloc(1000)),
    ],
    [
      'more than is taken, without saying so',
      (_, response) => void response.writeHead(200, { 'transfer-encoding': 'chunked' }).end(Buffer.alloc(100_000)),
    ],
    [
      'an error page without end',
      (_, response) => {
        response.writeHead(500);
        const timer = setInterval(() => response.write(Buffer.alloc(1000)), 1);
        response.on('close', () => clearInterval(timer));
      },
    ],
  ])('frees its connection when the origin sends %s', async (_, listener) => {
    const origin = await ask(listener);
    await expect(fetchWhole(origin, 'a', 100)).rejects.toThrow(OriginFailure);
    await eventually(() => sockets.size === 0);
  });

  it('carries no validators for a file that was replaced within a second of its fetch', async () => {
    const asked: unknown[] = [];
    const origin = await ask((request, response) => {
      asked.push(request.headers['if-none-match']);
      response
        .setHeader('etag', '"1"')
        .setHeader('last-modified', new Date(asked.length === 1 ? Date.now() : Date.now() - 60_000).toUTCString())
        .end('text');
    });
    const first = await fetchWhole(origin, 'a', 100);
    const second = await fetchWhole(origin, 'a', 100, first.outcome === 'whole' ? first.validators : {});
    await fetchWhole(origin, 'a', 100, second.outcome === 'whole' ? second.validators : {});
    expect(asked).toEqual([undefined, undefined, '"1"']);
  });
});

describe('an archive from the origin', () => {
  const zip = zipBytes('x', 400_000);
  const entry = { path: 'dist/acme/hello/1.zip', size: zip.length, shasum: sha1(zip) } as unknown as IndexEntry;
  const open = async (listener: RequestListener, idleTimeoutMs: number) => {
    const failures: unknown[] = [];
    const file = originStream(
      await (await ask(listener)).open(get('a')),
      entry,
      (error) => void failures.push(error),
      idleTimeoutMs,
    );
    const readAll = async (pauseMs = 0): Promise<Buffer> => {
      const whole = Buffer.alloc(zip.length);
      for (let at = 0; at < zip.length;) {
        at += (await file.handle.read(whole, at, 60_000, at)).bytesRead;
        if (pauseMs > 0 && at > 200_000 && at < 270_000) await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
      await file.handle.close();
      return whole;
    };
    return { file, failures, readAll };
  };

  it('arrives complete, however slowly the client reads', async () => {
    const { readAll, failures } = await open((_, response) => response.end(zip), 200);
    expect((await readAll(500)).equals(zip)).toBe(true);
    expect(failures).toEqual([]);
  });

  it('is given up where the origin stops halfway', async () => {
    const { readAll, failures } = await open((_, response) => void response.write(zip.subarray(0, 100_000)), 200);
    await expect(readAll()).rejects.toThrow('broke off');
    expect(failures).toHaveLength(1);
    await eventually(() => sockets.size === 0);
  });

  it('frees its connection at once when no client wants it any more, without a failure', async () => {
    const { file, readAll, failures } = await open(
      (_, response) => void response.write(zip.subarray(0, 100_000)),
      10_000,
    );
    const reading = readAll();
    file.abandon?.();
    await expect(reading).rejects.toThrow();
    expect(failures).toEqual([]);
    await eventually(() => sockets.size === 0);
  });
});
