// Tests that no byte and no name of a hidden package leaves the registry (I14). In a second registry the hidden
// packages were never published. A limited token of the first registry must get the answers of an unlimited token of
// the second, byte for byte. The test does not use the product's predicate.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TokenLimits } from '../../proxy/core/views/token-limits.ts';
import { runManagement, type RunningManagement } from '../util/running-management.ts';
import type { Reply } from '../util/running-proxy.ts';
import { HandMadeTree, referenceOf, zipBytes, type VersionSpec } from '../util/hand-made-tree.ts';
import { sampleOf } from '../util/series.ts';

type Packages = Readonly<Record<string, readonly VersionSpec[]>>;
type Sees = (name: string, version: VersionSpec) => boolean;

/** Texts that occur only in this content. */
const markOf = (name: string, seed: string): string => `mark ${name} ${seed} kram`;
const contents = (
  name: string,
  version: string,
  normalized: string,
  time: string | undefined,
  more: Partial<VersionSpec> = {},
): VersionSpec => {
  const seed = `${version} ${String(more.reference ?? '')}`;
  const fields = {
    description: markOf(name, seed),
    keywords: [`word-${name.replace('/', '-')}-${version}`],
    require: {
      ...(name.startsWith('hush/') ? { 'acme/core': '*' } : {}),
      [`needed/by-${name.replace('/', '-')}`]: '*',
    },
    provide: { [`virtual/${name.replace('/', '-')}-${version.replaceAll('.', '-')}`]: '1.0' },
  };
  return {
    version,
    normalized,
    zip: Buffer.concat([zipBytes(`${name} ${seed}`), Buffer.from(markOf(name, seed))]),
    ...(time === undefined ? {} : { time }),
    fields,
    ...more,
  };
};
const [oldRef, newRef] = ['a'.repeat(40), `aaaaaaa${'b'.repeat(33)}`];

const full: Packages = {
  'acme/core': [
    contents('acme/core', '2.0.0', '2.0.0.0', '2026-06-01T00:00:00Z'),
    contents('acme/core', '1.5.0-beta1', '1.5.0.0-beta1', '2026-03-01T00:00:00Z'),
    contents('acme/core', '1.0.0', '1.0.0.0', '2026-01-01T00:00:00Z'),
    contents('acme/core', '0.9.0', '0.9.0.0', '2025-06-01T00:00:00Z', { state: 'withdrawn' }),
    contents('acme/core', '1.x-dev', '1.9999999.9999999.9999999-dev', '2026-05-01T00:00:00Z'),
    contents('acme/core', 'dev-main', 'dev-main', '2026-07-01T00:00:00Z', { reference: newRef }),
    contents('acme/core', 'dev-main', 'dev-main', '2026-02-01T00:00:00Z', { reference: oldRef, state: 'superseded' }),
  ],
  'acme/extra': [
    contents('acme/extra', '3.1.0', '3.1.0.0', '2026-06-15T00:00:00Z'),
    contents('acme/extra', '1.1.0', '1.1.0.0', undefined),
  ],
  'acme/branch-only': [contents('acme/branch-only', 'dev-feature/x', 'dev-feature/x', '2026-01-10T00:00:00Z')],
  'hush/plans': [
    contents('hush/plans', '1.0.0', '1.0.0.0', '2026-01-01T00:00:00Z'),
    contents('hush/plans', 'dev-main', 'dev-main', '2026-01-01T00:00:00Z'),
  ],
  'hush/gone': [contents('hush/gone', '1.0.0', '1.0.0.0', '2026-01-01T00:00:00Z', { state: 'withdrawn' })],
};

const isDev = ({ normalized }: VersionSpec): boolean => normalized.startsWith('dev-') || normalized.endsWith('-dev');
const until =
  (day: string): Sees =>
  (_, { time = '2026-01-31T12:00:00Z' }) =>
    Date.parse(time) < Date.parse(day) + 86_400_000;

const policies: Readonly<Record<string, readonly [Partial<TokenLimits>, Sees]>> = {
  'one vendor': [{ packages: ['acme/*'] }, (name) => name.startsWith('acme/')],
  'one package': [{ packages: ['acme/extra'] }, (name) => name === 'acme/extra'],
  'a name of nothing': [{ packages: ['zoo/*'] }, () => false],
  'below 2.0': [
    { packages: ['acme/*'], constraints: { 'acme/core': '<2.0' } },
    (name, { normalized }) => name.startsWith('acme/') && (name !== 'acme/core' || /^[01]\./.test(normalized)),
  ],
  'a branch by name': [
    { constraints: { 'acme/core': '1.0.0 || dev-main', 'hush/*': '<1.0' } },
    (name, { normalized }) =>
      name === 'acme/core' ? ['1.0.0.0', 'dev-main'].includes(normalized) : !name.startsWith('hush/'),
  ],
  stable: [{ stability: 'stable' }, (_, version) => !isDev(version) && !version.version.includes('beta')],
  'beta of one vendor': [
    { packages: ['hush/*', 'acme/core'], stability: 'beta' },
    (name, version) => (name.startsWith('hush/') || name === 'acme/core') && !isDev(version),
  ],
  'until February': [{ not_after: '2026-02-28' }, until('2026-02-28')],
  'long ago': [{ not_after: '2020-01-01' }, () => false],
  'all of it at once': [
    {
      packages: ['acme/*'],
      constraints: { '*': '>=0.5 || dev-main', 'acme/core': '*' },
      stability: 'dev',
      not_after: '2026-03-31',
    },
    (name, version) =>
      name.startsWith('acme/') &&
      (version.normalized === 'dev-main' || !version.normalized.startsWith('dev-')) &&
      until('2026-03-31')(name, version),
  ],
};

interface Served {
  readonly registry: RunningManagement;
  readonly publish: (packages: Packages) => void;
}

async function serve(packages: Packages): Promise<Served> {
  const registry = await runManagement();
  const tree = new HandMadeTree(registry.data);
  const publish = (next: Packages): void => {
    for (const [name, versions] of Object.entries(next)) tree.put(name, versions);
    const names = Object.entries(next).flatMap(([name, versions]) =>
      versions.some(({ state = 'published' }) => state === 'published') ? [name] : [],
    );
    tree.rootExtras({
      'available-packages': names.toSorted(),
      ...(names.length === 0 ? { 'available-package-patterns': ['~none~/~none~'] } : {}),
    });
    tree.publish();
  };
  publish(packages);
  return { registry, publish };
}

const tokenOf = async (
  { registry }: Served,
  limits: Partial<TokenLimits> = {},
  kind: 'read' | 'write' = 'read',
): Promise<string> =>
  (
    await registry.services.tokensOf('cli:test').create({ description: 'a test', kind, limit: 0, limits })
  ).secret.reveal();
const reduced = (sees: Sees): Packages =>
  Object.fromEntries(
    Object.entries(full)
      .map(([name, versions]) => [name, versions.filter((version) => sees(name, version))] as const)
      .filter(([, versions]) => versions.length > 0),
  );

/** Every path that can be requested, in every spelling. */
function protocolPaths(): readonly string[] {
  const paths = [
    '/packages.json',
    '/search.json?q=',
    '/search.json?q=hush',
    '/search.json?q=kram&per_page=2',
    '/list.json',
    '/feeds/releases.atom',
    '/feeds/releases.atom?stability=dev',
    '/list.json?filter=hush/*',
    '/list.json?vendor=acme',
    '/providers/virtual/nothing.json',
  ];
  for (const [name, versions] of Object.entries({
    ...full,
    'acme/never': [contents('acme/never', '1.0.0', '1.0.0.0', undefined)],
  })) {
    for (const kind of ['', '~dev', '%7Edev'])
      for (const suffix of ['', '$%hash%', `$${'0'.repeat(64)}`]) paths.push(`/p2/${name}${kind}${suffix}.json`);
    paths.push(`/providers/${name}.json`, `/feeds/${name}.atom?stability=dev`);
    for (const spec of versions) {
      const [reference, labels] = [
        referenceOf(spec),
        new Set([
          spec.version,
          spec.normalized,
          encodeURIComponent(spec.version),
          spec.version.replaceAll('.', '%2E'),
          `v${spec.version}`,
        ]),
      ];
      for (const label of labels)
        for (const query of label === spec.version
          ? [
              '',
              '?ref=',
              `?ref=${reference}`,
              `?ref=${reference.slice(0, 7)}`,
              `?ref=${reference.slice(0, 12).toUpperCase()}`,
              `?ref=${'0'.repeat(40)}`,
              `?x=1&ref=${reference}`,
            ]
          : ['', `?ref=${reference}`])
          paths.push(`/dist/${name}/${label}.zip${query}`);
      paths.push(
        `/dist/${name}/${spec.version}@${reference}.zip`,
        `/providers/virtual/${name.replace('/', '-')}-${spec.version.replaceAll('.', '-')}.json`,
        `/search.json?q=word-${name.replace('/', '-')}-${spec.version}`,
      );
    }
  }
  return paths;
}

function managementPaths(): readonly string[] {
  const lists = [
    '/api/packages',
    '/api/packages?limit=1',
    '/api/packages?search=kram',
    '/api/packages?sort=updated',
    '/api/packages?vendor=hush',
    '/api/packages?type=library',
  ];
  const details = [...Object.keys(full), 'acme/never'].flatMap((name) =>
    ['', '/readme', '/changelog', '/readme?version=2.0.0'].map((rest) => `/api/packages/${name}${rest}`),
  );
  return [...lists, ...details];
}

/**
 * Values that may differ without a leak: the clock, dates of documents, which follow the view, and counts of sent
 * archives.
 */
function comparable(path: string, { status, headers, body }: Reply): unknown {
  const { date: _date, 'last-modified': _modified, 'content-length': _length, ...rest } = headers;
  const text = body.toString('latin1').replaceAll(/"downloads":\d+/g, '"downloads":0');
  // much used packages stand first: after a minute, the archives that earlier tests were sent count
  if (path.startsWith('/search.json')) return { status, headers: rest, body: /"total":\d+/.exec(text)?.[0] };
  if (path !== '/packages.json' || text === '')
    return { status, headers: path.startsWith('/packages.json') ? { ...rest, etag: '' } : rest, body: text };
  // the items of an empty list have another order
  return { status, headers: { ...rest, etag: '' }, body: JSON.parse(text) as unknown };
}

let whole: Served;
beforeAll(async () => {
  whole = await serve(full);
});
afterAll(() => whole.registry[Symbol.asyncDispose]());

describe.each(sampleOf(Object.entries(policies), 3))('a token that sees %s', (_, [limits, sees]) => {
  let other: Served;
  let [limited, unlimited] = ['', ''];
  beforeAll(async () => {
    other = await serve(reduced(sees));
    [limited, unlimited] = await Promise.all([tokenOf(whole, limits), tokenOf(other)]);
  });
  afterAll(() => other.registry[Symbol.asyncDispose]());

  const ask = async (
    path: string,
    method: 'GET' | 'HEAD',
    headers: Readonly<Record<string, string>> = {},
  ): Promise<readonly [Reply, Reply]> => [
    await whole.registry.proxy.send(method, path, { authorization: `Bearer ${limited}`, ...headers }),
    await other.registry.proxy.send(method, path, { authorization: `Bearer ${unlimited}`, ...headers }),
  ];
  const names = Object.keys(full).filter((name) => !full[name]?.some((version) => sees(name, version)));
  const hidden = Object.entries(full).flatMap(([name, versions]) =>
    versions
      .filter((version) => !sees(name, version))
      .flatMap((version) => [
        markOf(name, `${version.version} ${String(version.reference ?? '')}`),
        referenceOf(version),
      ]),
  );
  /** Repeats the requests of `ask` on one registry alone. */
  const assertNothingHidden = (path: string, { headers, body }: Reply): void => {
    const text = JSON.stringify(headers) + body.toString('latin1');
    expect([path, [...names, ...hidden].filter((mark) => text.includes(mark) && !path.includes(mark))]).toEqual([
      path,
      [],
    ]);
  };

  it('gets the answers of a registry where the hidden packages were never published', async () => {
    for (const [at, path] of protocolPaths().entries()) {
      const [one, two] = await ask(
        path,
        at % 4 === 0 && path !== '/packages.json' ? 'HEAD' : 'GET',
        at % 3 === 0 && path !== '/packages.json' ? { 'accept-encoding': 'gzip' } : {},
      );
      assertNothingHidden(path, one);
      expect([path, comparable(path, one)]).toEqual([path, comparable(path, two)]);
    }
  });

  it('gets the same answers from the management API', async () => {
    for (const path of managementPaths()) {
      const [one, two] = await ask(path, 'GET');
      assertNothingHidden(path, one);
      expect([path, comparable(path, one)]).toEqual([path, comparable(path, two)]);
    }
  });

  it('gets 304 where the client has these bytes, and nowhere else', async () => {
    const others = await Promise.all([tokenOf(whole), ...Object.values(policies).map(([of]) => tokenOf(whole, of))]);
    for (const path of [
      '/packages.json',
      ...Object.keys(full).flatMap((name) => [`/p2/${name}.json`, `/p2/${name}~dev.json`]),
    ]) {
      const [own] = await ask(path, 'GET');
      for (const authorization of others.map((token) => `Bearer ${token}`)) {
        const theirs = await whole.registry.proxy.send('GET', path, { authorization });
        if (theirs.status !== 200) continue;
        const same = own.status === 200 && own.body.equals(theirs.body);
        const [{ status: byDate }] = await ask(path, 'GET', {
          'if-modified-since': theirs.headers['last-modified'] ?? '',
        });
        const [{ status: byTag }] = await ask(path, 'GET', { 'if-none-match': theirs.headers['etag'] ?? '' });
        if (!same) expect([path, byDate, byTag]).toEqual([path, own.status, own.status]);
        else expect([path, byTag]).toEqual([path, 304]);
      }
      if (own.status === 200)
        expect((await ask(path, 'GET', { 'if-modified-since': own.headers['last-modified'] ?? '' }))[0].status).toBe(
          304,
        );
    }
  });

  it('may not read data about the registry as a whole', async () => {
    const write = await tokenOf(whole, limits, 'write');
    for (const path of [
      '/api/repositories',
      '/api/repositories/repo_0123456789abcdef',
      '/api/repositories/repo_0123456789abcdef/jobs',
      '/api/artifacts',
      '/api/artifacts/art_0123456789abcdef',
      '/api/status',
      '/api/tokens',
      '/api/audit',
      '/api/users',
      '/api/settings',
    ]) {
      for (const token of [limited, write]) {
        const reply = await whole.registry.proxy.send('GET', path, { authorization: `Bearer ${token}` });
        expect([path, reply.status, reply.status === 404 || reply.json()['code']]).toEqual([
          path,
          reply.status === 404 ? 404 : 403,
          reply.status === 404 || 'INSUFFICIENT_SCOPE',
        ]);
      }
    }
  });

  it('row 24: publishes and withdraws nothing outside its view', async () => {
    const write = await tokenOf(whole, limits, 'write');
    const post = (query: string): Promise<Reply> =>
      whole.registry.proxy.send(
        'POST',
        `/api/artifacts${query}`,
        { authorization: `Bearer ${write}`, 'content-type': 'application/zip' },
        zipBytes('x'),
      );
    for (const query of [
      '',
      '?name=elsewhere/thing',
      '?name=elsewhere/thing&version=dev-secret',
      '?version=dev-secret',
    ]) {
      if (
        query.includes('dev-secret') &&
        query.includes('name') &&
        sees('elsewhere/thing', {
          version: 'dev-secret',
          normalized: 'dev-secret',
          zip: Buffer.of(),
          time: new Date().toISOString(),
        })
      )
        continue;
      expect([query, (await post(query)).json()['code']]).toEqual([query, 'INSUFFICIENT_SCOPE']);
    }
    // the builder's own reason, where the token may see the package
    const odd = (await post('?name=elsewhere/thing&version=frog')).json()['code'];
    expect(odd).toBe(limits.packages === undefined ? 'ARTIFACT_INVALID' : 'INSUFFICIENT_SCOPE');
    const withdrawn = await whole.registry.proxy.send('DELETE', '/api/packages/acme/core/versions/1.0.0', {
      authorization: `Bearer ${write}`,
    });
    expect(withdrawn.json()['code']).toBe('INSUFFICIENT_SCOPE');
  });
});

it('row 31: a token creates and changes no token, whatever it sees', async () => {
  for (const limits of [{}, { packages: ['acme/*'] }]) {
    const authorization = `Bearer ${await tokenOf(whole, limits, 'write')}`;
    const { id } = (await whole.registry.services.tokensOf('cli:test').list())[0] ?? expect.unreachable();
    for (const [method, path] of [
      ['POST', '/api/tokens'],
      ['PATCH', `/api/tokens/${id}`],
      ['POST', `/api/tokens/${id}/rotate`],
      ['GET', `/api/tokens/${id}/explain?package=acme/core`],
    ] as const) {
      const reply = await whole.registry.proxy.send(
        method,
        path,
        { authorization, ...(method === 'GET' ? {} : { 'content-type': 'application/json' }) },
        method === 'GET' ? undefined : JSON.stringify({ description: 'more', kind: 'write', packages: null }),
      );
      expect([path, reply.status, reply.json()['code']]).toEqual([path, 403, 'INSUFFICIENT_SCOPE']);
    }
  }
});
