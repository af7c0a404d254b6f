// Tests tokens and hourly limits: the served requests and their number (row 82), and the answers to refused clients.

import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Authentication } from '../../proxy/core/tokens/authenticate.ts';
import { runProxy, type Reply, type RunningOptions, type RunningProxy } from '../util/running-proxy.ts';
import { exchange } from '../util/raw-client.ts';
import { zipBytes } from '../util/hand-made-tree.ts';

async function runWithHello(options: RunningOptions = {}): Promise<RunningProxy> {
  const served = await runProxy(options);
  served.tree.put('acme/hello', [{ version: '1.0.0', normalized: '1.0.0.0', zip: zipBytes('1.0.0') }]);
  served.tree.publish();
  return served;
}

const basic = 'Basic realm="libretto", charset="UTF-8"';
const protocolPaths = [
  '/packages.json',
  '/p2/acme/hello$%hash%.json',
  '/p2/acme/unknown.json',
  '/dist/acme/hello/1.0.0.zip',
  '/dist/acme/hello/9.zip',
];

describe('without a valid token', () => {
  it('row 23: every protocol path is 401, whether the resource exists or not', async () => {
    await using served = await runWithHello();
    for (const path of protocolPaths) {
      const nobody = await served.get(path, { authorization: '' });
      expect([nobody.status, nobody.json()['code'], nobody.headers['www-authenticate']]).toEqual([
        401,
        'AUTHENTICATION_REQUIRED',
        ['Bearer realm="libretto"', basic],
      ]);
      expect(nobody.json()['error']).toContain('as the http-basic password');
      const stranger = await served.get(path, { authorization: 'Bearer nobody' });
      expect([stranger.status, stranger.json()['code'], stranger.headers['www-authenticate']]).toEqual([
        401,
        'INVALID_TOKEN',
        ['Bearer realm="libretto", error="invalid_token"', basic],
      ]);
      expect(stranger.json()['error']).toContain('the token is the password');
      expect(Object.keys(stranger.json())).toEqual(['error', 'code', 'details']);
      expect(stranger.headers['x-ratelimit-limit']).toBeUndefined();
    }
  });

  it('row 25: a token in the query is ignored, and the log does not have it', async () => {
    await using served = await runWithHello();
    for (const query of ['?token=reader', '?access_token=reader', '?authorization=Bearer%20reader']) {
      expect((await served.get(`/packages.json${query}`, { authorization: '' })).status).toBe(401);
    }
    expect(JSON.stringify(served.lines)).not.toContain('token=');
  });

  it('Composer gets the message as a warning too, because it shows only warnings', async () => {
    await using served = await runWithHello();
    const reply = await served.get('/packages.json', {
      authorization: 'Bearer nobody',
      'user-agent': 'Composer/2.5.5 (Linux)',
    });
    expect(reply.json()['warning']).toBe(reply.json()['error']);
    expect(reply.headers['content-type']).toBe('application/json');
  });

  it('row 28: a hundred guesses a minute from one address get 401 and later ones 429, and a valid token still works there', async () => {
    let nowMs = Date.UTC(2026, 0, 1);
    await using served = await runWithHello({ now: () => nowMs, trustedProxies: ['127.0.0.1'] });
    const guess = (from = '203.0.113.9'): Promise<Reply> =>
      served.get('/packages.json', { authorization: 'Bearer nobody', 'x-forwarded-for': from });
    const statuses = await Promise.all(Array.from({ length: 100 }, async () => (await guess()).status));
    expect(new Set(statuses)).toEqual(new Set([401]));
    nowMs += 20_000;
    const refused = await guess();
    expect([refused.status, refused.json()['code'], refused.headers['retry-after']]).toEqual([
      429,
      'TOO_MANY_ATTEMPTS',
      '40',
    ]);
    expect((await guess('203.0.113.10')).status).toBe(401);
    expect((await served.get('/packages.json', { 'x-forwarded-for': '203.0.113.9' })).status).toBe(200);
    expect((await served.get('/packages.json', { authorization: '', 'x-forwarded-for': '203.0.113.9' })).status).toBe(
      401,
    );
    nowMs += 40_000;
    expect((await guess()).status).toBe(401);
  });

  it('an unknown path is 404', async () => {
    await using served = await runWithHello();
    for (const path of [
      '/',
      '/favicon.ico',
      '/api/tokens',
      '/p2/acme/hello.html',
      '/p2/acme.json',
      '/index/acme/hello.json',
      '/packages.json/',
    ]) {
      const reply = await served.get(path, { authorization: '' });
      expect([path, reply.status, reply.json()['code']]).toEqual([path, 404, 'NOT_FOUND']);
    }
  });
});

describe('the hourly limit', () => {
  it('is in every answer to a valid token, and every request counts once: 200, 304, 404, HEAD, a wrong method', async () => {
    const nowMs = Date.UTC(2026, 0, 1);
    await using served = await runWithHello({ tokens: { reader: 7 }, now: () => nowMs });
    const first = await served.get('/packages.json');
    const replies = [
      first,
      await served.get('/packages.json', { 'if-none-match': first.headers['etag'] ?? '' }),
      await served.get('/p2/acme/unknown.json'),
      await served.get('/dist/acme/hello/1.0.0.zip', {}, 'HEAD'),
      await served.get('/nothing'),
      await served.get('/packages.json', {}, 'DELETE'),
      await served.get('/dist/acme/hello/1.0.0.zip'),
    ];
    expect(replies.map((reply) => reply.status)).toEqual([200, 304, 404, 200, 404, 400, 200]);
    expect(replies.map((reply) => reply.headers['x-ratelimit-remaining'])).toEqual(['6', '5', '4', '3', '2', '1', '0']);
    for (const reply of replies)
      expect([reply.headers['x-ratelimit-limit'], reply.headers['x-ratelimit-reset']]).toEqual([
        '7',
        String(nowMs / 1000 + 3600),
      ]);
  });

  it('is in the answers to refused requests too, and they count: a body, an expectation', async () => {
    await using served = await runWithHello({ tokens: { reader: 5 } });
    const ask = (path: string, headers: string) =>
      exchange(served.port, `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer reader\r\n${headers}\r\n`, 30);
    const replies = [
      await ask('/packages.json', 'Content-Length: 3\r\n'),
      await ask('/packages.json', 'Expect: foo\r\n'),
      await ask('/packages.json', 'Content-Length: 3\r\nExpect: 100-continue\r\n'),
      await ask('/nothing', 'Transfer-Encoding: chunked\r\n'),
    ];
    expect(replies.map(({ status, head }) => [status, /X-RateLimit-Remaining: (\d+)/i.exec(head)?.[1]])).toEqual([
      [400, '4'],
      [400, '3'],
      [400, '2'],
      [400, '1'],
    ]);
    expect((await served.get('/packages.json')).headers['x-ratelimit-remaining']).toBe('0');
    expect((await ask('/packages.json', 'Content-Length: 3\r\n')).status).toBe(429);
    expect(
      (await exchange(served.port, 'GET /packages.json HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n', 30)).status,
    ).toBe(401);
  });

  it('gives 429 with Retry-After, a message and the headers once used up, until the window ends', async () => {
    let nowMs = Date.UTC(2026, 0, 1);
    await using served = await runWithHello({ tokens: { reader: 1 }, now: () => nowMs });
    expect((await served.get('/packages.json')).status).toBe(200);
    nowMs += 600_500;
    const refused = await served.get('/packages.json');
    expect(refused.status).toBe(429);
    expect(refused.headers).toMatchObject({
      'retry-after': '3000',
      'x-ratelimit-limit': '1',
      'x-ratelimit-remaining': '0',
    });
    expect(refused.json()).toMatchObject({
      code: 'RATE_LIMIT_EXCEEDED',
      details: { limit: 1, retry_after_seconds: 3000 },
    });
    expect(refused.json()['error']).toContain('works again in 50 minutes');
    nowMs += 3_000_000;
    expect((await served.get('/packages.json')).status).toBe(200);
  });

  it('of 0 means no limit and no headers', async () => {
    await using served = await runWithHello();
    const reply = await served.get('/packages.json', { authorization: 'Bearer unlimited' });
    expect(reply.status).toBe(200);
    expect(Object.keys(reply.headers).filter((name) => name.startsWith('x-ratelimit'))).toEqual([]);
  });

  it('is exact for 300 simultaneous requests', async () => {
    await using served = await runWithHello({ tokens: { reader: 200 } });
    const replies = await Promise.all(Array.from({ length: 300 }, () => served.get('/p2/acme/hello.json')));
    expect(replies.filter((reply) => reply.status === 200)).toHaveLength(200);
    expect(replies.filter((reply) => reply.status === 429)).toHaveLength(100);
  });
});

describe('ports that answer asynchronously, or fail', () => {
  it('may return promises: an authenticator and counters', async () => {
    const valid = { outcome: 'valid', token: { id: 'tok_a', kind: 'read', limit: 5 } } as unknown as Authentication;
    await using served = await runWithHello({
      authenticator: { authenticate: () => Promise.resolve(valid) },
      counters: {
        hit: () => Promise.resolve({ admitted: true, remaining: 4, resetAtMs: 1 }),
        peek: () => undefined,
        degraded: () => true,
        close: () => Promise.resolve(),
      },
    });
    const reply = await served.get('/p2/acme/hello.json');
    expect([reply.status, reply.headers['x-ratelimit-remaining']]).toEqual([200, '4']);
    expect((await served.get('/health')).json()).toMatchObject({ status: 'degraded', counters: 'local' });
  });

  it.each([
    ['rejects', () => Promise.reject(new Error('state is gone'))],
    [
      'throws',
      () => {
        throw new Error('state is gone');
      },
    ],
  ])('give 500 for one request only, when one %s', async (_name, authenticate) => {
    await using served = await runWithHello({ authenticator: { authenticate } });
    for (let turn = 0; turn < 3; turn += 1) expect((await served.get('/packages.json')).status).toBe(500);
    expect((await served.get('/health')).status).toBe(200);
  });
});

describe('/health', () => {
  it('requires no token, is not counted, and does not reveal the time of a publication', async () => {
    await using served = await runWithHello({ tokens: { reader: 1 } });
    for (let turn = 0; turn < 3; turn += 1) {
      const reply = await served.get('/health');
      expect([reply.status, reply.json()]).toEqual([
        200,
        {
          status: 'ok',
          metadata_url: '/p2/%package%$%hash%.json',
          tree: 'ok',
          state: 'ok',
          counters: 'ok',
          storage: 'ok',
        },
      ]);
    }
    expect((await served.get('/packages.json')).status).toBe(200);
  });

  it('is degraded, not unavailable, over an empty data folder', async () => {
    await using served = await runProxy();
    expect((await served.get('/health', { authorization: '' })).json()).toMatchObject({
      status: 'degraded',
      metadata_url: null,
      tree: 'empty',
    });
  });

  it.each([
    ['is junk', (data: string) => writeFileSync(join(data, 'public/packages.json'), '{"packages":')],
    ['is gone with the folder it stands in', (data: string) => rmSync(join(data, 'public'), { recursive: true })],
  ])('is degraded where packages.json %s, and ok again with the next publication', async (_name, damage) => {
    await using served = await runWithHello();
    expect((await served.get('/health')).json()).toMatchObject({ status: 'ok' });
    damage(served.tree.data);
    for (let turn = 0; turn < 2; turn += 1) {
      const reply = await served.get('/health');
      expect([reply.status, reply.json()]).toMatchObject([200, { status: 'degraded', tree: 'unreadable' }]);
    }
    served.tree.publish();
    expect((await served.get('/health')).json()).toMatchObject({
      status: 'ok',
      metadata_url: '/p2/%package%$%hash%.json',
      tree: 'ok',
    });
  });
});
