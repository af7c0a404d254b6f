// Tests I14. Two registries have the same visible history and different hidden publications, withdrawals, downloads and
// prunes. A limited token gets the same bytes and headers from both. The dates in a view rise with each change of the
// view, rollbacks and prunes included. HIDDEN_RUNS=200 plays that many series from SERIES_SEED on; HIDDEN_RUNS=1 plays
// one again.

import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { TokenLimits } from '../../proxy/core/views/token-limits.ts';
import { seededRandom } from '../util/seeded-random.ts';
import { seedOf } from '../util/seeds.ts';
import type { Reply } from '../util/running-proxy.ts';
import { firstOf } from '../util/series.ts';
import { viewedRegistry, type Asked, type Edit, type ViewedRegistry } from '../util/viewed-registry.ts';

/** `npm run fault` plays this many series, and sends all requests after each step. */
const runs = Number(process.env['HIDDEN_RUNS'] ?? 0);
const first = seedOf('SERIES_SEED');
const long = Array.from({ length: runs }, (_, at) => first + at);
/** `npm test` plays one for each policy */
const seeds = runs > 0 ? long : firstOf([0, 1, 2, 3, 4], 1);
/** each of them checks all policies; series 2 withdraws all dev versions of a package that a view sees whole */
const datedSeeds = runs > 0 ? long : [2];

type Cell = Pick<Edit, 'name' | 'version'>;
type Policy = readonly [limits: Partial<TokenLimits>, isVisible: (cell: Cell) => boolean];

const names = ['acme/one', 'acme/two', 'hush/three'] as const;
const versions = ['1.0.0', '1.1.0', '2.0.0', '2.1.0-beta1', 'dev-main', 'dev-next'] as const;
const cells: readonly Cell[] = names.flatMap((name) => versions.map((version) => ({ name, version })));
const policies: readonly Policy[] = [
  [{ packages: ['acme/*'] }, ({ name }) => name.startsWith('acme/')],
  [
    { packages: ['acme/*'], constraints: { 'acme/*': '<2 || dev-main' } },
    ({ name, version }) => name.startsWith('acme/') && (version.startsWith('1.') || version === 'dev-main'),
  ],
  [{ stability: 'stable' }, ({ version }) => /^\d+\.\d+\.\d+$/.test(version)],
  [
    { constraints: { 'hush/*': '<0.1', 'acme/two': 'dev-main' } },
    ({ name, version }) => name === 'acme/one' || (name === 'acme/two' && version === 'dev-main'),
  ],
  // releases after that day are hidden; in these series that is everything first published in the second half
  [{ packages: null, not_after: '2026-01-31' }, () => true],
];
const byTime = policies.length - 1;
const [start, later] = [Date.UTC(2026, 0, 10), Date.UTC(2026, 1, 10)];
const steps = 5;

interface Step {
  /** the same in both registries */
  readonly edits: readonly Edit[];
  readonly atMs: number;
  readonly prunes: boolean;
  /** for each registry: its further publications until the next step */
  readonly hidden: readonly (readonly { readonly edits: readonly Edit[]; readonly atMs: number }[])[];
}

/** A series that `random` draws: hidden edits never touch what is visible. */
function draw(random: () => number, [, isVisible]: Policy, goesByTime: boolean): readonly Step[] {
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const edit = ({ name, version }: Cell): Edit => ({
    name,
    version,
    content: random() < 0.3 ? undefined : version.startsWith('dev-') ? Math.floor(random() * 3) : 0,
  });
  const published = new Map<string, Edit>();
  let atMs = start;
  return Array.from({ length: steps }, (_, at): Step => {
    const late = goesByTime && at >= steps / 2;
    atMs = late && atMs < later ? later : atMs + pick([120, 400, 1000, 61_000, 86_400_000]);
    const key = ({ name, version }: Cell): string => `${name} ${version}`;
    // contents that are missing in the first half are hidden in the second
    const seen = (cell: Cell): boolean => (goesByTime ? !late || published.has(key(cell)) : isVisible(cell));
    const again = (cell: Cell): Edit => ({
      ...cell,
      content: random() < 0.5 ? undefined : published.get(key(cell))?.content,
    });
    const visible = cells.filter(seen);
    const edits = Array.from({ length: visible.length === 0 ? 0 : 1 + Math.floor(random() * 3) }, () =>
      pick(visible),
    ).map((cell) => (late ? again(cell) : edit(cell)));
    if (!late) for (const one of edits) if (one.content !== undefined) published.set(key(one), one);
    const others = cells.filter((cell) => (goesByTime ? late && !published.has(key(cell)) : !isVisible(cell)));
    const hidden = [0, 1].map(() =>
      Array.from({ length: others.length === 0 ? 0 : Math.floor(random() * 3) }, (_none, turn) => ({
        edits: [edit(pick(others)), edit(pick(others))],
        atMs: atMs + 7 + turn * 31 + Math.floor(random() * 10),
      })),
    );
    return { edits, atMs, prunes: random() < 0.25, hidden };
  });
}

const composer = { 'user-agent': 'Composer/2.9.0 (Linux; 6.1; PHP 8.2.7)' };
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const json = { 'content-type': 'application/json' };

const get = (path: string, headers: Readonly<Record<string, string>> = {}): Asked => ({ method: 'GET', path, headers });

/** The requests after each step. */
const documents: readonly Asked[] = [
  '/packages.json',
  ...names.flatMap((name) => [`/p2/${name}.json`, `/p2/${name}~dev$%hash%.json`]),
].map((path) => get(path, composer));

/** Every path that a limited token may request, and some that it may not. */
function questions(): readonly Asked[] {
  const all = [...names, 'acme/steady', 'acme/never'];
  const forms = all.flatMap((name) => [`/p2/${name}.json`, `/p2/${name}~dev$%hash%.json`]);
  const archives = [...cells, { name: 'acme/steady', version: '1.0.0' }].map(
    ({ name, version }) => `/dist/${name}/${version}.zip`,
  );
  const packages = all.flatMap((name) => [
    `/api/packages/${name}`,
    `/api/packages/${name}/statistics`,
    `/api/packages/${name}/readme`,
    `/api/packages/${name}/readme?version=2.0.0`,
    `/api/packages/${name}/changelog`,
    `/feeds/${name}.atom?stability=dev`,
  ]);
  const lists = [
    '/packages.json',
    '/search.json?q=',
    '/search.json?q=kram&per_page=2',
    '/list.json',
    '/metadata/changes.json?since=10000000000000',
    '/feeds/releases.atom',
    '/feeds/releases.atom?stability=dev',
    '/filter-lists/summary',
    '/api/packages',
    '/api/packages?sort=downloads',
    '/api/packages?sort=updated&limit=1',
  ];
  const others = [
    '/api/repositories',
    '/api/status',
    '/api/artifacts',
    '/api/settings',
    '/api/tokens',
    '/health',
    '/health/ready',
    '/none',
  ];
  return [
    ...[...lists, ...forms, ...packages, ...others, ...all.map((name) => `/providers/${name}.json`)].map((path) =>
      get(path, composer),
    ),
    ...archives.flatMap((path, at) => [
      get(path),
      at % 2 === 0 ? get(`${path}?ref=${'0'.repeat(40)}`) : { method: 'HEAD' as const, path },
    ]),
    get('/packages.json', { 'accept-encoding': 'gzip' }),
    get('/packages.json', { via: '1.1 cache' }),
    get('/p2/acme/one.json', { 'accept-encoding': 'gzip', range: 'bytes=0-9' }),
    ...forms.map((path) => ({ method: 'HEAD' as const, path })),
    {
      method: 'POST',
      path: '/security-advisories',
      headers: form,
      body: all.map((name) => `packages[]=${name}`).join('&'),
    },
    {
      method: 'POST',
      path: '/downloads',
      headers: json,
      body: JSON.stringify({
        downloads: cells.map(({ name, version }) => ({
          name,
          version: version.startsWith('dev-') ? version : version.replace(/^(\d+\.\d+\.\d+)/, '$1.0'),
        })),
      }),
    },
    { method: 'DELETE', path: '/api/packages/hush/three/versions/1.0.0' },
    { method: 'POST', path: '/packages.json' },
  ];
}

/** The whole answer except for the clock of the machine. */
function shown({ status, headers, body }: Reply): string {
  const { date: _date, ...rest } = headers;
  return JSON.stringify([status, rest, body.toString('latin1')]);
}

/** Downloads each visible archive once and each hidden one `times` times, all with an unlimited token. */
async function download(
  registry: ViewedRegistry,
  seen: readonly Cell[],
  hidden: readonly Cell[],
  times: number,
): Promise<void> {
  for (const { name, version } of seen)
    await registry.ask({ method: 'GET', path: `/dist/${name}/${version}.zip` }, null);
  for (let turn = 0; turn < times; turn += 1)
    for (const { name, version } of hidden)
      await registry.ask({ method: 'GET', path: `/dist/${name}/${version}.zip` }, null);
}

/** Expects the same answer from both registries, also for a client that sends its last validators. */
async function compare(
  registries: readonly [ViewedRegistry, ViewedRegistry],
  asked: Asked,
  limits: Partial<TokenLimits>,
  before: Map<string, Reply>,
): Promise<void> {
  const key = `${asked.method} ${asked.path} ${JSON.stringify(asked.headers)}`;
  const { 'last-modified': modified, etag } = before.get(key)?.headers ?? {};
  const conditions: Record<string, string>[] = [
    {},
    ...(modified === undefined ? [] : [{ 'if-modified-since': modified }]),
    ...(etag === undefined ? [] : [{ 'if-none-match': etag }]),
  ];
  for (const condition of conditions) {
    const replies = await Promise.all(
      registries.map((registry) => registry.ask({ ...asked, headers: { ...asked.headers, ...condition } }, limits)),
    );
    const [one = '', other = ''] = replies.map((reply) => `${key} ${JSON.stringify(condition)}: ${shown(reply)}`);
    expect(one).toBe(other);
    if (condition === conditions[0] && replies[0] !== undefined) before.set(key, replies[0]);
  }
}

describe.each(seeds)('series %d (HIDDEN_RUNS=1 SERIES_SEED=… plays it again)', (seed) => {
  it('reveals nothing hidden: two registries give equal answers', async () => {
    const random = seededRandom(seed);
    const at = seed % policies.length;
    const policy = policies[at] as Policy;
    const [limits, isVisible] = policy;
    const registries = [await viewedRegistry(0), await viewedRegistry(0)] as const;
    try {
      const before = new Map<string, Reply>();
      let turn = 0;
      for (const { edits, atMs, prunes, hidden } of draw(random, policy, at === byTime)) {
        for (const [which, registry] of registries.entries()) {
          await registry.build(edits, atMs);
          if (prunes) await registry.prune(atMs + 2);
          for (const publication of hidden[which] ?? []) await registry.build(publication.edits, publication.atMs);
          await download(
            registry,
            at === byTime ? [] : cells.filter(isVisible).slice(0, 2),
            at === byTime ? [] : cells.filter((cell) => !isVisible(cell)),
            which,
          );
          await registry.settle(atMs + 86_400_000);
        }
        const isLast = (turn += 1) === steps;
        for (const asked of isLast || runs > 0 ? questions() : documents)
          await compare(registries, asked, limits, before);
      }
    } finally {
      for (const registry of registries) await registry.end();
    }
  });
});

describe.each(datedSeeds)('dates of series %d (HIDDEN_RUNS=1 SERIES_SEED=… plays it again)', (seed) => {
  it('give each change of a view a later date, whatever is rolled back and pruned', async () => {
    const random = seededRandom(seed);
    const registry = await viewedRegistry(3);
    const dates = new Map<string, { last: string; lastMs: number }>();
    const look = async (): Promise<void> => {
      for (const [which, [limits]] of policies.entries()) {
        for (const path of [
          '/packages.json',
          ...names.flatMap((name) => [`/p2/${name}.json`, `/p2/${name}~dev.json`]),
        ]) {
          const reply = await registry.ask({ method: 'GET', path }, limits);
          if (reply.status !== 200) continue;
          const key = `${which} ${path}`;
          const digest = createHash('sha256').update(reply.body).digest('hex');
          const ms = Date.parse(reply.headers['last-modified'] ?? '');
          const known = dates.get(key);
          if (known !== undefined && known.last !== digest)
            expect(ms, `${key}: another document, and no later date`).toBeGreaterThan(known.lastMs);
          if (known !== undefined) expect(ms, `${key}: a date that fell back`).toBeGreaterThanOrEqual(known.lastMs);
          dates.set(key, { last: digest, lastMs: ms });
        }
      }
    };
    try {
      let [atMs, serverMs] = [start, later];
      for (let turn = 0; turn < 14; turn += 1) {
        atMs += [0, 90, 350, 1000, 40_000, -5000][Math.floor(random() * 6)] ?? 0;
        const edits = Array.from({ length: 3 }, (): Edit => ({
          ...(cells[Math.floor(random() * cells.length)] as Cell),
          content: random() < 0.4 ? undefined : 0,
        }));
        const what = random();
        if (turn === 0 || what < 0.7)
          await registry.build(edits, atMs, { about: { description: random() < 0.1 ? 'another' : 'a registry' } });
        else if (what < 0.85) await registry.rollBack(atMs);
        else await registry.prune(atMs);
        await registry.settle((serverMs += 61_000));
        await look();
      }
    } finally {
      await registry.end();
    }
  });
});

it('a tree that was copied without its dates gives a view the dates of its publications too', async () => {
  const registry = await viewedRegistry(0);
  try {
    const limits = { constraints: { 'acme/one': '<2' } };
    const one = (): Promise<Reply> => registry.ask(get('/p2/acme/one.json'), limits);
    await registry.build([{ name: 'acme/one', version: '1.0.0', content: 0 }], start);
    const { headers, body } = await one();
    await registry.build([{ name: 'acme/one', version: '2.0.0', content: 0 }], later);
    registry.redate(later + 86_400_000);
    await registry.settle(later);
    const again = await one();
    expect([again.headers['last-modified'], again.body]).toEqual([headers['last-modified'], body]);
  } finally {
    await registry.end();
  }
});
