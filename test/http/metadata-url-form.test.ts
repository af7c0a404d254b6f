// Tests the form of the metadata-url in packages.json: the exact form, except for clients that are known to fail with
// it.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rootChanges } from '../../proxy/core/tree/root-document.ts';
import { exchange } from '../util/raw-client.ts';
import { runManagement, type RunningManagement } from '../util/running-management.ts';
import { runProxy, type Reply, type RunningProxy } from '../util/running-proxy.ts';
import { HandMadeTree, zipBytes } from '../util/hand-made-tree.ts';
import { itInSeries } from '../util/series.ts';

const [exact, plain] = ['/p2/%package%$%hash%.json', '/p2/%package%.json'];
const form = (reply: Reply): unknown => reply.json()['metadata-url'];

let registry: RunningProxy;
beforeAll(async () => {
  registry = await runProxy({
    rootChanges: () => rootChanges(undefined, { search: '/search.json' }, { detectsForm: true, path: '' }),
  });
  registry.tree.put('acme/hello', [{ version: '1.0.0', normalized: '1.0.0.0', zip: zipBytes('1.0.0') }]);
  registry.tree.publish();
});
afterAll(() => registry[Symbol.asyncDispose]());

describe('packages.json', () => {
  it.each<[string, Record<string, string>]>([
    ['no header of a proxy', {}],
    ['a Composer', { 'user-agent': 'Composer/2.5.5 (Linux; 6.1; PHP 8.2.7; cURL 7.88.1)' }],
    ['Renovate from 44 on', { 'user-agent': 'RenovateBot/44.0.0 (https://github.com/renovatebot/renovate)' }],
    ['a name that only holds Renovate', { 'user-agent': 'not-Renovate/1.0' }],
  ])('packages.json has the exact form for %s', async (_who, headers) => {
    expect(form(await registry.get('/packages.json', headers))).toBe(exact);
  });

  it.each<[string, Record<string, string>]>([
    ['Via', { via: '1.1 cache' }],
    ['Forwarded', { forwarded: 'for=192.0.2.60' }],
    ['X-Forwarded-For', { 'x-forwarded-for': '192.0.2.60' }],
    ['X-Forwarded-Proto alone', { 'x-forwarded-proto': 'https' }],
    ['X-Forwarded-Scheme alone', { 'x-forwarded-scheme': 'https' }],
    ['Renovate below 44', { 'user-agent': 'RenovateBot/43.99.1 (https://github.com/renovatebot/renovate)' }],
    ['Renovate of a version that it does not say', { 'user-agent': 'Renovate' }],
  ])('packages.json has the plain form for requests with %s', async (_what, headers) => {
    expect(form(await registry.get('/packages.json', headers))).toBe(plain);
  });

  it('packages.json has the plain form for requests of HTTP/1.0, as nginx sends them', async () => {
    const reply = await exchange(
      registry.port,
      'GET /packages.json HTTP/1.0\r\nHost: x\r\nAuthorization: Bearer reader\r\n\r\n',
    );
    expect(reply.body).toContain(`"metadata-url":"${plain}"`);
  });

  itInSeries('a client never gets 304 for the other form, whichever publication it remembers', async () => {
    const seen = new Map<string, string>();
    for (let publication = 0; publication < 30; publication += 1) {
      registry.tree.put(`acme/more-${publication}`, [
        { version: '1.0.0', normalized: '1.0.0.0', zip: zipBytes('1.0.0') },
      ]);
      registry.tree.publish();
      await new Promise((resolve) => setTimeout(resolve, 6));
      for (const headers of [{}, { via: '1.1 cache' }] as Record<string, string>[]) {
        const reply = await registry.get('/packages.json', headers);
        const date = reply.headers['last-modified'] ?? '';
        expect(seen.has(date)).toBe(false);
        seen.set(date, String(form(reply)));
        const again = await registry.get('/packages.json', { ...headers, 'if-modified-since': date });
        const other = await registry.get('/packages.json', {
          ...(headers['via'] === undefined ? { via: '1.1 cache' } : {}),
          'if-modified-since': date,
        });
        const byTag = await registry.get('/packages.json', {
          ...(headers['via'] === undefined ? { via: '1.1 cache' } : {}),
          'if-none-match': reply.headers['etag'] ?? '',
        });
        expect([again.status, other.status, byTag.status]).toEqual([304, 200, 200]);
      }
    }
    for (const wanted of [exact, plain]) {
      const dates = [...seen].filter(([, named]) => named === wanted).map(([date]) => Date.parse(date));
      expect(dates).toEqual(dates.toSorted((one, other) => one - other));
    }
  });

  it('packages.json names the request headers that it depends on, in 200 and 304', async () => {
    const reply = await registry.get('/packages.json');
    const again = await registry.get('/packages.json', { 'if-none-match': reply.headers['etag'] ?? '' });
    const vary =
      'Authorization, Accept-Encoding, User-Agent, Via, Forwarded, X-Forwarded-For, X-Forwarded-Host, X-Forwarded-Port, X-Forwarded-Prefix, X-Forwarded-Proto, X-Forwarded-Scheme, X-Forwarded-Server';
    for (const { headers } of [reply, again]) expect(headers['vary']).toBe(vary);
    for (const name of vary.toLowerCase().split(', ').slice(3))
      expect([name, form(await registry.get('/packages.json', { [name]: 'x' }))]).toEqual([name, plain]);
    for (const name of ['x-forwarded-by', 'x-forwarded-ssl', 'x-forwarded'])
      expect([name, form(await registry.get('/packages.json', { [name]: 'x' }))]).toEqual([name, exact]);
    expect((await registry.get('/p2/acme/hello.json')).headers['vary']).toBe('Authorization, Accept-Encoding');
  });

  it('/health gives the form that clients on the same path get', async () => {
    expect((await registry.get('/health', { authorization: '' })).json()['metadata_url']).toBe(exact);
    expect((await registry.get('/health', { authorization: '', via: '1.1 cache' })).json()['metadata_url']).toBe(plain);
  });

  it('packages.json has the form of the server, whatever was built, and the built one where detection is off', async () => {
    await using built = await runProxy({
      rootChanges: () => rootChanges(undefined, {}, { detectsForm: true, path: '' }),
    });
    built.tree.rootExtras({ 'metadata-url': 'https://packages.example.org/p2/%package%.json' });
    built.tree.publish();
    expect(form(await built.get('/packages.json'))).toBe(exact);
    expect(form(await built.get('/packages.json', { via: '1.1 cache' }))).toBe(plain);
    await using off = await runProxy({ rootChanges: () => rootChanges(undefined, {}, { detectsForm: false }) });
    off.tree.publish();
    const [direct, through] = [await off.get('/packages.json'), await off.get('/packages.json', { via: '1.1 cache' })];
    expect([form(direct), form(through), through.headers['last-modified']]).toEqual([
      exact,
      exact,
      direct.headers['last-modified'],
    ]);
  });
});

describe('an address that is set at run time', () => {
  let managed: RunningManagement;
  beforeAll(async () => {
    managed = await runManagement();
    const tree = new HandMadeTree(managed.data);
    tree.rootExtras({ 'security-advisories': { metadata: true } });
    tree.publish();
  });
  afterAll(() => managed[Symbol.asyncDispose]());

  it.each([exact, plain])('metadata_url fixes the form %s for every client', async (fixed) => {
    const [admin, token] = [(await managed.signIn('admin')).token, await managed.createToken('read')];
    await managed.call('PATCH', '/api/settings', { as: admin, body: { metadata_url: fixed } });
    for (const headers of [{}, { via: '1.1 cache' }, { 'user-agent': 'RenovateBot/40.0.0' }] as Record<
      string,
      string
    >[]) {
      expect(form(await managed.proxy.get('/packages.json', { authorization: `Bearer ${token}`, ...headers }))).toBe(
        fixed,
      );
    }
    await managed.call('PATCH', '/api/settings', { as: admin, body: { metadata_url: null } });
    expect(
      form(await managed.proxy.get('/packages.json', { authorization: `Bearer ${token}`, via: '1.1 cache' })),
    ).toBe(plain);
  });

  it('dist_url gives the addresses of advisories to early versions of Composer, too', async () => {
    const [admin, token] = [(await managed.signIn('admin')).token, await managed.createToken('read')];
    const advised = async (): Promise<unknown> => {
      const headers = { authorization: `Bearer ${token}`, 'user-agent': 'Composer/2.5.5 (Linux)' };
      return (await managed.proxy.get('/packages.json', headers)).json()['security-advisories'];
    };
    expect(await advised()).toEqual({ metadata: true });
    await managed.call('PATCH', '/api/settings', { as: admin, body: { dist_url: 'https://example.org/composer' } });
    expect(await advised()).toEqual({
      metadata: true,
      'api-url': 'https://example.org/composer/security-advisories',
    });
  });
});

describe('a p2 document', () => {
  it.each(['/p2/Acme/Hello.json', '/p2/ACME/hello$%hash%.json', '/p2/acme/HELLO%24%25hash%25.json'])(
    'is found under %s and under its name in lower case',
    async (path) => {
      const [reply, lower] = [await registry.get(path), await registry.get('/p2/acme/hello.json')];
      expect([reply.status, reply.body.toString(), reply.headers['etag']]).toEqual([
        200,
        lower.body.toString(),
        lower.headers['etag'],
      ]);
      expect((await registry.get('/dist/Acme/Hello/1.0.0.zip')).status).toBe(200);
    },
  );
});
