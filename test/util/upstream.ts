// Another Composer repository on a free port of loopback, for tests of the mirror. It publishes in any layout,
// misbehaves on command, and records its requests.

import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { minifyVersions } from './minified-versions.ts';
import { startDistServer, type Answering, type DistServer } from './dist-server.ts';
import { zipBytes } from './hand-made-tree.ts';

export interface UpstreamVersion {
  readonly version: string;
  readonly zip?: Buffer;
  readonly reference?: string;
  /** default: of the zip; '' for none */
  readonly shasum?: string;
  /** default: an absolute URL of this server */
  readonly distUrl?: string;
  readonly extra?: Readonly<Record<string, unknown>>;
}

export interface TestUpstream extends AsyncDisposable {
  readonly url: string;
  readonly server: DistServer;
  /** Sets a package from now on. */
  readonly put: (
    name: string,
    versions: readonly UpstreamVersion[],
    beside?: Readonly<Record<string, unknown>>,
  ) => void;
  readonly drop: (name: string) => void;
  /** the number of requests for paths that begin with this */
  readonly asked: (path: string) => number;
  /** answers a path, without its query, as the test defines; undefined: as published again */
  readonly instead: (path: string, answering: Answering | undefined) => void;
  /** every request fails with this status and these headers; undefined: none does */
  readonly failing: { status: number | undefined; headers: Record<string, string> };
}

export interface UpstreamOptions {
  /** `single`: metadata-url, with one document for all versions. `providers`: providers-url and provider-includes */
  readonly layout?: 'v2' | 'single' | 'lazy' | 'providers' | 'inline' | 'includes';
  readonly minified?: boolean;
  /** merged into packages.json */
  readonly root?: Readonly<Record<string, unknown>>;
  /** of documents */
  readonly encoding?: 'gzip' | 'br';
  /** the only accepted Authorization */
  readonly authorization?: string;
}

export const referenceFor = (seed: string): string => createHash('sha1').update(seed).digest('hex');
export const sha256Of = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
export const sha1Of = (bytes: Buffer): string => createHash('sha1').update(bytes).digest('hex');

type Beside = Readonly<Record<string, unknown>>;

/** The present state of a repository. */
interface PublishedRepository {
  readonly server: DistServer;
  readonly options: UpstreamOptions;
  readonly packages: Map<string, { readonly versions: readonly UpstreamVersion[]; readonly beside: Beside }>;
  /** path → the test's answer */
  readonly own: Map<string, Answering>;
  readonly failing: TestUpstream['failing'];
  /** each publication has a date of its own */
  changes: number;
}

export async function startUpstream(options: UpstreamOptions = {}): Promise<TestUpstream> {
  const server = await startDistServer();
  const repository: PublishedRepository = {
    server,
    options,
    packages: new Map(),
    own: new Map(),
    failing: { status: undefined, headers: {} },
    changes: 0,
  };
  const { packages, own, failing } = repository;
  publish(repository);
  return {
    url: server.url,
    server,
    put: (name, versions, beside = {}) => {
      packages.set(name, { versions, beside });
      publish(repository);
    },
    drop: (name) => {
      packages.delete(name);
      for (const path of [`/p2/${name}.json`, `/p2/${name}~dev.json`, `/p/${name}.json`]) server.answers.delete(path);
      publish(repository);
    },
    asked: (path) => server.requests.filter((request) => request.path.startsWith(path)).length,
    instead: (path, answering) => {
      if (answering === undefined) own.delete(path);
      else own.set(path, answering);
      if (!server.answers.has(path))
        answer(repository, path, (_request, response) => void response.writeHead(404).end());
    },
    failing,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

function publish(repository: PublishedRepository): void {
  repository.changes += 1;
  const { packages, options } = repository;
  const { layout = 'v2', root = {}, encoding } = options;
  const lastModified = new Date(1_700_000_000_000 + repository.changes * 1000).toUTCString();
  const put = (path: string, json: unknown): void => answer(repository, path, sendJson(json, lastModified, encoding));
  for (const [name, { versions, beside }] of packages) {
    if (layout === 'v2') publishByName(repository, name, versions, beside, put);
    else if (layout === 'single') put(`/p2/${name}.json`, documentOf(repository, name, versions, beside));
    else if (layout === 'lazy') put(`/p/${name}.json`, documentOf(repository, name, versions, beside));
  }
  const list = layout === 'providers' ? publishByDigest(repository, put) : '';
  const inline = Object.fromEntries(
    [...packages].map(([name, { versions }]) => [
      name,
      Object.fromEntries(versions.map((version) => [version.version, recordOf(repository, name, version)])),
    ]),
  );
  const hash = sha1Of(Buffer.from(JSON.stringify({ packages: inline })));
  if (layout === 'includes') put(`/include/all$${hash}.json`, { packages: inline });
  const layouts = {
    v2: { packages: [], 'metadata-url': '/p2/%package%.json' },
    single: { packages: [], 'metadata-url': '/p2/%package%.json' },
    providers: {
      packages: [],
      'providers-url': '/p/%package%$%hash%.json',
      'provider-includes': { 'p/all$%hash%.json': { sha256: list } },
    },
    lazy: { packages: [], 'providers-lazy-url': '/p/%package%.json' },
    inline: { packages: inline },
    includes: { packages: [], includes: { [`include/all$${hash}.json`]: { sha1: hash } } },
  };
  put('/packages.json', { ...layouts[layout], ...root });
}

/** The documents of all packages, at addresses with their SHA-256, and their list. Returns the SHA-256 of the list. */
function publishByDigest(repository: PublishedRepository, put: (path: string, json: unknown) => void): string {
  const digestOf = (json: unknown): string => sha256Of(Buffer.from(JSON.stringify(json)));
  const providers = Object.fromEntries(
    [...repository.packages].map(([name, { versions, beside }]) => {
      const json = documentOf(repository, name, versions, beside);
      put(`/p/${name}%24${digestOf(json)}.json`, json);
      return [name, { sha256: digestOf(json) }];
    }),
  );
  put(`/p/all%24${digestOf({ providers })}.json`, { providers });
  return digestOf({ providers });
}

/** The two p2 documents of a package: releases, and dev versions where there are any. */
function publishByName(
  repository: PublishedRepository,
  name: string,
  versions: readonly UpstreamVersion[],
  beside: Beside,
  put: (path: string, json: unknown) => void,
): void {
  const [dev, releases] = [versions.filter(isDev), versions.filter((version) => !isDev(version))];
  put(`/p2/${name}.json`, documentOf(repository, name, releases, beside));
  if (dev.length > 0) put(`/p2/${name}~dev.json`, documentOf(repository, name, dev, {}));
  else repository.server.answers.delete(`/p2/${name}~dev.json`);
}

const isDev = ({ version }: UpstreamVersion): boolean => version.startsWith('dev-') || version.endsWith('-dev');

function answer({ server, options, own, failing }: PublishedRepository, path: string, standard: Answering): void {
  server.answers.set(path, (request, response) => {
    if (failing.status !== undefined) return void response.writeHead(failing.status, failing.headers).end('no');
    if (options.authorization !== undefined && request.headers.authorization !== options.authorization)
      return void response.writeHead(401).end();
    (own.get(path) ?? standard)(request, response);
  });
}

function documentOf(
  repository: PublishedRepository,
  name: string,
  versions: readonly UpstreamVersion[],
  beside: Beside,
): unknown {
  const { layout = 'v2', minified = false } = repository.options;
  const records = versions.map((version) => recordOf(repository, name, version));
  if (minified) return { packages: { [name]: minifyVersions(records as never) }, minified: 'composer/2.0', ...beside };
  const byVersion = Object.fromEntries(records.map((record) => [record['version'], record]));
  return { packages: { [name]: layout === 'v2' ? records : byVersion }, ...beside };
}

/** The record of a version; its archive is served from now on. */
function recordOf(
  repository: PublishedRepository,
  name: string,
  {
    version,
    zip = zipBytes(`${name} ${version}`),
    reference = referenceFor(`${name} ${version}`),
    shasum = sha1Of(zip),
    distUrl,
    extra = {},
  }: UpstreamVersion,
): Record<string, unknown> {
  const path = `/files/${name}/${encodeURIComponent(version)}/${reference}.zip`;
  answer(repository, path, (_request, response) => void response.end(zip));
  return {
    name,
    version,
    type: 'library',
    license: ['MIT'],
    time: '2020-01-01T00:00:00+00:00',
    require: { php: '>=7.2' },
    autoload: { 'psr-4': { 'Some\\': 'src/' } },
    source: { type: 'git', url: `https://git.example/${name}.git`, reference },
    'notification-url': 'https://elsewhere.example/notify',
    dist: {
      type: 'zip',
      url: distUrl ?? `${repository.server.url}${path}`,
      reference,
      ...(shasum === '' ? {} : { shasum }),
      mirrors: [{ url: 'https://elsewhere.example/%package%', preferred: true }],
    },
    ...extra,
  };
}

function sendJson(json: unknown, lastModified: string, encoding: UpstreamOptions['encoding']): Answering {
  return (request: IncomingMessage, response: ServerResponse) => {
    if (request.headers['if-modified-since'] === lastModified) return void response.writeHead(304).end();
    const bytes = Buffer.from(JSON.stringify(json));
    const packed = encoding === 'br' ? brotliCompressSync(bytes) : encoding === 'gzip' ? gzipSync(bytes) : bytes;
    response
      .writeHead(200, {
        'content-type': 'application/json',
        'last-modified': lastModified,
        ...(encoding === undefined ? {} : { 'content-encoding': encoding }),
      })
      .end(packed);
  };
}
