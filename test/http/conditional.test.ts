// Tests conditional requests, as Composer sends them (If-Modified-Since) and as other clients do (RFC 9110 §13).

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runProxy, type RunningProxy } from '../util/running-proxy.ts';
import { zipBytes } from '../util/hand-made-tree.ts';

let served: RunningProxy;

beforeAll(async () => {
  served = await runProxy();
  served.tree.put('acme/hello', [
    { version: '2.0.0', normalized: '2.0.0.0', zip: zipBytes('large', 400_000) },
    { version: '1.0.0', normalized: '1.0.0.0', zip: zipBytes('1.0.0') },
  ]);
  served.tree.publish();
});
afterAll(() => served[Symbol.asyncDispose]());

const older = 'Sun, 06 Nov 1994 08:49:37 GMT';
const newer = 'Fri, 01 Jan 2100 00:00:00 GMT';

describe.each(['/packages.json', '/p2/acme/hello.json', '/dist/acme/hello/1.0.0.zip', '/dist/acme/hello/2.0.0.zip'])(
  'row 16: %s',
  (path) => {
    const ask = async (
      headers: (etag: string, lastModified: string) => Record<string, string>,
      method: 'GET' | 'HEAD' = 'GET',
    ) => {
      const first = await served.get(path);
      return served.get(path, headers(first.headers['etag'] ?? '', first.headers['last-modified'] ?? ''), method);
    };

    it('a request with the Last-Modified gets 304 without a body and with the validators', async () => {
      const first = await served.get(path);
      const reply = await served.get(path, { 'if-modified-since': first.headers['last-modified'] ?? '' });
      expect(reply.status).toBe(304);
      expect(reply.body).toHaveLength(0);
      for (const name of ['etag', 'last-modified', 'cache-control', 'vary'])
        expect(reply.headers[name]).toBe(first.headers[name]);
      expect(reply.headers['x-ratelimit-remaining']).toMatch(/^\d+$/);
    });

    it.each([
      ['an older date', () => ({ 'if-modified-since': older }), 200],
      ['a newer date: only equality counts', () => ({ 'if-modified-since': newer }), 200],
      ['garbage for a date', () => ({ 'if-modified-since': 'yesterday' }), 200],
      ['its ETag', (etag: string) => ({ 'if-none-match': etag }), 304],
      ['its ETag, weak', (etag: string) => ({ 'if-none-match': `W/${etag}` }), 304],
      ['a list with its ETag', (etag: string) => ({ 'if-none-match': `"x", ${etag} ,W/"y"` }), 304],
      ['*', () => ({ 'if-none-match': '*' }), 304],
      ['another ETag', () => ({ 'if-none-match': '"x"' }), 200],
      ['an unquoted ETag', (etag: string) => ({ 'if-none-match': etag.slice(1, -1) }), 200],
      [
        'another ETag and the right date: If-None-Match wins',
        (_etag: string, date: string) => ({ 'if-none-match': '"x"', 'if-modified-since': date }),
        200,
      ],
      [
        'its ETag and a wrong date: If-None-Match wins',
        (etag: string) => ({ 'if-none-match': etag, 'if-modified-since': older }),
        304,
      ],
    ])('a request is answered by its validator: %s', async (_name, headers, status) => {
      expect((await ask(headers)).status).toBe(status);
      expect((await ask(headers, 'HEAD')).status).toBe(status);
    });
  },
);

it('an ETag of one encoding does not match another encoding, because the bytes differ', async () => {
  const gzip = await served.get('/p2/acme/hello.json', { 'accept-encoding': 'gzip' });
  const etag = gzip.headers['etag'] ?? '';
  expect((await served.get('/p2/acme/hello.json', { 'accept-encoding': 'gzip', 'if-none-match': etag })).status).toBe(
    304,
  );
  expect((await served.get('/p2/acme/hello.json', { 'if-none-match': etag })).status).toBe(200);
});
