// Tests what clients and tokens of a registry that mirrors others are told. Renovate's packagist datasource requests no
// name that `available-packages` lacks, and reads no patterns; every other client gets the list. The name of an
// upstream that is away is for tokens that see everything.

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Authentication } from '../../proxy/core/tokens/authenticate.ts';
import type { TokenId } from '../../proxy/core/tokens/token.ts';
import { createMirroredTree } from '../../proxy/mirror/mirrored-tree.ts';
import { rootChanges } from '../../proxy/core/tree/root-document.ts';
import { compileView } from '../../proxy/core/views/compile-view.ts';
import { noLimits } from '../../proxy/core/views/token-limits.ts';
import { zipBytes } from '../util/hand-made-tree.ts';
import { runMirror, type RunningMirror } from '../util/running-mirror.ts';
import { runProxy, type Reply, type RunningProxy } from '../util/running-proxy.ts';
import { startUpstream, type TestUpstream } from '../util/upstream.ts';

const [newest, old, other] = [
  'Renovate/44.39.2 (https://github.com/renovatebot/renovate)',
  'RenovateBot/40.0.0 (https://github.com/renovatebot/renovate)',
  'Composer/2.10.2 (Linux; 6.1; PHP 8.2.7)',
];
const views = {
  reader: undefined,
  limited: compileView({ ...noLimits, packages: ['acme/hello', 'some/lib'] }),
  older: compileView({ ...noLimits, constraints: { '*': '<2.0' } }),
};

let upstream: TestUpstream;
let mirror: RunningMirror;
let registry: RunningProxy;

const root = (as: keyof typeof views, userAgent: string, headers: Record<string, string> = {}): Promise<Reply> =>
  registry.get('/packages.json', { authorization: `Bearer ${as}`, 'user-agent': userAgent, ...headers });

/** The number of versions that Renovate finds; `stops`: it sends no request for the name. */
async function found(name: string, as: keyof typeof views, userAgent = newest): Promise<number | 'stops' | 'missing'> {
  const meta = (await root(as, userAgent)).json();
  const list = meta['available-packages'];
  if (Array.isArray(list) && !list.includes(name)) return 'stops';
  const path = String(meta['metadata-url']).replace('%package%', name);
  const reply = await registry.get(path, { authorization: `Bearer ${as}`, 'user-agent': userAgent });
  if (reply.status === 404) return 'missing';
  return Object.keys((reply.json()['packages'] as Record<string, object>)[name] ?? {}).length;
}

beforeAll(async () => {
  upstream = await startUpstream();
  upstream.put('some/lib', [
    { version: '1.1.0', zip: zipBytes('1.1.0') },
    { version: '1.0.0', zip: zipBytes('1.0.0') },
  ]);
  upstream.put('some/hidden', [{ version: '1.0.0', zip: zipBytes('hidden') }]);
  mirror = runMirror([upstream.url]);
  for (const name of ['acme/hello', 'acme/hidden']) mirror.privates.add(name);
  registry = await runProxy({
    authenticator: {
      authenticate: (header): Authentication => ({
        outcome: 'valid',
        token: {
          id: 'tok_0123456789abcdef' as TokenId,
          kind: 'read',
          limit: 0,
          view: views[(header ?? '').slice('Bearer '.length) as keyof typeof views],
          networks: undefined,
        },
      }),
    },
    mirrored: createMirroredTree(mirror.mirror, 1_000_000),
    rootChanges: () => rootChanges(undefined, {}, { mirrors: true, detectsForm: true }),
  });
  for (const name of ['acme/hello', 'acme/hidden'])
    registry.tree.put(name, [{ version: '1.0.0', normalized: '1.0.0.0', zip: zipBytes(name) }]);
  registry.tree.publish();
});
afterAll(async () => {
  await registry[Symbol.asyncDispose]();
  await mirror[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});

it.each([newest, old, 'Renovate'])('%s finds versions of published and of mirrored packages', async (userAgent) => {
  const counts = async (...names: readonly string[]): Promise<readonly unknown[]> => {
    const results: unknown[] = [];
    for (const name of names) results.push(await found(name, 'reader', userAgent));
    return results;
  };
  expect(await counts('acme/hello', 'some/lib', 'some/none')).toEqual([1, 2, 'missing']);
});

it('finds with a limited token what the token sees, and gets no hidden name and no other pattern', async () => {
  const results: unknown[] = [];
  for (const name of ['acme/hello', 'acme/hidden', 'some/lib', 'some/hidden'])
    results.push(await found(name, 'limited'));
  expect(results).toEqual([1, 'missing', 2, 'missing']);
  const reply = await root('limited', newest);
  expect(reply.json()['available-package-patterns']).toEqual(['acme/hello', 'some/lib']);
  expect(reply.body.toString()).not.toContain('hidden');
  expect((await root('older', newest)).json()).not.toHaveProperty('available-packages');
});

it.each([
  ['reader', ['acme/hello', 'acme/hidden'], ['*']],
  ['limited', ['acme/hello'], ['acme/hello', 'some/lib']],
  ['older', ['acme/hello', 'acme/hidden'], ['*']],
] as const)('other clients get the list and the patterns (%s)', async (as, names, patterns) => {
  for (const userAgent of [other, 'not-Renovate/1.0', ''])
    expect((await root(as, userAgent)).json()).toMatchObject({
      'available-packages': names,
      'available-package-patterns': patterns,
    });
});

it.each(Object.keys(views) as (keyof typeof views)[])(
  'both documents have validators of their own and Vary: User-Agent, behind a proxy too (%s)',
  async (as) => {
    const forms = [
      await root(as, newest),
      await root(as, other),
      await root(as, newest, { via: '1.1 cache' }),
      await root(as, other, { via: '1.1 cache' }),
    ];
    for (const validator of ['etag', 'last-modified'])
      expect(new Set(forms.map(({ headers }) => headers[validator])).size).toBe(4);
    for (const { headers } of forms) expect(headers['vary']).toContain('User-Agent');
    const { etag = '', 'last-modified': date = '' } = forms[0]?.headers ?? {};
    for (const condition of [{ 'if-none-match': etag }, { 'if-modified-since': date }] as Record<string, string>[])
      expect([(await root(as, newest, condition)).status, (await root(as, other, condition)).status]).toEqual([
        304, 200,
      ]);
  },
);

it('names an upstream that is away to tokens that see every package, and to no other (D451)', async () => {
  upstream.put('some/away', [{ version: '1.0.0', zip: zipBytes('away') }]);
  const answerOf = async (path: string, as: keyof typeof views) => {
    const reply = await registry.get(path, { authorization: `Bearer ${as}`, 'user-agent': other });
    return { status: reply.status, retryAfter: reply.headers['retry-after'], body: reply.body.toString() };
  };
  const [origin, port] = [new URL(upstream.url).origin, new URL(upstream.url).port];
  upstream.failing.status = 503;
  upstream.failing.headers = { 'retry-after': '30' };
  for (const path of ['/p2/some/away.json', '/dist/some/lib/1.0.0.zip']) {
    const [named, limited] = [await answerOf(path, 'reader'), await answerOf(path, 'older')];
    expect(named.status, path).toBe(500);
    expect(Number(named.retryAfter)).toBeGreaterThan(0);
    // Composer prints the first 200 bytes
    expect(named.body.slice(0, 200)).toContain(
      `The upstream repository ${origin} of this package cannot be reached or read now. Try again in `,
    );
    expect(limited).toMatchObject({ status: 500, retryAfter: named.retryAfter });
    expect(limited.body).toContain(
      'The upstream repository of this package cannot be reached or read now. Try again in ',
    );
    expect(limited.body).not.toContain(port);
  }
  upstream.failing.status = undefined;
});
