// Tests a broken or hostile origin against clients (I15), and a hostile client against an origin (I16).

import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../util/eventually.ts';
import { serveOrigin, type Misbehave, type ServedOrigin } from '../util/origin-server.ts';
import { exchange, openConnection } from '../util/raw-client.ts';
import { zipBytes, type VersionSpec } from '../util/hand-made-tree.ts';
import { playsSeries } from '../util/series.ts';

const spec = (version: string, size?: number): VersionSpec => ({
  version,
  normalized: `${version}.0`,
  zip: zipBytes(version, size),
});
const small = spec('1.0.0');
const large = spec('2.0.0', 3_000_000);

let served: ServedOrigin;
beforeEach(async () => {
  served = await serveOrigin({ authorization: 'Basic b3JpZ2luOnNlY3JldA==' });
  served.tree.put('acme/hello', [large, small]);
  served.tree.publish();
});
afterEach(() => served[Symbol.asyncDispose]());

const distOf = (version: VersionSpec): string => `/dist/acme/hello/${version.version}.zip`;
const reachesUs = (request: Parameters<Misbehave>[0]): boolean => (request.url ?? '').includes('/dist/');
const onDist =
  (misbehave: (...args: Parameters<Misbehave>) => unknown): Misbehave =>
  (request, response) =>
    reachesUs(request) && (misbehave(request, response), true);

describe('row 10: a request that carries another one in its body', () => {
  const inner = 'GET /public/packages.json HTTP/1.1\r\nHost: origin\r\n\r\n';
  it.each([
    ['DELETE', 'Transfer-Encoding: chunked', `${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`],
    ['OPTIONS', 'Transfer-Encoding: chunked', `${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`],
    ['GET', `Content-Length: ${inner.length}`, inner],
    ['POST', `Content-Length: ${inner.length}`, inner],
    ['HEAD', 'Transfer-Encoding: chunked', `${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`],
  ])('%s with %s never reaches the origin', async (method, framing, body) => {
    await served.proxy.get('/packages.json');
    await served.proxy.get(distOf(small));
    served.origin.asked();
    const reply = await exchange(
      served.proxy.port,
      `${method} ${distOf(large)} HTTP/1.1\r\nHost: registry\r\nAuthorization: Bearer reader\r\n${framing}\r\n\r\n${body}`,
    );
    expect(reply.status).toBe(400);
    expect(served.origin.asked().filter((path) => !path.endsWith('_publication.json'))).toEqual([]);
    expect(
      served.origin.seen.every(({ method: seen, bodyBytes }) => (seen === 'GET' || seen === 'HEAD') && bodyBytes === 0),
    ).toBe(true);
  });
});

describe('row 20: a client that hangs up during a download', () => {
  it('frees the connection to the origin, is counted as aborted, and is no fault in the log', async () => {
    served.origin.misbehave = onDist((_, response) => {
      response.writeHead(200, { 'content-length': large.zip.length });
      response.write(large.zip.subarray(0, 1_000_000)); // the client reads no further
    });
    await served.proxy.get('/p2/acme/hello.json');
    const before = served.origin.connections();
    const client = await openConnection(served.proxy.port);
    client.write(`GET ${distOf(large)} HTTP/1.1\r\nHost: registry\r\nAuthorization: Bearer reader\r\n\r\n`);
    await new Promise((resolve) => client.once('data', resolve));
    expect(served.origin.connections()).toBe(before + 1);
    client.destroy();
    await eventually(() => served.origin.connections() === before);
    await eventually(() => served.proxy.lines.some(({ aborted }) => aborted === true));
    expect(served.proxy.lines.filter(({ level }) => Number(level) >= 50)).toEqual([]);
    expect(served.notices).toEqual([]);
  });
});

describe('row 21: an origin that', () => {
  const behaviours: readonly [string, Misbehave][] = [
    ['answers 500', onDist((_, response) => response.writeHead(500).end('<html>oops</html>'))],
    [
      'answers 401',
      onDist((_, response) => response.writeHead(401, { 'www-authenticate': 'Basic realm="origin"' }).end()),
    ],
    ['answers 403', onDist((_, response) => response.writeHead(403).end('<Error><Code>AccessDenied</Code></Error>'))],
    ['redirects', onDist((_, response) => response.writeHead(302, { location: 'http://127.0.0.1:9/elsewhere' }).end())],
    [
      'answers with a part',
      onDist((_, response) =>
        response.writeHead(206, { 'content-length': 5, 'content-range': 'bytes 0-4/300' }).end('bytes'),
      ),
    ],
    ['has lost the file', onDist((_, response) => response.writeHead(404).end())],
    [
      'says another length',
      onDist((_, response) => response.writeHead(200, { 'content-length': 7 }).end('PK short'.slice(0, 7))),
    ],
    ['resets before it answers', onDist((_, response) => response.destroy())],
    [
      'compresses what it should not',
      onDist((_, response) =>
        response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': 300 }).end(zipBytes('x')),
      ),
    ],
    ['speaks no HTTP', onDist((request) => request.socket.end('nonsense\r\n\r\n'))],
  ];
  it.each(behaviours)('%s gives 500 UPSTREAM_UNAVAILABLE without any header of the origin', async (_, misbehave) => {
    served.origin.misbehave = misbehave;
    for (const version of [small, large]) {
      const reply = await served.proxy.get(distOf(version));
      expect([reply.status, reply.headers['retry-after'], reply.json()]).toMatchObject([
        500,
        '5',
        { code: 'UPSTREAM_UNAVAILABLE' },
      ]);
      expect([reply.headers['location'], reply.headers['www-authenticate']]).toEqual([undefined, undefined]);
      expect(reply.headers['x-ratelimit-limit']).toBe('100000');
    }
    served.origin.misbehave = () => false;
    expect((await served.proxy.get(distOf(large))).body.equals(large.zip)).toBe(true);
  });

  const broken: readonly [string, (response: Parameters<Misbehave>[1]) => unknown][] = [
    ['resets mid-body', (response) => response.write(large.zip.subarray(0, 2_000_000), () => response.destroy())],
    ['sends other bytes of the right length', (response) => response.end(zipBytes('not that one', large.zip.length))],
    [
      'turns over one bit at the end',
      (response) =>
        response.end(Buffer.concat([large.zip.subarray(0, -1), Buffer.from([(large.zip.at(-1) ?? 0) ^ 1])])),
    ],
  ];
  it.each(broken)(
    '%s makes the server cut the connection, and no client gets a body that looks complete',
    async (_, send) => {
      served.origin.misbehave = onDist((_, response) => {
        response.writeHead(200, { 'content-length': large.zip.length });
        send(response);
      });
      const received = await receive(distOf(large));
      expect(received.closed).toBe(true);
      expect(received.head).toContain(`Content-Length: ${large.zip.length}`);
      expect(received.bodyBytes).toBeLessThan(large.zip.length);
      expect(served.notices.length).toBe(1);
    },
  );

  it('sends other bytes for a small archive gives 500, and the bytes are not stored', async () => {
    served.origin.misbehave = onDist((_, response) =>
      response.writeHead(200, { 'content-length': small.zip.length }).end(zipBytes('others', small.zip.length)),
    );
    expect((await served.proxy.get(distOf(small))).status).toBe(500);
    served.origin.misbehave = () => false;
    expect((await served.proxy.get(distOf(small))).body.equals(small.zip)).toBe(true);
  });

  it.each([
    ['document', '/public/p2/acme/hello.json', (text: string) => text.replace('Made by hand', 'Made by foes')],
    ['index', '/index/acme/hello.json', (text: string) => text.replace('"published"', '"withdrawn"')],
    ['packages.json', '/public/packages.json', (text: string) => text.replace('acme/hello', 'acme/hullo')],
  ])('has another %s than was published is never served', async (_, path, change) => {
    served.origin.misbehave = (request, response) =>
      request.url === path &&
      (response.writeHead(200).end(change(readFileSync(`${served.tree.data}${path}`, 'utf8'))), true);
    const asked = path.includes('packages.json') ? '/packages.json' : '/p2/acme/hello.json';
    expect(await served.proxy.get(asked).then(({ status, json }) => [status, json()['code']])).toEqual([
      500,
      'UPSTREAM_UNAVAILABLE',
    ]);
    served.origin.misbehave = () => false;
    served.skip(1100); // the proxy reads one package from the origin at most once a second
    expect((await served.proxy.get(asked)).status).toBe(200);
  });

  it('fails is logged once a minute, whatever clients request', async () => {
    served.origin.misbehave = onDist((_, response) => response.writeHead(500).end());
    for (let turn = 0; turn < 20; turn += 1) await served.proxy.get(distOf(small));
    expect(served.notices).toHaveLength(1);
    expect(served.proxy.lines.filter(({ level }) => Number(level) >= 50)).toEqual([]);
  });
});

describe('row 22: credentials', () => {
  it('the origin gets its own credentials and no header of the client', async () => {
    const sent = {
      authorization: 'Bearer reader',
      cookie: 'session=1',
      'x-forwarded-for': '203.0.113.9',
      'if-none-match': '"a"',
      range: 'bytes=0-1',
      te: 'trailers',
      referer: 'http://secret.example/',
    };
    await served.proxy.get('/packages.json', sent);
    await served.proxy.get('/p2/acme/hello.json', sent);
    for (const version of [small, large]) await served.proxy.get(distOf(version), sent);
    await served.proxy.get(distOf(large), sent, 'HEAD');
    expect(served.origin.seen.length).toBeGreaterThanOrEqual(7);
    for (const { headers } of served.origin.seen) {
      expect(headers.authorization).toBe('Basic b3JpZ2luOnNlY3JldA==');
      expect(
        Object.keys(headers).filter(
          (name) =>
            ![
              'host',
              'user-agent',
              'accept',
              'accept-encoding',
              'authorization',
              'connection',
              'if-none-match',
              'if-modified-since',
            ].includes(name),
        ),
      ).toEqual([]);
      expect(headers['if-none-match']).not.toBe('"a"');
    }
  });

  it('a client without a valid token gets nothing of the origin', async () => {
    expect((await served.proxy.get(distOf(large), { authorization: '' })).status).toBe(401);
    expect((await served.proxy.get(distOf(large), { authorization: 'Bearer other' })).status).toBe(401);
    expect(served.origin.seen).toEqual([]);
  });
});

describe('F11: many aborted downloads', () => {
  it('leave no connection to the origin', async () => {
    const rounds = playsSeries ? 20 : 4;
    served.origin.misbehave = onDist((_, response) => {
      response.writeHead(200, { 'content-length': large.zip.length });
      response.write(large.zip.subarray(0, 300_000));
    });
    await served.proxy.get('/p2/acme/hello.json');
    const before = served.origin.connections();
    const abort = async (): Promise<void> => {
      const client = connect(served.proxy.port, '127.0.0.1');
      client.on('error', () => undefined);
      client.write(`GET ${distOf(large)} HTTP/1.1\r\nHost: registry\r\nAuthorization: Bearer reader\r\n\r\n`);
      await new Promise((resolve) => client.once('data', resolve));
      client.destroy();
    };
    for (let round = 0; round < rounds; round += 1) await Promise.all(Array.from({ length: 50 }, abort));
    await eventually(() => served.origin.connections() <= before);
    expect(served.origin.asked().filter((path) => path.includes('/dist/'))).toHaveLength(rounds * 50);
    served.origin.misbehave = () => false;
    expect((await served.proxy.get(distOf(large))).body.equals(large.zip)).toBe(true);
  });
});

/** The bytes of one answer until the connection ends or falls silent. */
function receive(
  path: string,
): Promise<{ readonly head: string; readonly bodyBytes: number; readonly closed: boolean }> {
  return new Promise((resolve) => {
    const client = connect(served.proxy.port, '127.0.0.1');
    let text = '';
    const quiet = setTimeout(() => finish(false), 5000);
    const finish = (closed: boolean): void => {
      clearTimeout(quiet);
      client.destroy();
      const end = text.indexOf('\r\n\r\n');
      resolve({ head: text.slice(0, end), bodyBytes: text.length - end - 4, closed });
    };
    client.on('data', (piece: Buffer) => (text += piece.toString('latin1')));
    client.on('error', () => undefined);
    client.on('close', () => finish(true));
    client.write(`GET ${path} HTTP/1.1\r\nHost: registry\r\nAuthorization: Bearer reader\r\n\r\n`);
  });
}
