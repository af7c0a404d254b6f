// Another Composer repository on a free port of loopback, for tests of the mirror: it publishes as it is told, in any
// of the layouts there are, and misbehaves where a test says so. What it was asked is remembered.

import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { minifyVersions } from '../../proxy/mirror/upstream/minified.ts';
import { startDistServer, type Answering, type DistServer } from './dist-server.ts';
import { zipBytes } from './tree.ts';

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
  /** A package as it is from now on. */
  readonly put: (
    name: string,
    versions: readonly UpstreamVersion[],
    beside?: Readonly<Record<string, unknown>>,
  ) => void;
  readonly drop: (name: string) => void;
  /** how often a path that begins so was asked for */
  readonly asked: (path: string) => number;
  /** answers a path, without its query, in the test's own way; undefined: as published again */
  readonly instead: (path: string, answering: Answering | undefined) => void;
  /** everything fails with this status, and these headers; undefined: no longer */
  readonly failing: { status: number | undefined; headers: Record<string, string> };
}

export interface UpstreamOptions {
  readonly layout?: 'v2' | 'lazy' | 'inline' | 'includes';
  readonly minified?: boolean;
  /** merged into packages.json */
  readonly root?: Readonly<Record<string, unknown>>;
  /** of documents */
  readonly encoding?: 'gzip' | 'br';
  /** the only Authorization it accepts */
  readonly authorization?: string;
}

export const referenceFor = (seed: string): string => createHash('sha1').update(seed).digest('hex');
export const sha1Of = (bytes: Buffer): string => createHash('sha1').update(bytes).digest('hex');

export async function startUpstream({
  layout = 'v2',
  minified = false,
  root = {},
  encoding,
  authorization,
}: UpstreamOptions = {}): Promise<TestUpstream> {
  const server = await startDistServer();
  const packages = new Map<
    string,
    { readonly versions: readonly UpstreamVersion[]; readonly beside: Readonly<Record<string, unknown>> }
  >();
  const own = new Map<string, Answering>();
  const failing: TestUpstream['failing'] = { status: undefined, headers: {} };
  let changes = 0;

  const answer = (path: string, standard: Answering): void => {
    server.answers.set(path, (request, response) => {
      if (failing.status !== undefined) return void response.writeHead(failing.status, failing.headers).end('no');
      if (authorization !== undefined && request.headers.authorization !== authorization)
        return void response.writeHead(401).end();
      (own.get(path) ?? standard)(request, response);
    });
  };

  const recordOf = (
    name: string,
    {
      version,
      zip = zipBytes(`${name} ${version}`),
      reference = referenceFor(`${name} ${version}`),
      shasum = sha1Of(zip),
      distUrl,
      extra = {},
    }: UpstreamVersion,
  ): Record<string, unknown> => {
    const path = `/files/${name}/${encodeURIComponent(version)}/${reference}.zip`;
    answer(path, (_request, response) => void response.end(zip));
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
        url: distUrl ?? `${server.url}${path}`,
        reference,
        ...(shasum === '' ? {} : { shasum }),
        mirrors: [{ url: 'https://elsewhere.example/%package%', preferred: true }],
      },
      ...extra,
    };
  };

  const sendJson =
    (json: unknown, lastModified: string): Answering =>
    (request: IncomingMessage, response: ServerResponse) => {
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

  const isDev = ({ version }: UpstreamVersion): boolean => version.startsWith('dev-') || version.endsWith('-dev');
  const documentOf = (
    name: string,
    versions: readonly UpstreamVersion[],
    beside: Readonly<Record<string, unknown>>,
  ): unknown => {
    const records = versions.map((version) => recordOf(name, version));
    if (minified)
      return { packages: { [name]: minifyVersions(records as never) }, minified: 'composer/2.0', ...beside };
    return {
      packages: {
        [name]: layout === 'v2' ? records : Object.fromEntries(records.map((record) => [record['version'], record])),
      },
      ...beside,
    };
  };

  const publish = (): void => {
    changes += 1;
    const lastModified = new Date(1_700_000_000_000 + changes * 1000).toUTCString();
    for (const [name, { versions, beside }] of packages) {
      if (layout === 'v2') {
        answer(
          `/p2/${name}.json`,
          sendJson(
            documentOf(
              name,
              versions.filter((version) => !isDev(version)),
              beside,
            ),
            lastModified,
          ),
        );
        const dev = versions.filter(isDev);
        if (dev.length > 0) answer(`/p2/${name}~dev.json`, sendJson(documentOf(name, dev, {}), lastModified));
        else server.answers.delete(`/p2/${name}~dev.json`);
      } else if (layout === 'lazy')
        answer(`/p/${name}.json`, sendJson(documentOf(name, versions, beside), lastModified));
    }
    const inline = Object.fromEntries(
      [...packages].map(([name, { versions }]) => [
        name,
        Object.fromEntries(versions.map((version) => [version.version, recordOf(name, version)])),
      ]),
    );
    const hash = sha1Of(Buffer.from(JSON.stringify({ packages: inline })));
    if (layout === 'includes') answer(`/include/all$${hash}.json`, sendJson({ packages: inline }, lastModified));
    const layouts = {
      v2: { packages: [], 'metadata-url': '/p2/%package%.json' },
      lazy: { packages: [], 'providers-lazy-url': '/p/%package%.json' },
      inline: { packages: inline },
      includes: { packages: [], includes: { [`include/all$${hash}.json`]: { sha1: hash } } },
    };
    answer('/packages.json', sendJson({ ...layouts[layout], ...root }, lastModified));
  };
  publish();

  return {
    url: server.url,
    server,
    put: (name, versions, beside = {}) => {
      packages.set(name, { versions, beside });
      publish();
    },
    drop: (name) => {
      packages.delete(name);
      for (const path of [`/p2/${name}.json`, `/p2/${name}~dev.json`, `/p/${name}.json`]) server.answers.delete(path);
      publish();
    },
    asked: (path) => server.requests.filter((request) => request.path.startsWith(path)).length,
    instead: (path, answering) => {
      if (answering === undefined) own.delete(path);
      else own.set(path, answering);
      if (!server.answers.has(path)) answer(path, (_request, response) => void response.writeHead(404).end());
    },
    failing,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
