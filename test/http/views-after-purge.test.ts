// Tests the dates of views after a purge. A view that loses a version gets a later date (I19). A view that never saw
// the version keeps its date (I14).

import { afterEach, beforeEach, expect, it } from 'vitest';
import type { TokenLimits } from '../../proxy/core/views/token-limits.ts';
import type { Reply } from '../util/running-proxy.ts';
import { viewedRegistry, type ViewedRegistry } from '../util/viewed-registry.ts';

const built = Date.UTC(2026, 0, 10);
const purged = Date.UTC(2026, 1, 10);

let registry: ViewedRegistry;
beforeEach(async () => {
  registry = await viewedRegistry(3);
  const versions = ['1.1.0', '1.2.0', 'dev-main', 'dev-secret'];
  const ones = versions.map((version) => ({ name: 'acme/one', version, content: 0 }));
  await registry.build([...ones, { name: 'acme/two', version: '1.0.0', content: 0 }], built);
  await registry.settle(built);
});
afterEach(() => registry.end());

const documents = ['/packages.json', '/p2/acme/one.json', '/p2/acme/one~dev.json'] as const;
const look = (limits: Partial<TokenLimits>): Promise<readonly Reply[]> =>
  Promise.all(documents.map((path) => registry.ask({ method: 'GET', path }, limits)));
const dateOf = (reply: Reply | undefined): string => reply?.headers['last-modified'] ?? '';
const again = (path: string, limits: Partial<TokenLimits>, before: Reply | undefined): Promise<Reply> =>
  registry.ask({ method: 'GET', path, headers: { 'if-modified-since': dateOf(before) } }, limits);
/** Makes the server see the publication at once, by moving its clock. */
const purge = async (name: string, version: string, atMs: number): Promise<void> => {
  await registry.purge(name, version, atMs);
  await registry.settle(atMs + 86_400_000);
};
const shown = (replies: readonly Reply[]): unknown =>
  replies.map((reply) => [reply.status, dateOf(reply), String(reply.body)]);

it('packages.json gets a later date once a view loses the only version of a package that it sees', async () => {
  const limits = { packages: ['acme/*'], constraints: { 'acme/one': '^1.2' } };
  let [root] = await look(limits);
  const purges = [
    ['acme/one', '1.2.0', ['acme/steady', 'acme/two']],
    ['acme/two', '1.0.0', ['acme/steady']],
  ] as const;
  for (const [at, [name, version, left]] of purges.entries()) {
    await purge(name, version, purged + at * 60_000);
    const after = await again('/packages.json', limits, root);
    expect(after.status).toBe(200);
    expect(after.json()['available-packages']).toEqual(left);
    expect(Date.parse(dateOf(after))).toBeGreaterThan(Date.parse(dateOf(root)));
    root = after;
  }
});

it('a view that never saw the purged version keeps every date', async () => {
  const limits = { constraints: { 'acme/one': '<1.2 || dev-main' } };
  const before = await look(limits);
  await purge('acme/one', '1.2.0', purged);
  await purge('acme/one', 'dev-secret', purged + 60_000);
  expect(shown(await look(limits))).toEqual(shown(before));
  const unchanged = await Promise.all(documents.map((path, at) => again(path, limits, before[at])));
  expect(unchanged.map(({ status }) => status)).toEqual([304, 304, 304]);
});

it('documents get a later date for a view that saw the purged version, branches included', async () => {
  const limits = { packages: ['acme/one'] };
  const before = await look(limits);
  await purge('acme/one', '1.2.0', purged);
  await purge('acme/one', 'dev-secret', purged + 60_000);
  const after = await Promise.all(documents.map((path, at) => again(path, limits, before[at])));
  expect(after.map(({ status }) => status)).toEqual([200, 200, 200]);
});
