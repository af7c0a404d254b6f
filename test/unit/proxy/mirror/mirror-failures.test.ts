// Tests that one failed request to an upstream does not stop the other requests.

import type { ServerResponse } from 'node:http';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { runMirror } from '../../../util/running-mirror.ts';
import { zipBytes } from '../../../util/hand-made-tree.ts';
import { referenceFor, sha1Of, startUpstream, type TestUpstream } from '../../../util/upstream.ts';

const pathOf = (name: string): string => `/files/${name}/1.0.0/${referenceFor(`${name} 1.0.0`)}.zip`;
const fill = (upstream: TestUpstream, ...names: readonly string[]): void =>
  names.forEach((name) => upstream.put(name, [{ version: '1.0.0' }]));
const status =
  (code: number, headers: Record<string, string> = {}) =>
  (_request: unknown, response: ServerResponse): void =>
    void response.writeHead(code, headers).end('no');
const cut = (_request: unknown, response: ServerResponse): void => void response.destroy();
const cutInTheMidst = (_request: unknown, response: ServerResponse): void => {
  response.writeHead(200, { 'content-length': '20000' }).write(zipBytes('x').subarray(0, 50));
  setTimeout(() => response.destroy(), 20);
};
/** Fails once, and then works. */
function slip(
  upstream: TestUpstream,
  path: string,
  answering: (request: unknown, response: ServerResponse) => void,
): void {
  upstream.instead(path, (request, response) => {
    upstream.instead(path, undefined);
    answering(request, response);
  });
}

describe('a single failure of an upstream', () => {
  it.each([
    ['a 502', status(502)],
    ['a connection that is let go of', cut],
    ['an answer that breaks off', cutInTheMidst],
  ])('is followed by one more request: %s', async (_what, answering) => {
    await using upstream = await startUpstream();
    fill(upstream, 'some/lib');
    for (const path of ['/packages.json', '/p2/some/lib.json', pathOf('some/lib')]) slip(upstream, path, answering);
    await using running = runMirror([upstream.url]);
    expect((await running.provider('some/lib'))?.status).toBe(200);
    expect(sha1Of((await running.archive('some/lib', '1.0.0'))?.body ?? Buffer.alloc(0))).toBe(
      sha1Of(zipBytes('some/lib 1.0.0')),
    );
    for (const path of ['/packages.json', '/p2/some/lib.json', pathOf('some/lib')])
      expect(upstream.asked(path)).toBe(2);
  });

  it('a failed request is not repeated after a Retry-After or a wrong answer', async () => {
    await using upstream = await startUpstream();
    fill(upstream, 'some/lib', 'some/other');
    slip(
      upstream,
      '/p2/some/other.json',
      (_request, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip'),
    );
    slip(upstream, '/p2/some/lib.json', status(503, { 'retry-after': '60' }));
    await using running = runMirror([upstream.url]);
    expect((await running.provider('some/other'))?.status).toBe(500);
    expect(running.messages().at(-1)).toContain('cannot be unpacked');
    expect((await running.provider('some/lib'))?.headers['retry-after']).toBe('60');
    expect(upstream.asked('/p2/')).toBe(2);
  });
});

describe('repeated failures', () => {
  it.each([
    ['a document with 502', '/p2/some/bad.json', status(502)],
    ['a document that breaks off', '/p2/some/bad.json', cutInTheMidst],
    [
      'a document that cannot be unpacked',
      '/p2/some/bad.json',
      (_request: unknown, response: ServerResponse) =>
        void response.writeHead(200, { 'content-encoding': 'br' }).end('no brotli'),
    ],
    [
      'a document that is none',
      '/p2/some/bad.json',
      (_request: unknown, response: ServerResponse) => void response.end('[]'),
    ],
    ['an archive with 503', pathOf('some/bad'), status(503)],
    [
      'an archive behind a host that is dead',
      pathOf('some/bad'),
      status(302, { location: 'http://127.0.0.1:1/x.zip' }),
    ],
    ['an archive that is not there', pathOf('some/bad'), status(404)],
  ])('(%s) affect nothing else of the host, and not every client causes a request', async (_what, path, answering) => {
    await using upstream = await startUpstream();
    fill(upstream, 'some/bad', 'some/lib');
    upstream.instead(path, answering);
    await using running = runMirror([upstream.url]);
    for (let turn = 0; turn < 10; turn += 1)
      expect([404, 500]).toContain(
        (await (path.startsWith('/p2') ? running.provider('some/bad') : running.archive('some/bad', '1.0.0')))?.status,
      );
    expect(upstream.asked(path)).toBeLessThanOrEqual(2);
    expect((await running.provider('some/lib'))?.status).toBe(200);
    expect((await running.archive('some/lib', '1.0.0'))?.status).toBe(200);
  });

  it('for several documents, with no success between them, make the other requests to the host wait', async () => {
    await using upstream = await startUpstream();
    const bad = ['some/a', 'some/b', 'some/c'];
    fill(upstream, 'some/lib', ...bad);
    for (const name of bad) upstream.instead(`/p2/${name}.json`, status(500));
    await using running = runMirror([upstream.url]);
    for (const name of bad) await running.provider(name);
    expect((await running.provider('some/lib'))?.status).toBe(500);
    expect(upstream.asked('/p2/some/lib.json')).toBe(0);
    expect((await running.archive('some/lib', '1.0.0'))?.status).toBe(500); // its document is unknown
    running.clock.nowMs += 1001;
    expect((await running.provider('some/lib'))?.status).toBe(200);
  });

  it('of an archive with 403 or 410 give a 404 without an alarm, and another source may have the archive', async () => {
    await using upstream = await startUpstream();
    fill(upstream, 'some/gone', 'some/closed', 'some/limited');
    upstream.instead(pathOf('some/gone'), status(410));
    upstream.instead(pathOf('some/closed'), status(403));
    upstream.instead(pathOf('some/limited'), status(403, { 'x-ratelimit-remaining': '0' }));
    await using running = runMirror([upstream.url]);
    const replies = [
      await running.archive('some/gone', '1.0.0'),
      await running.archive('some/closed', '1.0.0'),
      await running.archive('some/limited', '1.0.0'),
    ];
    expect(
      replies.map((reply) => [reply?.status, reply?.json()['code'], reply?.headers['retry-after'] !== undefined]),
    ).toEqual([
      [404, 'UPSTREAM_REFUSED', false],
      [404, 'UPSTREAM_REFUSED', false],
      [500, 'UPSTREAM_UNAVAILABLE', true],
    ]);
    expect(replies[1]?.json()).toMatchObject({ error: expect.stringContaining('does not deliver it') as string });
    expect(running.messages()[1]).toContain('credentials');
    expect(running.of('archive-refused')).toEqual([]);
    expect(running.of('archive-failed')).toHaveLength(3);
  });

  it("an upstream's address with credentials is reported to the operator, not to the client", async () => {
    await using upstream = await startUpstream();
    fill(upstream, 'some/lib');
    upstream.instead(pathOf('some/lib'), status(302, { location: 'https://u:s3cret@elsewhere.example/a.zip' }));
    await using running = runMirror([upstream.url]);
    expect((await running.archive('some/lib', '1.0.0'))?.body.toString()).not.toContain('elsewhere.example');
    const messages = running.messages().join();
    expect(messages).toContain(`${upstream.url} names https://elsewhere.example/a.zip with credentials, which`);
    expect(messages).not.toMatch(/COMPOSER_AUTH|s3cret/);
  });
});

describe('slow archives', () => {
  const large = zipBytes('large', 300_000);
  const drip = (_request: unknown, response: ServerResponse): void => {
    let at = 0;
    response.writeHead(200, { 'content-length': String(large.length) });
    const timer = setInterval(() => response.write(large.subarray(at, (at += 10))), 20);
    response.on('close', () => clearInterval(timer));
  };

  it('an archive that arrives too slowly is given up and reported', async () => {
    await using upstream = await startUpstream();
    upstream.put('some/lib', [{ version: '1.0.0', zip: large }]);
    upstream.instead(pathOf('some/lib'), drip);
    await using running = runMirror([upstream.url], { archives: { leastSpeed: { bytes: 10_000, ms: 200 } } });
    expect((await running.archive('some/lib', '1.0.0'))?.status).toBe(500);
    expect(running.messages()).toEqual([
      expect.stringMatching(/was aborted after \d+ bytes: the transfer is too slow/),
    ]);
    expect(upstream.asked('/files/')).toBe(1);
  });

  it('slow archives delay neither archives of other hosts, nor documents of their own host', async () => {
    await using slow = await startUpstream();
    await using quick = await startUpstream();
    const names = ['some/a', 'some/b', 'some/c', 'some/d'];
    for (const name of names) {
      slow.put(name, [{ version: '1.0.0', zip: large }]);
      slow.instead(pathOf(name), drip);
    }
    slow.put('some/elsewhere', [{ version: '1.0.0', distUrl: `${quick.url}/a.zip` }]);
    quick.instead('/a.zip', (_request, response) => void response.end(zipBytes('some/elsewhere 1.0.0')));
    const client = { allowAddresses: ['127.0.0.0/8'], userAgent: 'x', limits: { documents: 2 } };
    await using running = runMirror([slow.url], {
      client,
      archives: { fromOneHost: 2, leastSpeed: { bytes: 10_000, ms: 1500 } },
    });
    const dripping = Promise.all(names.map((name) => running.archive(name, '1.0.0')));
    await expect.poll(() => slow.asked('/files/')).toBe(2);
    expect((await running.archive('some/elsewhere', '1.0.0'))?.status).toBe(200);
    expect((await running.provider('some/a'))?.status).toBe(200);
    expect(slow.asked('/files/')).toBe(2);
    await dripping;
    expect(slow.asked('/files/')).toBe(4); // the waiting requests were not refused
  });

  it('a request that waits for its turn does not count against the host', async () => {
    await using upstream = await startUpstream();
    fill(upstream, 'some/a', 'some/b', 'some/c', 'some/d', 'some/e');
    const client = { allowAddresses: ['127.0.0.0/8'], userAgent: 'x', limits: { documents: 1, documentMs: 400 } };
    await using running = runMirror([upstream.url], { client });
    await running.provider('some/none');
    const silent: ServerResponse[] = [];
    upstream.instead('/p2/some/a.json', (_request, response) => void silent.push(response));
    const first = running.provider('some/a');
    await expect.poll(() => silent.length).toBe(1);
    const waited = await Promise.all(['some/b', 'some/c', 'some/d'].map((name) => running.provider(name)));
    expect((await first)?.status).toBe(500);
    for (const reply of waited) expect([200, 500]).toContain(reply?.status);
    expect((await running.provider('some/e'))?.status).toBe(200);
    running.clock.nowMs += 1001;
    for (const name of ['some/b', 'some/c', 'some/d']) expect((await running.provider(name))?.status).toBe(200);
  });
});

describe('a silent upstream', () => {
  it('costs the first request a wait, and later ones get what is stored at once', async () => {
    await using upstream = await startUpstream();
    fill(upstream, 'some/a', 'some/b');
    const limits = { documentMs: 3_600_000, idleTimeoutMs: 3_600_000 };
    await using running = runMirror([upstream.url], {
      client: { allowAddresses: ['127.0.0.0/8'], userAgent: 'Libretto/test', limits },
    });
    for (const name of ['some/a', 'some/b']) await running.provider(name);
    running.clock.nowMs += 3_600_000;
    const silent: ServerResponse[] = [];
    const paths = ['/packages.json', '/p2/some/a.json', '/p2/some/b.json'];
    for (const path of paths) upstream.instead(path, (_request, response) => void silent.push(response));
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const first = running.provider('some/a');
    await vi.waitUntil(() => vi.getTimerCount() > 0, { interval: 0 });
    await vi.advanceTimersByTimeAsync(2000);
    const isStale = { 'x-libretto-stale-since': expect.any(String) };
    expect((await first)?.headers).toMatchObject(isStale);
    expect((await running.provider('some/b'))?.headers).toMatchObject(isStale);
    vi.useRealTimers();
    upstream.put('some/b', [{ version: '1.1.0' }]);
    for (const path of paths) upstream.instead(path, undefined);
    for (const response of silent) response.destroy();
    const later = async (): Promise<string | undefined> => {
      running.clock.nowMs += 3000;
      return (await running.provider('some/b'))?.body.toString();
    };
    await expect.poll(later).toContain('"1.1.0"');
  });
});
