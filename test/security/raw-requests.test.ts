// Tests the serving rows of the case table (paths, framing, HTTP) with raw bytes on a socket. One process gets all of
// them and continues (I10).

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exchange } from '../util/raw-client.ts';
import { runProxy, type RunningProxy } from '../util/running-proxy.ts';
import { zipBytes } from '../util/hand-made-tree.ts';

let served: RunningProxy;

beforeAll(async () => {
  served = await runProxy({ tokens: { reader: 100_000 } });
  served.tree.put('acme/hello', [{ version: '1.0.0', normalized: '1.0.0.0', zip: zipBytes('1.0.0') }]);
  served.tree.publish();
});
afterAll(() => served[Symbol.asyncDispose]());

const host = 'Host: libretto.test\r\n';
const token = 'Authorization: Bearer reader\r\n';
const ask = (target: string, headers = host + token, method = 'GET') =>
  exchange(served.port, `${method} ${target} HTTP/1.1\r\n${headers}\r\n`, 30);
const codeOf = (body: string): unknown => (JSON.parse(body) as Record<string, unknown>)['code'];

/** Expects a refusal in the usual error body, from a server that continues to serve. */
async function expectRefusal(reply: Awaited<ReturnType<typeof exchange>>, status: number, code: string): Promise<void> {
  expect([reply.status, codeOf(reply.body)]).toEqual([status, code]);
  expect(Object.keys(JSON.parse(reply.body) as object)).toEqual(['error', 'code', 'details']);
  expect(reply.head.toLowerCase()).toContain('content-type: application/json\r\n');
  expect((await served.get('/packages.json')).status).toBe(200);
}

describe.each([
  [
    'row 1',
    [
      '/dist/../../etc/passwd',
      '/../../../etc/passwd',
      '/p2/../packages.json',
      '/./packages.json',
      '/dist/acme/hello/../../../packages.json.zip',
      '/public/packages.json',
      '/index/acme/hello.json',
      '/dist/acme/hello/..zip',
      '/dist/acme/hello/../x.zip',
    ],
  ],
  [
    'row 2',
    [
      '/p2/%2e%2e%2fetc.json',
      '/p2/acme%2Fhello.json',
      '/p2/acm%65/hello.json',
      '/p2/%61cme/hello.json',
      '/dist/acme%2Fhello/1.0.0.zip',
      '/dist/acme/hello/%2e%2e%2f%2e%2e%2fx.zip',
      '/dist/acme/hello/%252e%252e/x.zip',
      '/packages%2Ejson',
    ],
  ],
  [
    'row 4',
    [
      '/p2/%zz',
      '/p2/%zz/x.json',
      '/p2/acme/%00.json',
      '/dist/acme/hello/1.0.0%00.zip',
      '/dist/acme/hello/..\\..\\x.zip',
      '/\\..\\',
      '//evil/x',
      '/packages.json#frag',
      '/p2/acme/hello.json#frag',
      '/dist/acme/hello/1.0.0%0a.zip',
    ],
  ],
  [
    'row 6',
    [
      '/dist/acme/hello/1.0.0.zip/..',
      '/p2/CON/aux.json',
      '/p2/Ac%6De/hello.json',
      `/p2/acme/${'x'.repeat(300)}.json`,
      `/p2/${'x'.repeat(300)}/y.json`,
      `/dist/acme/hello/${'1'.repeat(300)}.zip`,
      `/p2/acme/hello$${'a'.repeat(65)}.json`,
      `/${'x'.repeat(8000)}`,
      '/p2/acme/hello~dev~dev.json',
      '/p2/acme/hel--lo-.json',
    ],
  ],
])('%s: paths outside the routes', (_row, targets) => {
  it.each(targets)('the path %s is 404', async (target) => expectRefusal(await ask(target), 404, 'NOT_FOUND'));
});

it('row 2: a hostile name is refused in bounded time, with or without a token', async () => {
  for (const target of [
    `/p2/x/${'a'.repeat(99)}_.json`,
    `/dist/${'a'.repeat(99)}-/x/1.zip`,
    `/p2/${'a-'.repeat(49)}-/x.json`,
  ])
    expect((await ask(target, host)).status).toBe(404);
});

it('row 3: the raw invalid escape that Composer sends is answered', async () => {
  expect((await ask('/p2/acme/hello$%hash%.json')).status).toBe(200);
  expect((await ask('/p2/acme/hello~dev$%hash%.json')).status).toBe(200);
  expect((await ask('/p2/acme/none~dev$%hash%.json')).status).toBe(404);
});

it.each([
  ['a raw NUL', '/p2/\0.json'],
  ['raw UTF-8', '/p2/ü.json'],
  ['a space', '/p2/a b.json'],
])('row 4: %s in the target gets 400 from the parser', async (_name, target) => {
  await expectRefusal(
    await exchange(served.port, Buffer.from(`GET ${target} HTTP/1.1\r\n${host}\r\n`)),
    400,
    'BAD_REQUEST',
  );
});

describe('row 5: a target that is no path', () => {
  it.each([
    ['GET', 'http://evil/packages.json'],
    ['OPTIONS', '*'],
    ['CONNECT', 'evil:443'],
    ['GET', 'packages.json'],
  ])('the request %s %s gets 400', async (method, target) => {
    const reply = await ask(target, host + token, method);
    expect(reply.closed).toBe(true);
    if (target === 'packages.json') expect(reply.status).toBe(400); // from the parser
    else await expectRefusal(reply, 400, 'BAD_TARGET');
  });
});

describe('row 7: a header that may occur only once', () => {
  it.each([
    ['Host', `${host}Host: evil\r\n${token}`],
    ['Host in another case', `${host}hOST: libretto.test\r\n${token}`],
    ['Authorization', `${host}${token}Authorization: Bearer other\r\n`],
    ['the same Authorization', `${host}${token}${token}`],
  ])('is refused when it occurs twice: %s', async (_name, headers) => {
    const reply = await ask('/packages.json', headers);
    await expectRefusal(reply, 400, 'DUPLICATE_HEADER');
    expect(reply.closed).toBe(true);
  });

  it('an HTTP/1.1 request without Host is refused, and an HTTP/1.0 request needs none', async () => {
    await expectRefusal(await ask('/packages.json', token), 400, 'BAD_REQUEST');
    expect((await exchange(served.port, `GET /packages.json HTTP/1.0\r\n${token}\r\n`)).status).toBe(200);
  });
});

describe('row 8: framing that the parser refuses', () => {
  it.each([
    ['Content-Length and Transfer-Encoding', 'Content-Length: 4\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n'],
    ['two Content-Lengths', 'Content-Length: 0\r\nContent-Length: 5\r\n', ''],
    ['a folded header', 'X-A: b\r\n c\r\n', ''],
    ['a space before the colon', 'X-A : b\r\n', ''],
    ['a bare CR in a value', 'X-A: b\rc\r\n', ''],
    ['a Content-Length that is no number', 'Content-Length: +1\r\n', ''],
  ])('is refused: %s', async (_name, headers, body) => {
    const reply = await exchange(
      served.port,
      `GET /packages.json HTTP/1.1\r\n${host}${token}${headers}\r\n${body}GET /health HTTP/1.1\r\n${host}\r\n`,
    );
    await expectRefusal(reply, 400, 'BAD_REQUEST');
    expect(reply.closed).toBe(true);
    expect(reply.text).not.toContain('"status"');
  });

  it('is refused: bare LF line ends', async () => {
    const reply = await exchange(served.port, 'GET /packages.json HTTP/1.1\nHost: x\n\n');
    expect(reply.status).not.toBe(200);
  });

  it('is refused: bytes that are not HTTP', async () => {
    await expectRefusal(await exchange(served.port, '\u0016\u0003\u0001\u0002\u0000\r\n\r\n'), 400, 'BAD_REQUEST');
  });
});

describe('row 9: Transfer-Encoding', () => {
  it.each(['xchunked', 'chunked, gzip', 'gzip, chunked', 'identity', 'chunked, chunked'])(
    'the value %s gets 400 and closes the connection',
    async (encoding) => {
      const reply = await exchange(
        served.port,
        `POST /packages.json HTTP/1.1\r\n${host}${token}Transfer-Encoding: ${encoding}\r\n\r\n0\r\n\r\nGET /health HTTP/1.1\r\n${host}\r\n`,
      );
      await expectRefusal(reply, 400, 'BAD_REQUEST');
      expect(reply.closed).toBe(true);
      expect(reply.text.match(/HTTP\/1\.1 /g)).toHaveLength(1);
      expect(reply.text.match(/^connection: /gim)).toHaveLength(1);
    },
  );
});

describe('row 11: an unexpected body', () => {
  it.each(['GET', 'HEAD'])(
    'in a %s with Content-Length gets 400 and closes the connection, whatever its bytes',
    async (method) => {
      const inner = `GET /health HTTP/1.1\r\n${host}\r\n`;
      const reply = await exchange(
        served.port,
        `${method} /packages.json HTTP/1.1\r\n${host}${token}Content-Length: ${inner.length}\r\n\r\n${inner}`,
      );
      expect([reply.status, reply.closed]).toEqual([400, true]);
      expect(reply.text).not.toContain('"serial"');
      if (method === 'GET') await expectRefusal(reply, 400, 'UNEXPECTED_BODY');
    },
  );

  it('in a chunked GET is refused too, and an Expect gets no 100 Continue', async () => {
    await expectRefusal(
      await ask('/packages.json', `${host}${token}Transfer-Encoding: chunked\r\n`),
      400,
      'UNEXPECTED_BODY',
    );
    await expectRefusal(
      await ask('/packages.json', `${host}${token}Content-Length: 5\r\nExpect: 100-continue\r\n`),
      400,
      'UNEXPECTED_BODY',
    );
    await expectRefusal(await ask('/packages.json', `${host}${token}Expect: tea\r\n`), 400, 'BAD_REQUEST');
  });

  it('is not present in a GET with Content-Length: 0', async () =>
    expect((await ask('/packages.json', `${host}${token}Content-Length: 0\r\n`)).status).toBe(200));
});

describe('methods', () => {
  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'])(
    '%s on a protocol path is 400 with Allow',
    async (method) => {
      for (const target of ['/packages.json', '/p2/acme/hello.json', '/dist/acme/hello/1.0.0.zip', '/health']) {
        const reply = await ask(target, host + token, method);
        expect([reply.status, codeOf(reply.body)]).toEqual([400, 'METHOD_NOT_ALLOWED']);
        expect(reply.head).toContain('Allow: GET, HEAD');
      }
    },
  );

  it('an invalid method gets 400 from the parser', async () =>
    expectRefusal(await ask('/packages.json', host, 'BREW'), 400, 'BAD_REQUEST'));
});

describe('row 12: oversized headers', () => {
  it('a header of 20 KB gets 431', async () => {
    const reply = await ask('/packages.json', `${host}${token}X-A: ${'a'.repeat(20_000)}\r\n`);
    expect([reply.status, codeOf(reply.body), reply.closed]).toEqual([431, 'HEADERS_TOO_LARGE', true]);
  });

  it('200 headers get 400', async () => {
    const many = Array.from({ length: 200 }, (_, at) => `X-${at}: a\r\n`).join('');
    await expectRefusal(await ask('/packages.json', host + token + many), 400, 'BAD_REQUEST');
  });
});

describe('rows 18 and 19: headers that describe the client', () => {
  it('a poisoned Host or X-Forwarded-Host changes no byte of any answer', async () => {
    const plain = await ask('/p2/acme/hello.json');
    const poisoned = await ask(
      '/p2/acme/hello.json',
      `Host: evil.test\r\nX-Forwarded-Host: evil.test\r\nX-Forwarded-Proto: ftp\r\nX-Original-URL: /health\r\n${token}`,
    );
    expect(poisoned.body).toBe(plain.body);
    expect(poisoned.head).toContain('Cache-Control: private');
    expect(poisoned.head).toContain('Vary: Authorization, Accept-Encoding');
  });
});

it('pipelined requests are answered in order, with the refused request last', async () => {
  const reply = await exchange(
    served.port,
    `GET /health HTTP/1.1\r\n${host}\r\nGET /dist/acme/hello/1.0.0.zip HTTP/1.1\r\n${host}${token}\r\nGET /packages.json HTTP/1.1\r\n${host}${host}\r\n`,
  );
  expect([...reply.text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map((match) => match[1])).toEqual(['200', '200', '400']);
});
