// Tests a server without features: it serves packages.json, p2 and dist, and loads no module of a feature.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadedLibraries, loadedSources } from '../util/loaded-modules.ts';
import { below, libraryTree, temporaryTree, type TemporaryTree } from '../util/package-tree.ts';
import { startRedis } from '../util/redis-server.ts';
import { runCli, startCli } from '../util/run-cli.ts';
import { lacks } from '../util/tool.ts';
import { describeInSeries, itInSeries } from '../util/series.ts';

let tree: TemporaryTree;
let token: string;

beforeAll(async () => {
  tree = temporaryTree(below('src/hello', libraryTree('acme/hello', { version: '1.0.0' })));
  expect((await runCli(['build', 'src', '--data', 'data'], { cwd: tree.root })).exitCode).toBe(0);
  const made = await runCli(['token', 'create', '--json', '--description', 'a test', '--data', 'data'], {
    cwd: tree.root,
  });
  token = (JSON.parse(made.stdout) as { token: string }).token;
});
afterAll(() => tree.remove());

interface Served {
  readonly root: Readonly<Record<string, unknown>>;
  /** path → status, with a valid token */
  readonly statuses: Readonly<Record<string, number>>;
  readonly sources: readonly string[];
  readonly libraries: readonly string[];
}

const paths = [
  '/p2/acme/hello.json',
  '/dist/acme/hello/1.0.0.zip',
  '/search.json?q=hello',
  '/feeds/releases.atom',
  '/api/status',
  '/ui/',
  '/hooks',
  '/health',
];

async function serve(flags: readonly string[] = [], asked: readonly string[] = paths): Promise<Served> {
  const coverage = join(tree.root, `coverage-${flags.join('').replaceAll('/', '')}-${asked.length}`);
  const child = startCli(['serve', '--data', 'data', '--listen', '127.0.0.1:0', ...flags], {
    cwd: tree.root,
    environment: { NODE_V8_COVERAGE: coverage },
  });
  const [url = ''] = await child.shows(/http:\/\/127\.0\.0\.1:\d+/);
  const get = (path: string): Promise<Response> =>
    fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` }, redirect: 'manual' });
  const root = (await (await get('/packages.json')).json()) as Record<string, unknown>;
  const statuses: Record<string, number> = {};
  for (const path of asked) statuses[path] = (await get(path)).status;
  child.signal('SIGTERM');
  expect((await child.ended).exitCode).toBe(0);
  return { root, statuses, sources: loadedSources(coverage), libraries: loadedLibraries(coverage) };
}

/** Folders of proxy/ that every server loads, in part or whole. Any other folder belongs to a feature. */
const ofCore = new Set('auth core events keys origin policy settings state sync teams'.split(' '));
const featureFolders = readdirSync(join(import.meta.dirname, '../../proxy'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !ofCore.has(entry.name))
  .map(({ name }) => name);

/** What libretto.json says of a feature is parsed also where the feature is off, and so are hits of the policy. */
const ofConfiguration = ['proxy/publishers/model/issuer.ts', 'proxy/registry/fields.ts'];

/** A server loads these at the first use, also if their feature is on. */
const atFirstUse = new Set(['inspection']);

const ofFeatures = [
  /^cli\/features\/(?!feature-list\.ts|[a-z]+-commands\.ts)/,
  /^cli\/mirror\//,
  /^cli\/policy-admin\//,
  /^proxy\/policy\/admin\//,
  ...featureFolders.map((name) => new RegExp(`^proxy/${name}/`)),
  /^proxy\/sync\/(?:jobs|schedule|syncer|verifier)\.ts/,
];

describe('a server without features', () => {
  it('serves packages.json, documents and archives, and nothing else', async () => {
    const { root, statuses, sources, libraries } = await serve(['--features', 'none']);
    expect(statuses).toEqual({
      '/p2/acme/hello.json': 200,
      '/dist/acme/hello/1.0.0.zip': 200,
      '/search.json?q=hello': 404,
      '/feeds/releases.atom': 404,
      '/api/status': 404,
      '/ui/': 404,
      '/hooks': 404,
      '/health': 200,
    });
    expect(Object.keys(root)).not.toEqual(expect.arrayContaining(['search']));
    expect(['search', 'list', 'providers-api', 'notify-batch'].filter((key) => key in root)).toEqual([]);
    expect(sources).toContain('proxy/core/server.ts');
    expect(sources).not.toContain('proxy/core/http/http2/secure-server.ts');
    expect(libraries).toContain('lmdb');
    expect(libraries).not.toContain('adm-zip');
    expect(libraries).not.toContain('semver');
    const loaded = sources.filter((source) => ofFeatures.some((pattern) => pattern.test(source)));
    expect(loaded.filter((source) => !ofConfiguration.includes(source))).toEqual([]);
  });

  itInSeries('gets the named features, and those that they need', async () => {
    const { root, statuses, sources } = await serve(['--features', 'search']);
    expect(statuses).toMatchObject({
      '/search.json?q=hello': 200,
      '/feeds/releases.atom': 404,
      '/api/status': 404,
      '/ui/': 404,
      '/hooks': 404,
    });
    expect(['search', 'list', 'providers-api', 'notify-batch'].filter((key) => key in root)).toEqual([
      'search',
      'list',
      'providers-api',
    ]);
    expect(sources).toContain('proxy/packages/catalogue.ts');
    expect(sources.filter((source) => source.startsWith('proxy/manage/'))).toEqual([]);
  });
});

/** Modules of the API, of the console's pages, of the builder, and libraries for mails and for CVSS. */
const needed = (sources: readonly string[], libraries: readonly string[]): readonly string[] => [
  ...sources.filter((source) =>
    /^(?:proxy\/(?:manage\/management|console\/console)\.ts|build\/(?:build\.ts|publish\/|sources\/git\/mirror))/.test(
      source,
    ),
  ),
  ...libraries.filter((library) => ['nodemailer', 'ae-cvss-calculator', 'fast-glob', 'adm-zip'].includes(library)),
];

describeInSeries('a server with the API and the console', () => {
  it('loads neither of them at its start, and no builder', async () => {
    const { sources, libraries } = await serve([], ['/health']);
    expect(sources).toContain('proxy/manage/feature.ts');
    expect(needed(sources, libraries)).toEqual([]);
  });

  it.skipIf(lacks('redis-server'))('loads both before it listens, where it counts in a Redis', async () => {
    const redis = await startRedis();
    const { sources, libraries } = await serve(['--redis', redis.url], ['/health']);
    await redis.stop();
    expect(needed(sources, libraries)).toEqual(
      expect.arrayContaining(['proxy/console/console.ts', 'proxy/manage/management.ts']),
    );
  });

  it('opens the services of the API without the API', async () => {
    const { statuses, sources } = await serve(['--features', 'console']);
    expect(statuses).toMatchObject({ '/search.json?q=hello': 404, '/api/status': 404, '/ui/': 303 });
    expect(sources).toContain('proxy/auth/people.ts');
    expect(sources).toContain('proxy/console/console.ts');
    expect(sources.filter((source) => source.startsWith('proxy/manage/'))).toEqual([]);
  });
});

describe('a server', () => {
  itInSeries('has all features by default', async () => {
    const { statuses, sources } = await serve();
    const others = { '/ui/': 303, '/hooks': 405 };
    expect(statuses).toEqual({ ...Object.fromEntries(paths.map((path) => [path, 200])), ...others });
    for (const pattern of ofFeatures.filter((one) => ![...atFirstUse].some((name) => one.test(`proxy/${name}/`))))
      expect(
        sources.some((source) => pattern.test(source)),
        String(pattern),
      ).toBe(true);
  });

  it('refuses an unknown name of a feature', async () => {
    const { exitCode, stderr } = await runCli(['serve', '--data', 'data', '--features', 'pages'], { cwd: tree.root });
    expect(exitCode).toBe(2);
    expect(stderr).toContain(
      'any of api, mirror, search, statistics, feeds, changes, advisories, repositories, hooks, notifications, console, with commas between, or none',
    );
  });
});
