// Tests a tree at an origin over HTTP/2: rows 10, 20, 21 and 22, and F11 (I15, I16). http-proxy throws on HTTP/2
// requests and does not know their streams.

import { constants } from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAuthority, type Authority } from '../util/certificate.ts';
import { eventually } from '../util/eventually.ts';
import { connectHttp2 } from '../util/http2-client.ts';
import { serveOrigin, type ServedOrigin } from '../util/origin-server.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';
import { zipBytes } from '../util/hand-made-tree.ts';
import { itInSeries, playsSeries } from '../util/series.ts';

describe.skipIf(lacks('openssl'))('an origin behind HTTP/2', () => {
  const folder = temporaryFolder('tls');
  const small = { version: '1.0.0', normalized: '1.0.0.0', zip: zipBytes('small') };
  const large = { version: '2.0.0', normalized: '2.0.0.0', zip: zipBytes('large', 3_000_000) };
  let authority: Authority;
  let served: ServedOrigin;
  const connectClient = () => connectHttp2(served.proxy.port, authority);

  beforeAll(async () => {
    authority = createAuthority(folder.path);
    served = await serveOrigin({ certificate: authority.issue('one') });
    served.tree.put('acme/hello', [large, small]);
    served.tree.publish();
  });
  afterAll(async () => {
    await served[Symbol.asyncDispose]();
    await folder.remove();
  });
  beforeEach(() => (served.origin.misbehave = () => false));

  it('serves documents and archives; row 22: the origin gets no header of the client', async () => {
    await using client = await connectClient();
    const sent = { cookie: 'session=1', te: 'trailers', 'x-forwarded-for': '203.0.113.9' };
    const [root, document, one, two, head] = await Promise.all(
      ['/packages.json', '/p2/acme/hello.json', '/dist/acme/hello/1.0.0.zip', '/dist/acme/hello/2.0.0.zip']
        .map((path) => client.ask(path, sent))
        .concat(client.ask('/dist/acme/hello/2.0.0.zip', { ...sent, ':method': 'HEAD' })),
    );
    expect([root?.status, document?.status, one?.body.equals(small.zip), two?.body.equals(large.zip)]).toEqual([
      200,
      200,
      true,
      true,
    ]);
    expect([head?.status, head?.headers['content-length'], head?.body.length]).toEqual([
      200,
      String(large.zip.length),
      0,
    ]);
    for (const { headers } of served.origin.seen)
      expect(
        Object.keys(headers).filter(
          (name) =>
            ![
              'host',
              'user-agent',
              'accept',
              'accept-encoding',
              'connection',
              'if-none-match',
              'if-modified-since',
            ].includes(name),
        ),
      ).toEqual([]);
  });

  it('row 10: the origin never gets the body of a request', async () => {
    await using client = await connectClient();
    served.origin.asked();
    expect(
      (
        await client.ask(
          '/dist/acme/hello/2.0.0.zip',
          { ':method': 'DELETE' },
          'GET /public/packages.json HTTP/1.1\r\nHost: origin\r\n\r\n',
        )
      ).status,
    ).toBe(400);
    expect(served.origin.asked().filter((path) => !path.endsWith('_publication.json'))).toEqual([]);
    expect(served.origin.seen.every(({ bodyBytes }) => bodyBytes === 0)).toBe(true);
  });

  it('row 21: wrong or cut-off bytes reset the stream, and a redirect is a 500 without Location', async () => {
    await using client = await connectClient();
    for (const end of [large.zip.subarray(0, 2_000_000), zipBytes('others', large.zip.length)]) {
      served.origin.misbehave = (_, response) => (
        response.writeHead(200, { 'content-length': large.zip.length }),
        response.write(end, () => (end.length === large.zip.length ? response.end() : response.destroy())),
        true
      );
      await expect(client.ask('/dist/acme/hello/2.0.0.zip')).rejects.toMatchObject({
        rstCode: constants.NGHTTP2_INTERNAL_ERROR,
      });
    }
    served.origin.misbehave = (_, response) => (
      response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end(),
      true
    );
    const reply = await client.ask('/dist/acme/hello/2.0.0.zip');
    expect([reply.status, reply.headers['location'], reply.json()['code']]).toEqual([
      500,
      undefined,
      'UPSTREAM_UNAVAILABLE',
    ]);
  });

  itInSeries('row 20 and F11: many reset streams leave no connection to the origin', async () => {
    const rounds = playsSeries ? 50 : 10;
    await using first = await connectClient();
    await first.ask('/p2/acme/hello.json');
    served.origin.misbehave = (request, response) =>
      String(request.url).includes('/dist/') &&
      (response.writeHead(200, { 'content-length': large.zip.length }),
      response.write(large.zip.subarray(0, 300_000)),
      true);
    const before = served.origin.connections();
    const aborted = (): number => served.proxy.lines.filter((line) => line['aborted'] === true).length;
    const earlier = aborted();
    for (let round = 0; round < rounds; round += 1) {
      await using client = await connectClient(); // a connection with more than two hundred cancelled requests is ended
      const streams = Array.from({ length: 20 }, () => client.open('/dist/acme/hello/2.0.0.zip'));
      await Promise.all(streams.map((stream) => new Promise((resolve) => stream.once('data', resolve))));
      await sleep(20); // the origin has sent all it had, so that the abort hits a waiting stream
      await Promise.all(
        streams.map(
          (stream) => new Promise((resolve) => stream.once('close', resolve).close(constants.NGHTTP2_CANCEL)),
        ),
      );
    }
    await eventually(() => served.origin.connections() <= before);
    await eventually(() => aborted() - earlier === rounds * 20);
  });
});
