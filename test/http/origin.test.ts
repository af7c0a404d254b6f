// Tests a tree behind a static server: the served content, the requests to the origin, and the answers while the origin
// fails.

import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withChecksum } from '../../build/contract/checksum.ts';
import type { Authentication } from '../../proxy/core/tokens/authenticate.ts';
import { compileView } from '../../proxy/core/views/compile-view.ts';
import { serveOrigin, type ServedOrigin } from '../util/origin-server.ts';
import { runProxy } from '../util/running-proxy.ts';
import { referenceOf, sha1, zipBytes, type VersionSpec } from '../util/hand-made-tree.ts';

const spec = (version: string, normalized = `${version}.0`, extra: Partial<VersionSpec> = {}): VersionSpec => ({
  version,
  normalized,
  zip: zipBytes(version),
  ...extra,
});
const small = spec('1.0.0');
const large = spec('2.0.0', '2.0.0.0', { zip: zipBytes('large', 3_000_000) });
const odd = spec('dev-fix+12 #ü', 'dev-fix+12 #ü');

/** Between two checks of the proxy of serveOrigin. */
const checkEveryMs = 100;

let served: ServedOrigin;
beforeEach(async () => {
  served = await serveOrigin({ authorization: 'Bearer of-the-origin' });
  served.tree.put('acme/hello', [large, small, odd]);
  served.tree.put('acme/other', [spec('1.0.0')]);
  served.tree.publish();
});
afterEach(() => served[Symbol.asyncDispose]());

const get = (path: string, headers?: Readonly<Record<string, string>>, method?: 'GET' | 'HEAD') =>
  served.proxy.get(path, headers, method);
const providers = (path = 'acme/hello'): Promise<unknown> =>
  get(`/p2/${path}.json`).then((reply) =>
    reply.status === 200 ? Object.keys(Object.values(reply.json()['packages'] as object)[0] as object) : reply.status,
  );
const until = async (holds: () => Promise<boolean>): Promise<void> => {
  for (let attempt = 0; !(await holds()); attempt += 1) {
    if (attempt > 100) throw new Error('it did not come to that');
    await sleep(50);
  }
};

describe('an origin', () => {
  it("serves the published documents, with Libretto's own headers", async () => {
    expect((await get('/packages.json')).json()).toMatchObject({ 'available-packages': ['acme/hello', 'acme/other'] });
    expect(await providers()).toEqual(['2.0.0', '1.0.0']);
    expect(await providers('acme/hello~dev')).toEqual([odd.version]);
    const { headers } = await get('/p2/acme/hello.json');
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'last-modified': 'Tue, 14 Nov 2023 22:13:21 GMT',
      'cache-control': 'private, no-cache',
    });
    expect((await get('/p2/acme/hello.json', { 'if-modified-since': String(headers['last-modified']) })).status).toBe(
      304,
    );
  });

  it('gives 404 for missing files', async () => {
    expect(await providers('acme/unknown')).toBe(404);
    expect(await providers('acme/unknown~dev')).toBe(404);
    expect(await providers('acme/other~dev')).toEqual([]);
    expect((await get('/dist/acme/hello/9.9.9.zip')).status).toBe(404);
  });

  it('is asked nothing about a package that a view does not see', async () => {
    const limits = { packages: null, constraints: { 'acme/*': '>=2.0' }, stability: null, not_after: null };
    const token = { id: 'tok_limited', kind: 'read', limit: 1000, view: compileView(limits) };
    const proxy = await runProxy({
      files: served.files.files,
      authenticator: { authenticate: () => ({ outcome: 'valid', token }) as Authentication },
    });
    try {
      expect((await proxy.get('/p2/acme/hello.json')).status).toBe(200);
      served.origin.asked();
      // the announcement is read by time
      const asked = (): readonly string[] =>
        served.origin.asked().filter((path) => !path.endsWith('_publication.json'));
      for (const name of ['acme/other', 'acme/never'])
        for (const path of [`/p2/${name}.json`, `/p2/${name}~dev.json`, `/dist/${name}/1.0.0.zip`])
          expect([(await proxy.get(path)).status, asked()]).toEqual([404, []]);
    } finally {
      await proxy[Symbol.asyncDispose]();
    }
  });

  it('serves archives small and large, with unusual names, and answers HEAD', async () => {
    for (const version of [small, large, odd]) {
      const reply = await get(
        `/dist/acme/hello/${encodeURIComponent(version.version)}.zip?ref=${referenceOf(version)}`,
      );
      expect([reply.status, reply.body.equals(version.zip)]).toEqual([200, true]);
      expect(reply.headers).toMatchObject({
        'content-type': 'application/zip',
        'content-length': String(version.zip.length),
        etag: `"${sha1(version.zip)}"`,
        'accept-ranges': 'none',
        'x-ratelimit-limit': '100000',
      });
      const head = await get(`/dist/acme/hello/${encodeURIComponent(version.version)}.zip`, {}, 'HEAD');
      expect([head.status, head.body.length, head.headers['content-length']]).toEqual([
        200,
        0,
        String(version.zip.length),
      ]);
    }
  });

  it('gets one request for a document or a small archive, also of many clients at once', async () => {
    await Promise.all(Array.from({ length: 20 }, () => get('/p2/acme/hello.json')));
    await Promise.all(Array.from({ length: 20 }, () => get('/dist/acme/hello/1.0.0.zip')));
    const asked = served.origin.asked().filter((path) => !path.endsWith('_publication.json'));
    expect(asked.toSorted()).toEqual([
      '/index/acme/hello.json',
      '/public/dist/acme/hello/1.0.0.zip',
      '/public/p2/acme/hello.json',
      '/public/packages.json',
    ]);
  });

  it('gets one small request about a publication, whatever clients request meanwhile', async () => {
    await get('/packages.json');
    served.origin.asked();
    const began = performance.now();
    await Promise.all(Array.from({ length: 50 }, () => get('/packages.json')));
    const checks = Math.ceil((performance.now() - began) / checkEveryMs);
    expect(served.origin.asked().length).toBeLessThanOrEqual(1 + checks);
  });

  it('gets no request of a client that has the current bytes', async () => {
    await get('/packages.json');
    await get('/p2/acme/hello.json');
    await get('/dist/acme/hello/9.9.9.zip');
    served.origin.asked();
    expect((await get('/dist/acme/hello/2.0.0.zip', { 'if-none-match': `"${sha1(large.zip)}"` })).status).toBe(304);
    expect(served.origin.asked().filter((path) => path.includes('/dist/'))).toEqual([]);
  });

  it('shows a publication soon, and gets requests only for indexes and changed files', async () => {
    expect(await providers()).toEqual(['2.0.0', '1.0.0']);
    expect(await providers('acme/other')).toEqual(['1.0.0']);
    const next = spec('3.0.0');
    served.tree.put('acme/hello', [next, large, small, odd]);
    served.tree.publish();
    await until(async () => ((await providers()) as string[]).length === 3);
    expect((await get('/dist/acme/hello/3.0.0.zip')).body.equals(next.zip)).toBe(true);
  });

  it('serves an archive that was uploaded before the announcement', async () => {
    expect((await get('/dist/acme/hello/3.0.0.zip')).status).toBe(404);
    served.skip(1100); // the proxy reads one package from the origin at most once a second
    const next = spec('3.0.0');
    served.tree.writeArchives('acme/hello', [next]);
    served.tree.writeIndex('acme/hello', [next, large, small, odd]);
    expect((await get('/dist/acme/hello/3.0.0.zip')).status).toBe(200);
    expect(await providers()).toBe(500); // its document is missing, and was never known
  });

  it('gets no repeated requests for missing versions', async () => {
    await Promise.all(Array.from({ length: 30 }, (_, at) => get(`/dist/acme/hello/9.0.${at}.zip`)));
    for (let at = 0; at < 10; at += 1) await get(`/dist/acme/hello/8.0.${at}.zip`);
    expect(served.origin.asked().filter((path) => path === '/index/acme/hello.json').length).toBeLessThanOrEqual(2);
  });

  it('is reported as not ready without a publication', async () => {
    await using empty = await serveOrigin();
    expect((await empty.proxy.get('/packages.json')).json()).toMatchObject({ code: 'NOT_READY' });
    expect((await empty.proxy.get('/health')).json()).toMatchObject({ tree: 'empty' });
    expect((await empty.proxy.get('/health/ready')).status).toBe(500);
    empty.tree.put('acme/hello', [small]);
    empty.tree.publish();
    await until(async () => (await empty.proxy.get('/packages.json')).status === 200);
  });
});

describe('an unreachable origin', () => {
  it('leaves known documents and small archives in use, is logged once, and is noticed when it returns', async () => {
    await get('/packages.json');
    await providers();
    await get('/dist/acme/hello/1.0.0.zip');
    await served.origin.goAway();
    await sleep(250);
    for (let turn = 0; turn < 10; turn += 1)
      expect([
        await providers(),
        (await get('/packages.json')).status,
        (await get('/dist/acme/hello/1.0.0.zip')).status,
      ]).toEqual([['2.0.0', '1.0.0'], 200, 200]);
    await until(async () => (await get('/health')).json()['tree'] === 'stale');
    expect((await get('/health')).json()).toMatchObject({ status: 'degraded', tree: 'stale' });
    expect([(await get('/health/ready')).status, (await get('/health/ready')).json()]).toMatchObject([
      200,
      { tree: 'stale' },
    ]);
    const unknown = await get('/p2/acme/other.json');
    expect([unknown.status, unknown.headers['retry-after'], unknown.json()]).toMatchObject([
      500,
      '5',
      { code: 'UPSTREAM_UNAVAILABLE' },
    ]);
    expect(served.notices.filter(({ state }) => state === 'failing')).toHaveLength(1);
    await served.origin.comeBack();
    await until(async () => (await get('/p2/acme/other.json')).status === 200);
    await until(
      async () =>
        (await get('/health')).json()['tree'] !== 'unreadable' && served.notices.at(-1)?.state === 'recovered',
    );
    expect(served.notices.at(-1)).toEqual({ state: 'recovered' });
  });

  it('an origin that serves the announcement without its files leaves the cached files in use', async () => {
    await get('/packages.json');
    expect(await providers()).toEqual(['2.0.0', '1.0.0']);
    served.origin.misbehave = (request, response) =>
      !String(request.url).endsWith('_publication.json') && (response.writeHead(503).end(), true);
    served.tree.put('acme/hello', [spec('3.0.0'), large, small, odd]);
    served.tree.publish();
    await until(async () => (await get('/health')).json()['tree'] === 'stale');
    expect(await providers()).toEqual(['2.0.0', '1.0.0']);
    expect((await get('/health')).json()).toMatchObject({ status: 'degraded', tree: 'stale' });
    served.origin.misbehave = () => false;
    await until(async () => ((await providers()) as string[]).length === 3);
  });

  it('is logged with each cause at once and each cause once, whatever clients request', async () => {
    await get('/packages.json');
    for (const status of [503, 403, 503, 403]) {
      served.origin.misbehave = (request, response) =>
        !String(request.url).endsWith('_publication.json') && (response.writeHead(status).end(), true);
      for (const path of ['/dist/acme/hello/1.0.0.zip', '/dist/acme/hello/2.0.0.zip', '/p2/acme/other.json'])
        await get(path);
    }
    expect(served.notices.map(({ state, reason }) => [state, /answered \d+/.exec(String(reason))?.[0]])).toEqual([
      ['failing', 'answered 503'],
      ['failing', 'answered 403'],
    ]);
  });

  it('an origin that hangs delays requests for cached files only briefly', async () => {
    await get('/packages.json');
    await providers();
    served.tree.put('acme/hello', [spec('3.0.0'), large, small, odd]);
    served.tree.publish();
    served.origin.misbehave = (request) => !String(request.url).endsWith('_publication.json');
    await sleep(150);
    await get('/packages.json'); // the request that notices the publication
    await sleep(150);
    expect(await Promise.all([providers(), providers(), get('/packages.json').then(({ status }) => status)])).toEqual([
      ['2.0.0', '1.0.0'],
      ['2.0.0', '1.0.0'],
      200,
    ]);
  });

  it('at the start gives answers that ask for a retry', async () => {
    await using late = await serveOrigin();
    late.tree.put('acme/hello', [small]);
    late.tree.publish();
    await late.origin.goAway();
    const reply = await late.proxy.get('/packages.json');
    expect([reply.status, reply.headers['retry-after'], reply.json()]).toMatchObject([
      500,
      '5',
      { code: 'UPSTREAM_UNAVAILABLE' },
    ]);
    expect((await late.proxy.get('/health')).json()).toMatchObject({ status: 'degraded', tree: 'unreadable' });
    await late.origin.comeBack();
    await until(async () => (await late.proxy.get('/packages.json')).status === 200);
  });
});

describe('files of an origin that other parts read', () => {
  it('are documents, indexes, lists and texts as published, and nothing else', async () => {
    const text = '# Hello\n';
    const digest = createHash('sha256').update(text).digest('hex').slice(0, 40);
    served.tree.write(`index/_texts/acme/hello/${digest}.md`, text);
    served.tree.write('index/_quarantined.json', withChecksum('{"format":1}'));
    const { published } = served.files;
    expect((await published.read(`index/_texts/acme/hello/${digest}.md`))?.toString()).toBe(text);
    expect((await published.read('index/_quarantined.json'))?.toString()).toContain('"format":1');
    expect(await published.read('index/_withheld.json')).toBeUndefined();
    expect(JSON.parse(String(await published.read('public/packages.json')))).toMatchObject({ packages: {} });
    expect(String(await published.read('index/acme/hello.json'))).toContain('acme/hello');
    served.tree.write(`index/_texts/acme/hello/${digest}.md`, '# Hullo\n');
    served.tree.write('index/_quarantined.json', withChecksum('{"format":1}').replace('1', '2'));
    await expect(published.read(`index/_texts/acme/hello/${digest}.md`)).rejects.toThrow('damaged');
    await expect(published.read('index/_quarantined.json')).rejects.toThrow('damaged');
  });

  it('have stamps that change with the package', async () => {
    const stamps = () =>
      served.files.published.stamps(['public/p2/acme/hello.json', 'index/acme/hello.json', 'index/acme/unknown.json']);
    const before = await stamps();
    expect(before).toEqual(['', expect.any(String), undefined]);
    expect(await stamps()).toEqual(before);
    served.tree.put('acme/hello', [small]);
    served.tree.publish();
    await until(async () => (await stamps())[1] !== before[1]);
  });
});
