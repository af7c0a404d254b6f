// Tests HTTPS: HTTP/2, and HTTP/1.1 with TLS, give the same answers as plain HTTP/1.1.

import { once } from 'node:events';
import { constants, type OutgoingHttpHeaders } from 'node:http2';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Agent, request } from 'undici';
import { createAuthority, type Authority } from '../util/certificate.ts';
import { eventually, openFilesBelow } from '../util/eventually.ts';
import { connectHttp2, replyOf } from '../util/http2-client.ts';
import { runProxy, type RunningOptions, type RunningProxy } from '../util/running-proxy.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';
import { zipBytes } from '../util/hand-made-tree.ts';

describe.skipIf(lacks('openssl'))('HTTP/2', () => {
  const folder = temporaryFolder('tls');
  const large = zipBytes('large', 20_000_000);
  let authority: Authority;
  let certificate: { readonly cert: string; readonly key: string };

  beforeAll(() => {
    authority = createAuthority(folder.path);
    certificate = authority.issue('one');
  });
  afterAll(() => folder.remove());

  async function run(options: RunningOptions = {}): Promise<RunningProxy> {
    const served = await runProxy({
      certificate,
      tokens: { reader: 100_000, poor: 1, unlimited: 0 },
      onInstall: () => undefined,
      ...options,
    });
    served.tree.put('acme/hello', [
      { version: '1.0.0', normalized: '1.0.0.0', zip: zipBytes('1.0.0') },
      { version: '2.0.0', normalized: '2.0.0.0', zip: large },
    ]);
    served.tree.publish();
    return served;
  }

  /** The same request over HTTP/1.1 with TLS. */
  async function overHttp1(port: number, path: string, headers: OutgoingHttpHeaders, method: string, body?: string) {
    const agent = new Agent({ connect: { ca: authority.pem }, allowH2: false });
    const reply = await request(`https://localhost:${port}${path}`, {
      method: method as 'GET',
      headers: { authorization: 'Bearer reader', ...headers } as Record<string, string>,
      dispatcher: agent,
      ...(body === undefined ? {} : { body }),
    });
    const bytes = Buffer.from(await reply.body.arrayBuffer());
    await agent.close();
    return { status: reply.statusCode, headers: reply.headers as Record<string, string>, body: bytes };
  }

  /** Removes the headers that always differ between two answers. */
  function comparable(headers: Readonly<Record<string, unknown>>): Record<string, unknown> {
    expect(headers['date']).toBeTypeOf('string');
    const natural = ['date', 'connection', 'keep-alive', 'x-ratelimit-remaining', 'x-ratelimit-reset'];
    const rest = Object.entries(headers).filter(([name]) => !natural.includes(name));
    // Node's clients join a field that comes twice differently
    const joined = rest.map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value] as const);
    return {
      ...Object.fromEntries(joined),
      limited: 'x-ratelimit-remaining' in headers && 'x-ratelimit-reset' in headers,
    };
  }

  it.each<[string, string, OutgoingHttpHeaders, string?, string?]>([
    ['packages.json', '/packages.json', {}],
    ['compressed', '/packages.json', { 'accept-encoding': 'gzip' }],
    ['a p2 document', '/p2/acme/hello$%hash%.json', {}],
    ['an archive', '/dist/acme/hello/1.0.0.zip', {}],
    ['a large archive', '/dist/acme/hello/2.0.0.zip', {}],
    ['HEAD', '/p2/acme/hello.json', {}, 'HEAD'],
    ['HEAD of a large archive', '/dist/acme/hello/2.0.0.zip', {}, 'HEAD'],
    [
      'a report of installs',
      '/downloads',
      { 'content-type': 'application/json' },
      'POST',
      '{"downloads":[{"name":"acme/hello","version":"1.0.0.0"}]}',
    ],
    ['a report that is none', '/downloads', { 'content-type': 'application/json' }, 'POST', '{"downloads":1}'],
    ['not modified', '/p2/acme/hello.json', { 'if-modified-since': 'Fri, 01 Jan 2100 00:00:00 GMT' }],
    ['no token', '/packages.json', { authorization: '' }],
    ['another token', '/packages.json', { authorization: 'Bearer nobody', 'user-agent': 'Composer/2.8' }],
    ['no such path', '/p2/acme/%2e%2e.json', {}],
    ['no such package', '/p2/acme/none.json', {}],
    ['a method that is not for it', '/packages.json', {}, 'DELETE'],
    ['a body where none is wanted', '/packages.json', {}, 'POST', 'x=1'],
    ['health', '/health', { authorization: '' }],
  ])('HTTP/2 gives the answer of HTTP/1.1: %s', async (_name, path, headers, method = 'GET', body) => {
    await using served = await run();
    await using client = await connectHttp2(served.port, authority);
    const one = await overHttp1(served.port, path, headers, method, body);
    const two = await client.ask(path, { ...headers, ':method': method }, body);
    expect([two.status, comparable(two.headers)]).toEqual([one.status, comparable(one.headers)]);
    expect(two.body.equals(one.body)).toBe(true);
    await eventually(() => served.lines.length === 2);
    const lines = served.lines.map(({ time: _time, request_id: _id, duration_ms: _ms, ...line }) => line);
    expect(lines[1]).toEqual(lines[0]);
    expect(lines[0]).toMatchObject({ client: '127.0.0.1', path, method, status: one.status });
  });

  it('a client without HTTP/2 gets HTTP/1.1, and TLS 1.2 or newer is required', async () => {
    await using served = await run();
    const reply = await overHttp1(served.port, '/health', {}, 'GET');
    expect([reply.status, reply.headers['connection']]).toEqual([200, 'keep-alive']);
    for (const [minVersion, maxVersion] of [
      ['TLSv1', 'TLSv1.1'],
      ['TLSv1.2', 'TLSv1.2'],
    ] as const) {
      const socket = connectTls({
        port: served.port,
        host: 'localhost',
        ca: authority.pem,
        minVersion,
        maxVersion,
        ciphers: 'DEFAULT@SECLEVEL=0',
      });
      const [outcome] = (await Promise.race([
        once(socket, 'secureConnect').then(() => ['up']),
        once(socket, 'error'),
      ])) as [unknown];
      expect(outcome === 'up').toBe(maxVersion === 'TLSv1.2');
      socket.destroy();
    }
  });

  it('a hundred requests at once on one connection are all answered and counted', async () => {
    await using served = await run({ tokens: { reader: 60 } });
    await using client = await connectHttp2(served.port, authority);
    const replies = await Promise.all(Array.from({ length: 100 }, () => client.ask('/p2/acme/hello.json')));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(60);
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(40);
    expect(client.session.remoteSettings.maxConcurrentStreams).toBe(100);
  });

  it('the address of a client behind a trusted proxy is logged, as with HTTP/1.1', async () => {
    await using served = await run({ trustedProxies: ['127.0.0.1'] });
    await using client = await connectHttp2(served.port, authority);
    await client.ask('/packages.json', { 'x-forwarded-for': '192.0.2.7' });
    expect(served.lines.at(-1)).toMatchObject({ client: '192.0.2.7', token: 'tok_reader' });
  });

  describe('invalid requests', () => {
    it.each<[string, OutgoingHttpHeaders, number, string]>([
      ['row 5: OPTIONS *', { ':path': '*', ':method': 'OPTIONS' }, 400, 'BAD_TARGET'],
      ['row 4: raw UTF-8 in the path', { ':path': Buffer.from('/p2/ü.json').toString('latin1') }, 400, 'BAD_REQUEST'],
      ['row 7: another Host than :authority', { ':authority': 'localhost', host: 'evil.test' }, 400, 'BAD_REQUEST'],
      ['row 12: a header of 20 KB', { 'x-a': 'a'.repeat(20_000) }, 431, 'HEADERS_TOO_LARGE'],
      [
        'row 12: 200 headers',
        Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`x-${at}`, 'a'])),
        400,
        'BAD_REQUEST',
      ],
      ['an expectation nobody knows', { expect: 'tea' }, 400, 'BAD_REQUEST'],
    ])('an invalid request is refused: %s', async (_name, headers, status, code) => {
      await using served = await run();
      await using client = await connectHttp2(served.port, authority);
      const reply = await client.ask(String(headers[':path'] ?? '/packages.json'), headers);
      expect([reply.status, reply.json()['code']]).toEqual([status, code]);
      expect(reply.headers['connection']).toBeUndefined();
      expect((await client.ask('/packages.json')).status).toBe(200);
    });

    it('row 5: a target that is no path resets the stream', async () => {
      await using served = await run();
      await using client = await connectHttp2(served.port, authority);
      await expect(client.ask('http://evil/x')).rejects.toMatchObject({ rstCode: constants.NGHTTP2_PROTOCOL_ERROR });
      expect((await client.ask('/packages.json')).status).toBe(200);
    });

    it('row 5: CONNECT is refused', async () => {
      await using served = await run();
      await using client = await connectHttp2(served.port, authority);
      const stream = client.session.request({ ':method': 'CONNECT', ':authority': 'evil:443' });
      expect((await replyOf(stream)).json()['code']).toBe('BAD_TARGET');
    });

    it('row 11: GET with a body is refused, and the rest of the body is not read', async () => {
      await using served = await run();
      await using client = await connectHttp2(served.port, authority);
      const reply = await client.ask('/packages.json', {}, Buffer.alloc(10_000_000));
      expect([reply.status, reply.json()['code']]).toEqual([400, 'UNEXPECTED_BODY']);
      expect((await client.ask('/packages.json', { 'content-length': 0 })).status).toBe(200);
    });

    it('row 8: a body of another length than announced is refused, and other requests are served', async () => {
      await using served = await run();
      await using client = await connectHttp2(served.port, authority);
      const lying = client.ask('/packages.json', { ':method': 'POST', 'content-length': 3 }, 'four');
      if (Number(process.versions.node.split('.')[0]) < 24) {
        await expect(lying).rejects.toMatchObject({ rstCode: constants.NGHTTP2_PROTOCOL_ERROR });
        expect((await client.ask('/packages.json')).status).toBe(200);
      } else {
        // node:http2 of Node 24 ends the whole connection
        await expect(lying).rejects.toMatchObject({ rstCode: constants.NGHTTP2_INTERNAL_ERROR });
      }
      await using other = await connectHttp2(served.port, authority);
      expect((await other.ask('/packages.json')).status).toBe(200);
    });
  });

  describe('row 20: a client that cancels a request', () => {
    it('frees the file, is marked in the log, and keeps its connection', async () => {
      const aborted: boolean[] = [];
      await using served = await run({
        counts: {
          answered: (_route, _status, _kind, sent) => void aborted.push(sent.aborted),
          malformed: () => undefined,
          families: () => [],
        },
      });
      await using client = await connectHttp2(served.port, authority);
      for (let round = 0; round < 20; round += 1) {
        const stream = client.open('/dist/acme/hello/2.0.0.zip');
        await once(stream, 'data');
        stream.close(constants.NGHTTP2_CANCEL);
      }
      await eventually(() => aborted.length === 20 && openFilesBelow(served.tree.data) === 0);
      expect(aborted).toEqual(Array.from({ length: 20 }, () => true));
      for (const line of served.lines) expect(line).toMatchObject({ status: 200, aborted: true, client: '127.0.0.1' });
      expect((await client.ask('/dist/acme/hello/2.0.0.zip')).body.equals(large)).toBe(true);
    });

    it('a broken connection ends the work on its requests', async () => {
      await using served = await run();
      await using client = await connectHttp2(served.port, authority);
      const streams = Array.from({ length: 10 }, () => client.open('/dist/acme/hello/2.0.0.zip'));
      // paused, so that no download ends before the last one begins
      await Promise.all(streams.map((stream) => once(stream, 'data').then(() => stream.pause())));
      client.session.destroy();
      await eventually(
        () =>
          served.lines.filter((line) => line['aborted'] === true).length === 10 &&
          openFilesBelow(served.tree.data) === 0,
      );
      await eventually(() => served.proxy.connections() === 0);
    });
  });
});
