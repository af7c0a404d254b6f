// Tests packages.json and p2 documents over sockets: all spellings, encodings, and trees that are missing or broken.

import { gunzipSync, brotliDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runProxy, type RunningProxy } from '../util/running-proxy.ts';
import { zipBytes } from '../util/hand-made-tree.ts';

let served: RunningProxy;

beforeAll(async () => {
  served = await runProxy();
  served.tree.put('acme/hello', [
    { version: 'dev-main', normalized: 'dev-main', zip: zipBytes('main') },
    { version: '1.0.0', normalized: '1.0.0.0', zip: zipBytes('1.0.0') },
  ]);
  served.tree.publish();
});
afterAll(() => served[Symbol.asyncDispose]());

describe('packages.json', () => {
  it('packages.json is served as built, with headers that keep it private and fresh', async () => {
    const reply = await served.get('/packages.json');
    expect(reply.status).toBe(200);
    expect(reply.json()).toMatchObject({
      packages: {},
      'metadata-url': '/p2/%package%$%hash%.json',
      'available-packages': ['acme/hello'],
    });
    expect(reply.headers['content-type']).toBe('application/json');
    expect(reply.headers['cache-control']).toBe('private, no-cache');
    expect(reply.headers['vary']).toBe('Authorization, Accept-Encoding');
    expect(reply.headers['last-modified']).toMatch(/^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/);
    expect(reply.headers['etag']).toMatch(/^"[0-9a-f]{32}"$/);
  });

  it('an empty list in packages.json becomes a pattern without a match, because Composer ignores an empty list', async () => {
    await using empty = await runProxy();
    empty.tree.publish();
    expect((await empty.get('/packages.json')).json()).toMatchObject({
      'available-packages': [],
      'available-package-patterns': ['~none~/~none~'],
    });
  });

  it('packages.json has the metadata-url of the setting, and another Last-Modified, so that no client keeps the old template', async () => {
    await using plain = await runProxy({ metadataUrl: '/p2/%package%.json' });
    plain.tree.put('acme/hello', [{ version: '1.0.0', normalized: '1.0.0.0', zip: zipBytes('1.0.0') }]);
    plain.tree.publish();
    const [asBuilt, rewritten] = [await served.get('/packages.json'), await plain.get('/packages.json')];
    expect(rewritten.json()).toEqual({ ...asBuilt.json(), 'metadata-url': '/p2/%package%.json' });
    expect(rewritten.headers['last-modified']).not.toBe(asBuilt.headers['last-modified']);
    expect(
      (await plain.get('/packages.json', { 'if-modified-since': rewritten.headers['last-modified'] ?? '' })).status,
    ).toBe(304);
  });
});

describe('a p2 document', () => {
  it.each([
    '/p2/acme/hello$%hash%.json',
    '/p2/acme/hello.json',
    '/p2/acme/hello%24%25hash%25.json',
    '/p2/acme/hello$%25hash%25.json',
    '/p2/acme/hello$0123456789abcdef.json',
    '/p2/acme/hello.json?x=1',
  ])('is found as %s', async (path) => {
    const reply = await served.get(path);
    expect(reply.status).toBe(200);
    expect(Object.keys((reply.json()['packages'] as Record<string, object>)['acme/hello'] ?? {})).toEqual(['1.0.0']);
  });

  it.each([
    '/p2/acme/hello~dev$%hash%.json',
    '/p2/acme/hello~dev.json',
    '/p2/acme/hello%7Edev.json',
    '/p2/acme/hello%7edev$%hash%.json',
    '/p2/acme/hello~dev%24%25hash%25.json',
  ])('of dev versions is found as %s', async (path) => {
    expect(
      Object.keys(((await served.get(path)).json()['packages'] as Record<string, object>)['acme/hello'] ?? {}),
    ).toEqual(['dev-main']);
  });

  it.each(['/p2/acme/unknown.json', '/p2/acme/unknown~dev$%hash%.json'])(
    'that does not exist is 404 with the name of the package: %s',
    async (path) => {
      const reply = await served.get(path);
      expect(reply.status).toBe(404);
      expect(reply.json()).toEqual({
        error: 'The package acme/unknown is not published here.',
        code: 'NOT_FOUND',
        details: { package: 'acme/unknown' },
      });
    },
  );

  it('is answered to HEAD with the same headers and no body', async () => {
    const [get, head] = [await served.get('/p2/acme/hello.json'), await served.get('/p2/acme/hello.json', {}, 'HEAD')];
    // undici sends `Connection: close` with a HEAD
    const still = ({
      date: _date,
      connection: _connection,
      'keep-alive': _keepAlive,
      'x-ratelimit-remaining': _left,
      ...others
    }: Readonly<Record<string, string>>) => others;
    expect(still(head.headers)).toEqual(still(get.headers));
    expect(head.body).toHaveLength(0);
  });
});

describe('compression', () => {
  it.each([
    ['gzip', 'gzip'],
    ['br', 'br'],
    ['deflate, gzip, br, zstd', 'br'],
    ['gzip;q=1, br;q=0.5', 'gzip'],
    ['br;q=0, gzip;q=0', undefined],
    ['*', 'br'],
    ['identity', undefined],
    ['identity;q=1, gzip;q=0.1', undefined],
    ['GZIP', 'gzip'],
    ['gzip;q=nonsense', undefined],
    ['', undefined],
  ])('Accept-Encoding %j gives %j', async (accept, encoding) => {
    const reply = await served.get('/p2/acme/hello.json', { 'accept-encoding': accept });
    expect(reply.headers['content-encoding']).toBe(encoding);
    const plain =
      encoding === 'gzip' ? gunzipSync(reply.body) : encoding === 'br' ? brotliDecompressSync(reply.body) : reply.body;
    expect(plain.equals((await served.get('/p2/acme/hello.json')).body)).toBe(true);
    expect(reply.headers['content-length']).toBe(String(reply.body.length));
  });

  it('each encoding has its own ETag, and all have one Last-Modified', async () => {
    const replies = [];
    for (const accept of ['identity', 'gzip', 'br'])
      replies.push(await served.get('/p2/acme/hello.json', { 'accept-encoding': accept }));
    expect(new Set(replies.map((reply) => reply.headers['etag'])).size).toBe(3);
    expect(new Set(replies.map((reply) => reply.headers['last-modified'])).size).toBe(1);
  });
});

describe('a missing tree', () => {
  it('is 500 NOT_READY with Retry-After on every protocol path, and is served as soon as it exists', async () => {
    await using early = await runProxy();
    for (const path of ['/packages.json', '/p2/acme/hello.json', '/dist/acme/hello/1.0.0.zip']) {
      const reply = await early.get(path);
      expect([reply.status, reply.json()['code'], reply.headers['retry-after']]).toEqual([500, 'NOT_READY', '5']);
    }
    early.tree.put('acme/hello', [{ version: '1.0.0', normalized: '1.0.0.0', zip: zipBytes('1.0.0') }]);
    early.tree.publish();
    for (const path of ['/packages.json', '/p2/acme/hello.json', '/dist/acme/hello/1.0.0.zip'])
      expect((await early.get(path)).status).toBe(200);
  });
});

describe('a broken tree', () => {
  it('gives 500 for the request, with an id that the log has too, and the process continues', async () => {
    await using broken = await runProxy();
    broken.tree.put('acme/hello', [{ version: '1.0.0', normalized: '1.0.0.0', zip: zipBytes('1.0.0') }]);
    broken.tree.publish();
    broken.tree.write('index/acme/hello.json', '{"format":');
    broken.tree.write('public/packages.json', '{');
    for (const path of ['/packages.json', '/dist/acme/hello/1.0.0.zip']) {
      const reply = await broken.get(path);
      expect([reply.status, reply.json()['code']]).toEqual([500, 'TREE_DAMAGED']);
      const id = (reply.json()['details'] as Record<string, string>)['request_id'];
      const cause = broken.lines.find((line) => line['request_id'] === id && line['level'] === 50);
      expect(JSON.stringify(cause)).toContain('libretto verify');
    }
    expect((await broken.get('/p2/acme/hello.json')).status).toBe(200);
  });
});
