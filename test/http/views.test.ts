// Tests views that change between requests: by publications, by updates of the token, and by the network of the
// client.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Authentication } from '../../proxy/core/tokens/authenticate.ts';
import type { TokenId } from '../../proxy/core/tokens/token.ts';
import { parseAddressRange } from '../../proxy/core/http/client-address.ts';
import { rootChanges } from '../../proxy/core/tree/root-document.ts';
import { compileView } from '../../proxy/core/views/compile-view.ts';
import { noLimits, type TokenLimits } from '../../proxy/core/views/token-limits.ts';
import { runManagement, type RunningManagement } from '../util/running-management.ts';
import { runProxy, type Reply } from '../util/running-proxy.ts';
import { HandMadeTree, zipBytes, type VersionSpec } from '../util/hand-made-tree.ts';

const version = (text: string, time?: string): VersionSpec => ({
  version: text,
  normalized: text.startsWith('dev-') ? text : `${text}.0`,
  zip: zipBytes(text),
  ...(time === undefined ? {} : { time }),
});

let registry: RunningManagement;
let tree: HandMadeTree;
beforeEach(async () => {
  registry = await runManagement();
  tree = new HandMadeTree(registry.data);
  tree.put('acme/core', [version('2.0.0', '2026-06-01T00:00:00Z'), version('1.0.0', '2026-01-01T00:00:00Z')]);
  tree.put('acme/young', [version('3.0.0', '2026-06-01T00:00:00Z')]);
  tree.publish();
});
afterEach(() => registry[Symbol.asyncDispose]());

const tokens = () => registry.services.tokensOf('cli:test');
const create = async (
  limits: Partial<TokenLimits>,
  limit = 1000,
): Promise<{ readonly id: string; readonly token: string }> => {
  const { record, secret } = await tokens().create({ description: 'a test', kind: 'read', limit, limits });
  return { id: record.id, token: secret.reveal() };
};
const get = (path: string, token: string, headers: Readonly<Record<string, string>> = {}): Promise<Reply> =>
  registry.proxy.send('GET', path, { authorization: `Bearer ${token}`, ...headers });
const names = (reply: Reply): unknown => reply.json()['available-packages'];
const versions = (reply: Reply, name: string): readonly string[] =>
  Object.keys((reply.json()['packages'] as Record<string, Record<string, unknown>>)[name] ?? {});
const dated = (reply: Reply): Readonly<Record<string, string>> => ({
  'if-modified-since': reply.headers['last-modified'] ?? '',
});
/** The server checks for a publication every few milliseconds. */
const publish = async (): Promise<void> => {
  tree.publish({ root: false });
  await new Promise((resolve) => setTimeout(resolve, 10));
};

describe('a view', () => {
  it('lists a package as soon as one of its versions is visible, although packages.json is unchanged', async () => {
    const { token } = await create({ constraints: { '*': '<2.0' } });
    const before = await get('/packages.json', token);
    expect(names(before)).toEqual(['acme/core']);
    tree.put('acme/young', [version('3.0.0'), version('1.9.0')]);
    await publish();
    const after = await get('/packages.json', token, dated(before));
    expect([after.status, names(after)]).toEqual([200, ['acme/core', 'acme/young']]);
    tree.put('acme/core', [version('2.0.0')]);
    await publish();
    expect(names(await get('/packages.json', token, dated(after)))).toEqual(['acme/young']);
  });

  it('gets 304 where nothing visible has changed', async () => {
    const { token } = await create({ packages: ['acme/core'], constraints: { '*': '<2.0' } });
    const [root, core] = [await get('/packages.json', token), await get('/p2/acme/core.json', token)];
    expect([
      (await get('/packages.json', token, dated(root))).status,
      (await get('/p2/acme/core.json', token, dated(core))).status,
    ]).toEqual([304, 304]);
  });

  it('has dates that rise with each publication of a document', async () => {
    const { token } = await create({ constraints: { '*': '<2.0' } });
    const at = async (): Promise<number> =>
      Date.parse((await get('/p2/acme/core.json', token)).headers['last-modified'] ?? '');
    const first = await at();
    tree.put('acme/core', [version('2.0.0'), version('1.1.0'), version('1.0.0')]);
    await publish();
    expect(await at()).toBeGreaterThan(first);
  });

  it('follows its token: another answer with another date and another ETag, from the next request on', async () => {
    const { id, token } = await create({ constraints: { 'acme/core': '<2.0' } });
    const before = await get('/p2/acme/core.json', token);
    expect(versions(before, 'acme/core')).toEqual(['1.0.0']);
    await tokens().update(id, { limits: { constraints: { 'acme/core': '<3.0' } } });
    const after = await get('/p2/acme/core.json', token, { ...dated(before) });
    expect([after.status, versions(after, 'acme/core')]).toEqual([200, ['2.0.0', '1.0.0']]);
    await tokens().update(id, { limits: { constraints: null, not_after: '2026-03-01' } });
    const narrowed = await get('/p2/acme/core.json', token, { 'if-none-match': after.headers['etag'] ?? '' });
    expect([narrowed.status, versions(narrowed, 'acme/core')]).toEqual([200, ['1.0.0']]);
    expect(new Set([before, after, narrowed].map((reply) => reply.headers['last-modified'])).size).toBe(3);
    expect((await get('/dist/acme/core/2.0.0.zip', token)).status).toBe(404);
  });

  it('uses the time of first publication here where the source gives no time', async () => {
    tree.put('acme/undated', [version('1.0.0')]);
    tree.publish();
    const [{ token: before }, { token: after }] = [
      await create({ not_after: '2026-01-30' }),
      await create({ not_after: '2026-01-31' }),
    ];
    expect([
      (await get('/p2/acme/undated.json', before)).status,
      (await get('/p2/acme/undated.json', after)).status,
    ]).toEqual([404, 200]);
  });
});

describe('a registry that mirrors others', () => {
  it('gives a limited token the patterns to request, also where the token sees all published packages', async () => {
    const view = compileView({ ...noLimits, packages: ['acme/*'] });
    const authenticator = {
      authenticate: (): Authentication => ({
        outcome: 'valid',
        token: { id: 'tok_0123456789abcdef' as TokenId, kind: 'read', limit: 0, view, networks: undefined },
      }),
    };
    await using mirroring = await runProxy({
      authenticator,
      dataDirectory: registry.data,
      rootChanges: () => rootChanges(undefined, {}, { mirrors: true }),
    });
    expect((await mirroring.get('/packages.json')).json()).toMatchObject({
      'available-packages': ['acme/core', 'acme/young'],
      'available-package-patterns': ['acme/*'],
    });
  });
});

describe('the networks of a token', () => {
  it('are the only places from which the token works', async () => {
    const [{ token: here }, { token: elsewhere }] = [
      await create({ networks: ['127.0.0.0/8'] }),
      await create({ networks: ['203.0.113.0/24'] }),
    ];
    expect((await get('/packages.json', here)).status).toBe(200);
    for (const path of ['/packages.json', '/p2/acme/core.json', '/dist/acme/core/1.0.0.zip', '/api/packages']) {
      const reply = await get(path, elsewhere, { 'user-agent': 'Composer/2.5.5' });
      const body = reply.json();
      expect([path, reply.status, body['code'], body['warning']]).toEqual([
        path,
        403,
        'NETWORK_NOT_ALLOWED',
        body['error'],
      ]);
      expect(JSON.stringify([reply.headers, body])).not.toContain('203.0.113');
    }
  });

  it('ignore a forwarded address without a trusted proxy', async () => {
    const { token } = await create({ networks: ['203.0.113.0/24'] });
    expect((await get('/packages.json', token, { 'x-forwarded-for': '203.0.113.7' })).status).toBe(403);
  });

  it('apply to the address that a trusted proxy gives', async () => {
    const range = parseAddressRange('203.0.113.0/24') ?? expect.unreachable();
    const authenticator = {
      authenticate: (): Authentication => ({
        outcome: 'valid',
        token: { id: 'tok_0123456789abcdef' as TokenId, kind: 'read', limit: 0, view: undefined, networks: [range] },
      }),
    };
    await using behind = await runProxy({
      authenticator,
      trustedProxies: ['127.0.0.0/8'],
      dataDirectory: registry.data,
    });
    const status = async (from: string): Promise<number> =>
      (await behind.get('/packages.json', { 'x-forwarded-for': from })).status;
    expect([
      await status('203.0.113.7'),
      await status('203.0.113.7, 198.51.100.1'),
      await status('198.51.100.1, 203.0.113.7'),
      await status('2001:db8::1'),
    ]).toEqual([200, 403, 200, 403]);
  });

  it('refuse without a count for the token, and too many tries block the address', async () => {
    const { id, token } = await create({ networks: ['203.0.113.0/24'] }, 3);
    const statuses: number[] = [];
    for (let at = 0; at < 103; at += 1) statuses.push((await get('/packages.json', token)).status);
    expect([statuses.slice(0, 100).every((status) => status === 403), statuses.slice(100)]).toEqual([
      true,
      [429, 429, 429],
    ]);
    await tokens().update(id, { limits: { networks: null } });
    expect((await get('/packages.json', token)).headers['x-ratelimit-remaining']).toBe('2');
  });
});
