// Tests that the reads of a request do not show which hidden packages exist (I14): a limited token gets the answer of a
// package that was never published, after the same calls at the ports, however many versions the hidden package has.

import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { advisoryListsPath, formatAdvisoryLists } from '../../build/contract/advisory-lists.ts';
import type { PackageName } from '../../build/contract/name.ts';
import type { TokenLimits } from '../../proxy/core/views/token-limits.ts';
import { runManagement, type RunningManagement } from '../util/running-management.ts';
import { HandMadeTree, referenceOf, zipBytes, type VersionSpec } from '../util/hand-made-tree.ts';

const zip = zipBytes('one archive for all');
const hiddenVersions = (count: number): readonly VersionSpec[] =>
  Array.from({ length: count }, (_, at) => ({
    version: `2.0.0-alpha${at + 1}`,
    normalized: `2.0.0.0-alpha${at + 1}`,
    zip,
    time: '2026-06-01T00:00:00Z',
  }));
const seen: VersionSpec = { version: '1.0.0', normalized: '1.0.0.0', zip, time: '2026-01-01T00:00:00Z' };
const counts = [1, 100, 5000] as const;
const names = counts.map((count) => `acme/hidden-${count}` as PackageName);

const calls: string[] = [];
let registry: RunningManagement;
beforeAll(async () => {
  registry = await runManagement({ watch: (call) => void calls.push(call) });
  const tree = new HandMadeTree(registry.data);
  tree.put('acme/seen', [seen]);
  for (const [at, name] of names.entries()) {
    // without archives: nobody fetches one here
    tree.writeIndex(name, hiddenVersions(counts[at] ?? 0));
    tree.writeProvider(name, hiddenVersions(counts[at] ?? 0));
  }
  tree.rootExtras({ 'available-packages': [...names, 'acme/seen'].toSorted() });
  tree.publish();
  const advisory = { advisories: [], filter: { held: [{ constraint: '*' }] } };
  const packages = new Map(names.map((name) => [name, advisory]));
  writeFileSync(
    join(registry.data, 'index', advisoryListsPath),
    formatAdvisoryLists({ advised: true, filters: ['held'], packages }),
  );
  for (const name of names) {
    registry.services.downloads.count(name, '2.0.0-alpha1');
    registry.services.installs.count(name, '2.0.0-alpha1');
  }
  await Promise.all([registry.services.downloads.flush(), registry.services.installs.flush()]);
});
afterAll(() => registry[Symbol.asyncDispose]());

interface Asked {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Every request of a limited token that may name a package. */
const questions = (name: string): readonly Asked[] => [
  ...[
    `/p2/${name}.json`,
    `/p2/${name}~dev$%hash%.json`,
    `/dist/${name}/2.0.0-alpha1.zip`,
    `/dist/${name}/2.0.0-alpha1.zip?ref=${referenceOf(hiddenVersions(1)[0] as VersionSpec)}`,
    `/search.json?q=${name}`,
    `/list.json?filter=${name}`,
    `/list.json?type=library&filter=${name}`,
    `/providers/${name}.json`,
    `/security-advisories?packages[]=${name}`,
    `/feeds/${name}.atom?stability=dev`,
    `/api/packages?search=${name}`,
    `/api/packages/${name}`,
    `/api/packages/${name}/readme`,
    `/api/packages/${name}/changelog?version=2.0.0-alpha1`,
    `/api/packages/${name}/statistics`,
  ].map((path) => ({ path })),
  {
    path: '/filters',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ packages: [name], lists: ['held'] }),
  },
  {
    path: '/downloads',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ downloads: [{ name, version: '2.0.0.0-alpha1' }] }),
  },
];

/** The answer, and the calls at the ports, with the same word for each name. */
async function ask(token: string, name: string, asked: Asked): Promise<{ readonly calls: readonly string[] }> {
  const { path, headers, body } = asked;
  calls.length = 0;
  const sent = { authorization: `Bearer ${token}`, ...headers };
  const reply = await registry.proxy.send(body === undefined ? 'GET' : 'POST', path, sent, body);
  // a timer stored the last uses of tokens meanwhile
  if (calls.some((call) => call.startsWith('state.get token-use/'))) return ask(token, name, asked);
  const { date: _date, etag: _etag, 'content-length': _length, ...rest } = reply.headers;
  const shown = (text: string): string => text.replaceAll(name, 'NAME').replaceAll(encodeURIComponent(name), 'NAME');
  const told = { path: shown(path), status: reply.status, rest, body: shown(reply.body.toString()) };
  return { ...told, calls: calls.map(shown) };
}

it('the first list of names after a start reads packages.json, and no package', async () => {
  const token = await registry.createToken('read');
  const { calls: told, ...answer } = await ask(token, '-', { path: '/list.json?filter=acme/s*' });
  expect(answer).toMatchObject({ status: 200, body: '{"packageNames":["acme/seen"]}' });
  expect(told.filter((call) => /^(files|published)\.(?!epoch)/.test(call))).toEqual([
    'files.document packages.json',
    'files.publication ',
  ]);
});

describe.each([
  [{ constraints: { '*': '<2' } }],
  [{ stability: 'stable' }],
  [{ not_after: '2026-02-01T00:00:00.000Z' }],
] as const)('a token limited by %j', (limits: Partial<TokenLimits>) => {
  let token = '';
  beforeAll(async () => {
    const made = await registry.services
      .tokensOf('cli:test')
      .create({ description: 'a', kind: 'read', limit: 0, limits });
    token = made.secret.reveal();
    // the first request of a view finds the packages that it sees, whatever its name
    for (const asked of questions('acme/first')) await ask(token, 'acme/first', asked);
  });

  it.each(names)('learns nothing of %s by the calls of its first request', async (name) => {
    const never = 'acme/never-published';
    for (const [at, asked] of questions(name).entries()) {
      const unpublished = await ask(token, never, questions(never)[at] as Asked);
      // the view decides from memory
      expect(unpublished.calls.filter((call) => call.includes('NAME'))).toEqual([]);
      expect(await ask(token, name, asked)).toEqual(unpublished);
    }
  });
});
