// Tests that a feed shows a limited token only what it sees (I14), in its dates too.

import { afterEach, beforeEach, expect, it } from 'vitest';
import type { TokenLimits } from '../../proxy/core/views/token-limits.ts';
import { entriesIn, fieldOf, titlesIn } from '../util/atom.ts';
import type { Reply } from '../util/running-proxy.ts';
import { viewedRegistry, type ViewedRegistry } from '../util/viewed-registry.ts';

const first = Date.UTC(2026, 0, 10);
const second = Date.UTC(2026, 1, 10);
const third = Date.UTC(2026, 2, 10);
const all = '/feeds/releases.atom?stability=dev';

let registry: ViewedRegistry;
beforeEach(async () => {
  registry = await viewedRegistry(3);
  await publish(first, ['acme/one', '1.0.0'], ['acme/one', 'dev-main'], ['hush/plans', '1.0.0']);
});
afterEach(() => registry.end());

const publish = async (atMs: number, ...versions: readonly (readonly [string, string])[]): Promise<void> => {
  await registry.build(
    versions.map(([name, version]) => ({ name, version, content: 0 })),
    atMs,
  );
  await registry.settle(atMs + 86_400_000);
};
const ask = (path: string, limits: Partial<TokenLimits>, headers: Readonly<Record<string, string>> = {}) =>
  registry.ask({ method: 'GET', path, headers }, limits);
const titles = async (path: string, limits: Partial<TokenLimits>): Promise<readonly string[]> =>
  titlesIn(String((await ask(path, limits)).body));
const shown = ({ status, headers, body }: Reply): unknown => [
  status,
  { ...headers, date: '', 'x-ratelimit-remaining': '', 'x-ratelimit-reset': '', 'x-request-id': '' },
  String(body),
];

it('hidden packages, versions, branches and late releases are absent', async () => {
  await publish(second, ['acme/one', '2.0.0'], ['acme/two', '1.0.0']);
  const [one, old] = ['acme/one 1.0.0', 'acme/one dev-main'];
  expect(await titles(all, {})).toEqual([
    'acme/one 2.0.0',
    'acme/two 1.0.0',
    one,
    old,
    'acme/steady 1.0.0',
    'hush/plans 1.0.0',
  ]);
  expect(await titles(all, { packages: ['acme/one'] })).toEqual(['acme/one 2.0.0', one, old]);
  expect(await titles(all, { packages: ['acme/one'], stability: 'stable' })).toEqual(['acme/one 2.0.0', one]);
  expect(await titles(all, { packages: ['acme/*'], constraints: { 'acme/one': '<2.0' } })).toEqual([
    'acme/two 1.0.0',
    one,
    'acme/steady 1.0.0',
  ]);
  const dated = { packages: ['acme/one', 'acme/two'], not_after: '2026-01-31' };
  expect(await titles(all, dated)).toEqual([one, old]);
  expect(await titles('/feeds/acme/one.atom', dated)).toEqual([one]);
  expect((await ask('/feeds/acme/two.atom', dated)).status).toBe(404);
});

it('a hidden publication changes no byte, no date and no ETag', async () => {
  const views: readonly Partial<TokenLimits>[] = [
    { packages: ['acme/one'], constraints: { '*': '<2.0 || dev-main' } },
    { packages: ['acme/one'], not_after: '2026-01-31' },
  ];
  for (const limits of views) {
    const paths = [all, '/feeds/acme/one.atom', '/feeds/acme/two.atom'];
    const before = await Promise.all(paths.map((path) => ask(path, limits)));
    const atMs = limits === views[0] ? second : third;
    await publish(atMs, ['acme/one', limits === views[0] ? '2.0.0' : '3.0.0'], ['acme/two', '1.0.0']);
    const after = await Promise.all(paths.map((path) => ask(path, limits)));
    expect(after.map(shown)).toEqual(before.map(shown));
    expect(fieldOf(String(after[0]?.body), 'updated')).toBe(new Date(first).toISOString());
    expect((await ask(all, limits, { 'if-none-match': String(before[0]?.headers['etag']) })).status).toBe(304);
  }
});

it('the feed of a hidden package is answered like that of an unknown one', async () => {
  const limits = { packages: ['acme/*'] };
  for (const query of ['', '?stability=dev', '?stability=none']) {
    const hidden = shown(await ask(`/feeds/hush/plans.atom${query}`, limits));
    const unknown = shown(await ask(`/feeds/hush/never.atom${query}`, limits));
    expect(JSON.stringify(hidden).replaceAll('plans', 'never')).toBe(JSON.stringify(unknown));
  }
  const none = await ask(all, { packages: ['hush/never'] });
  expect([none.status, titlesIn(String(none.body))]).toEqual([200, []]);
  expect(none.headers['last-modified']).toBe('Thu, 01 Jan 1970 00:00:00 GMT');
});

it('a purged version leaves the feed', async () => {
  const limits = { packages: ['acme/one'] };
  const before = await ask(all, limits);
  await registry.purge('acme/one', '1.0.0', second);
  await registry.settle(third);
  const after = await ask(all, limits, {
    'if-none-match': String(before.headers['etag']),
    'if-modified-since': String(before.headers['last-modified']),
  });
  expect([after.status, titlesIn(String(after.body))]).toEqual([200, ['acme/one dev-main']]);
  const modified = await ask(all, limits, { 'if-modified-since': String(before.headers['last-modified']) });
  expect(modified.status).toBe(200);
});

it('a version that left and came back keeps the date of its first publication', async () => {
  const entry = async (): Promise<readonly string[]> => {
    const feed = String((await ask('/feeds/hush/plans.atom', {})).body);
    return [fieldOf(entriesIn(feed)[0] ?? '', 'published'), fieldOf(feed, 'updated')];
  };
  const before = new Date(first).toISOString();
  expect(await entry()).toEqual([before, before]);
  await registry.build([{ name: 'hush/plans', version: '1.0.0', content: undefined }], second);
  await registry.settle(second + 86_400_000);
  expect((await ask('/feeds/hush/plans.atom', {})).status).toBe(404);
  await publish(third, ['hush/plans', '1.0.0']);
  expect(await entry()).toEqual([before, new Date(third).toISOString()]);
  expect((await titles(all, {})).at(-1)).toBe('hush/plans 1.0.0');
});

it('a new content of a branch is a new publication of the same entry', async () => {
  const entry = async (): Promise<readonly string[]> => {
    const [newest = ''] = entriesIn(String((await ask('/feeds/acme/one.atom?stability=dev', {})).body));
    return ['title', 'published', 'id'].map((name) => fieldOf(newest, name));
  };
  const ids: (string | undefined)[] = [];
  for (const [content, atMs] of [
    [1, second],
    [2, third],
  ] as const) {
    await registry.build([{ name: 'acme/one', version: 'dev-main', content }], atMs);
    await registry.settle(atMs + 86_400_000);
    const [title, published, id] = await entry();
    expect([title, published]).toEqual(['acme/one dev-main', new Date(atMs).toISOString()]);
    ids.push(id);
  }
  expect(new Set(ids).size).toBe(1);
});
