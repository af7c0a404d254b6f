// Tests Composer's lookups over HTTP on a tree that the real builder built.

import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { below, libraryTree, temporaryTree, type TemporaryTree } from '../util/package-tree.ts';
import { runCli } from '../util/run-cli.ts';
import { runManagement, type RunningManagement } from '../util/running-management.ts';
import type { Reply } from '../util/running-proxy.ts';

let registry: RunningManagement;
let sources: TemporaryTree;
let reader: string;
let nowMs = Date.now();

beforeAll(async () => {
  registry = await runManagement({ now: () => nowMs });
  reader = await registry.createToken('read');
  sources = temporaryTree({
    ...below(
      'src/http',
      libraryTree('acme/http', {
        version: '1.0.0',
        description: 'Talks to servers.',
        homepage: 'https://example.org/http',
        support: { source: 'https://git.example.org/http' },
      }),
    ),
    ...below(
      'src/http-client',
      libraryTree('acme/http-client', {
        version: '1.0.0',
        description: 'Asks.',
        provide: { 'psr/http-client-implementation': '1.0' },
      }),
    ),
    ...below(
      'src/simple',
      libraryTree('acme/simple-http', {
        version: '1.0.0',
        description: 'Asks simply.',
        replace: { 'acme/old': '*' },
        provide: { 'psr/http-client-implementation': '1.0' },
      }),
    ),
    ...below(
      'src/curl',
      libraryTree('acme/curl', {
        version: '1.0.0',
        description: 'Another way.',
        keywords: ['HTTP', 'transfer'],
        provide: { 'acme/curl': '1.0' },
        homepage: 'javascript:alert(1)',
      }),
    ),
    ...below(
      'src/soap',
      libraryTree('other/soap', {
        version: '1.0.0',
        description: `Envelopes over http.${' Or over mail.'.repeat(100)}`,
        type: 'project',
        abandoned: 'acme/http',
      }),
    ),
    ...below('src/old-http', libraryTree('zoo/http', { version: '1.0.0', description: 'Older.', abandoned: true })),
    ...below('src/two-1', libraryTree('acme/two', { version: '1.0.0', description: 'Counts to one.' })),
    ...below(
      'src/two-2',
      libraryTree('acme/two', { version: '2.0.0', description: 'Counts secretly.', provide: { 'acme/secret': '1.0' } }),
    ),
    ...below('src/branch', libraryTree('zoo/branch', { version: 'dev-main', description: 'Never released.' })),
  });
  const { exitCode, stderr } = await runCli(['build', 'src', '--data', registry.data], { cwd: sources.root });
  if (exitCode !== 0) throw new Error(stderr);
});
afterAll(async () => {
  await registry[Symbol.asyncDispose]();
  sources.remove();
});

const get = (path: string, method: 'GET' | 'HEAD' = 'GET'): Promise<Reply> =>
  registry.call(method, path, { as: reader });
const found = async (query: string): Promise<readonly string[]> =>
  ((await get(`/search.json?${query}`)).json()['results'] as { name: string }[]).map(({ name }) => name);
const listed = async (query: string): Promise<unknown> => (await get(`/list.json${query}`)).json()['packageNames'];
const codeOf = (reply: Reply): unknown => [reply.status, reply.json()['code']];

describe('GET /search.json', () => {
  it('names are found before keywords, keywords before descriptions, and maintained packages before abandoned ones', async () => {
    expect(await found('q=http')).toEqual([
      'acme/http',
      'zoo/http',
      'acme/http-client',
      'acme/simple-http',
      'acme/curl',
      'other/soap',
    ]);
    expect(await found('q=HTTP+asks')).toEqual(['acme/http-client', 'acme/simple-http']);
    expect(await found('q=acme%2Fhttp')).toEqual(['acme/http', 'acme/http-client']);
    expect(await found('q=http+nothing')).toEqual([]);
  });

  it('a mistyped name finds similar names, and nothing else', async () => {
    expect((await get('/search.json?q=acme%2Fcrul')).json()).toMatchObject({
      results: [{ name: 'acme/curl' }],
      total: 1,
    });
    expect(await found('q=acme%2Fcrul&type=project')).toEqual([]);
    expect(await found('q=acme%2Fcrul&page=2')).toEqual([]);
    expect(await found('q=crul')).toEqual([]);
    const scoped = await registry.services
      .tokensOf('cli:test')
      .create({ description: 'a test', kind: 'read', limit: 0, limits: { packages: ['other/*'] } });
    expect((await registry.call('GET', '/search.json?q=acme%2Fcrul', { as: scoped.secret.reveal() })).json()).toEqual({
      results: [],
      total: 0,
    });
  });

  it('more downloaded packages come first among equal results', async () => {
    registry.services.installs.count('zoo/branch', 'dev-main');
    registry.services.downloads.count('acme/curl', '1.0.0');
    registry.services.downloads.count('acme/curl', '1.0.0');
    registry.services.installs.count('acme/curl', '1.0.0');
    nowMs += 61_000;
    expect((await found('q=')).slice(0, 2)).toEqual(['acme/curl', 'zoo/branch']);
    expect((await get('/search.json?q=curl')).json()['results']).toMatchObject([{ name: 'acme/curl', downloads: 2 }]);
  });

  it('the type filters the results, and an empty type, as Composer sends it, does not', async () => {
    expect(await found('q=http&type=project')).toEqual(['other/soap']);
    expect(await found('q=soap&type=')).toEqual(['other/soap']);
    expect(await found('q=soap&type=library')).toEqual([]);
  });

  it('a result has the fields that Composer shows, and links only to web pages', async () => {
    expect((await get('/search.json?q=servers')).json()).toEqual({
      results: [
        {
          name: 'acme/http',
          description: 'Talks to servers.',
          url: 'https://example.org/http',
          repository: 'https://git.example.org/http',
          downloads: 0,
          favers: 0,
        },
      ],
      total: 1,
    });
    expect((await get('/search.json?q=another+way')).json()['results']).toEqual([
      { name: 'acme/curl', description: 'Another way.', downloads: 2, favers: 0 },
    ]);
    expect((await get('/search.json?q=envelopes')).json()['results']).toMatchObject([{ abandoned: 'acme/http' }]);
    expect((await get('/search.json?q=older')).json()['results']).toMatchObject([{ abandoned: true }]);
  });

  it('results come in pages', async () => {
    const first = (await get('/search.json?q=http&per_page=4&type=')).json();
    expect([first['total'], (first['results'] as unknown[]).length, first['next']]).toEqual([
      6,
      4,
      '/search.json?q=http&per_page=4&type=&page=2',
    ]);
    const second = (await get(String(first['next']))).json();
    expect([(second['results'] as { name: string }[]).map(({ name }) => name), second['next']]).toEqual([
      ['acme/curl', 'other/soap'],
      undefined,
    ]);
    for (const query of ['page=0', 'page=x', 'per_page=101', `q=${'x'.repeat(251)}`])
      expect(codeOf(await get(`/search.json?${query}`))).toEqual([400, 'INVALID_INPUT']);
  });

  it('any query is treated as text', async () => {
    for (const query of ['q=%', 'q=%ff%00', 'q=(.*)+$', 'q=%2527', `q=${'a+'.repeat(120)}`, '&&&==', '%00=%00'])
      expect((await get(`/search.json?${query}`)).status, query).toBe(200);
  });
});

describe('GET /list.json', () => {
  it('names are listed by vendor, by type and by a filter with stars', async () => {
    expect(await listed('')).toEqual([
      'acme/curl',
      'acme/http',
      'acme/http-client',
      'acme/simple-http',
      'acme/two',
      'other/soap',
      'zoo/branch',
      'zoo/http',
    ]);
    expect(await listed('?filter=acme%2F%2A')).toEqual([
      'acme/curl',
      'acme/http',
      'acme/http-client',
      'acme/simple-http',
      'acme/two',
    ]);
    expect(await listed('?filter=*HTTP')).toEqual(['acme/http', 'acme/simple-http', 'zoo/http']);
    expect(await listed('?filter=*e*-*p')).toEqual(['acme/simple-http']);
    expect(await listed('?filter=acme')).toEqual([]);
    expect(await listed('?vendor=zoo')).toEqual(['zoo/branch', 'zoo/http']);
    expect(await listed('?vendor=acme&filter=acme%2Fh%2A')).toEqual(['acme/http', 'acme/http-client']);
    expect(await listed('?type=project')).toEqual(['other/soap']);
    expect(await listed('?type=&vendor=&filter=')).toHaveLength(8);
  });
});

describe('GET /providers/', () => {
  it('the answer names other packages that provide or replace a package, and is 404 where there is none', async () => {
    expect((await get('/providers/psr/http-client-implementation.json')).json()).toEqual({
      providers: [
        { name: 'acme/http-client', description: 'Asks.', type: 'library' },
        { name: 'acme/simple-http', description: 'Asks simply.', type: 'library' },
      ],
    });
    expect((await get('/providers/acme/old.json')).json()['providers']).toMatchObject([{ name: 'acme/simple-http' }]);
    // the list must exclude the package itself, or Composer would treat it as virtual
    for (const name of ['acme/http', 'acme/curl', 'acme/none', 'psr/http-client'])
      expect(codeOf(await get(`/providers/${name}.json`)), name).toEqual([404, 'NOT_FOUND']);
  });
});

describe('a limited token', () => {
  it('finds the packages that it sees, with their visible versions', async () => {
    const limited = (
      await registry.services.tokensOf('cli:test').create({
        description: 'limited',
        kind: 'read',
        limits: { packages: ['acme/*', 'zoo/http'], constraints: { 'acme/two': '<2.0', 'acme/simple-http': '<1.0' } },
      })
    ).secret.reveal();
    const names = async (query: string): Promise<readonly string[]> =>
      (
        (await registry.call('GET', `/search.json?${query}`, { as: limited })).json()['results'] as { name: string }[]
      ).map(({ name }) => name);
    const all = ['acme/curl', 'acme/http', 'acme/http-client', 'acme/two', 'zoo/http'];
    expect((await registry.call('GET', '/list.json', { as: limited })).json()['packageNames']).toEqual(all);
    expect([...(await names('q='))].sort()).toEqual(all);
    expect(await names('q=soap')).toEqual([]);
    // its newest version, which is hidden, has another value
    expect((await registry.call('GET', '/search.json?q=two', { as: limited })).json()['results']).toMatchObject([
      { name: 'acme/two', description: 'Counts to one.' },
    ]);
    expect(await names('q=secretly')).toEqual([]);
    expect(await found('q=secretly')).toEqual(['acme/two']);
    const providers = async (name: string, as: string): Promise<unknown> =>
      (await registry.call('GET', `/providers/${name}.json`, { as })).json()['providers'] ?? 404;
    expect(await providers('psr/http-client-implementation', limited)).toMatchObject([{ name: 'acme/http-client' }]);
    expect(await providers('acme/secret', reader)).toMatchObject([{ name: 'acme/two' }]);
    expect(await providers('acme/secret', limited)).toBe(404);
  });
});

describe('a long answer', () => {
  it('is compressed for a client that accepts that', async () => {
    const ask = (path: string, acceptEncoding: string): Promise<Reply> =>
      registry.proxy.get(path, { authorization: `Bearer ${reader}`, 'accept-encoding': acceptEncoding });
    const plain = await ask('/search.json?q=', 'identity');
    expect(plain.headers['content-encoding']).toBeUndefined();
    for (const [encoding, unpack] of [
      ['gzip', gunzipSync],
      ['br', brotliDecompressSync],
    ] as const) {
      const packed = await ask('/search.json?q=', encoding);
      expect([packed.headers['content-encoding'], Number(packed.headers['content-length'])]).toEqual([
        encoding,
        packed.body.length,
      ]);
      expect(unpack(packed.body).equals(plain.body)).toBe(true);
      expect(packed.body.length).toBeLessThan(plain.body.length);
    }
    expect((await ask('/providers/acme/old.json', 'gzip')).headers['content-encoding']).toBeUndefined();
  });
});

describe('all lookups', () => {
  it('require a token, count as one request, answer HEAD, and refuse other methods', async () => {
    for (const path of ['/search.json?q=http', '/list.json', '/providers/acme/old.json']) {
      expect(codeOf(await registry.call('GET', path))).toEqual([401, 'AUTHENTICATION_REQUIRED']);
      expect(codeOf(await registry.call('GET', path, { as: (await registry.signIn('viewer')).token }))).toEqual([
        403,
        'INSUFFICIENT_SCOPE',
      ]);
      const [before, after] = [await get(path), await get(path)].map(({ headers }) =>
        Number(headers['x-ratelimit-remaining']),
      );
      expect(Number(before) - Number(after)).toBe(1);
      const head = await get(path, 'HEAD');
      expect([head.status, head.body.length]).toEqual([200, 0]);
      const refused = await registry.call('POST', path, { as: reader, body: {} });
      expect([...(codeOf(refused) as unknown[]), refused.headers['allow']]).toEqual([
        400,
        'METHOD_NOT_ALLOWED',
        'GET, HEAD',
      ]);
    }
  });
});
