// A server like OSV on a free port of loopback, for tests of feeds. It publishes advisories, misbehaves on command, and
// records its requests.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { startDistServer, type Answering } from './dist-server.ts';

type Json = Record<string, unknown>;

export interface AdvisoryFeed extends AsyncDisposable {
  readonly url: string;
  /** by identifier; each is an advisory in OSV's form */
  readonly advisories: Map<string, Json>;
  /** path → the requests for it, with their bodies */
  readonly requests: { readonly path: string; readonly body: string }[];
  /** the packages that were asked about, of both kinds of queries */
  readonly asked: () => readonly string[];
  /** answers all requests whose path begins so as the test says; undefined: again as a good feed */
  readonly instead: (path: string, answering: Answering | undefined) => void;
  /** of one page */
  pageSize: number;
}

/** An advisory about all versions below `fixed`. */
export const advisory = (id: string, name: string, fixed = '2.0.0', extra: Json = {}): Json => ({
  id,
  modified: '2026-01-01T00:00:00Z',
  summary: `About ${name}`,
  affected: [
    {
      package: { ecosystem: 'Packagist', name },
      ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed }] }],
    },
  ],
  ...extra,
});

export const jsonAnswer =
  (json: unknown, status = 200): Answering =>
  (_request, response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));

export async function startAdvisoryFeed(): Promise<AdvisoryFeed> {
  const server = await startDistServer();
  const advisories = new Map<string, Json>();
  const requests: AdvisoryFeed['requests'] = [];
  const own = new Map<string, Answering>();
  const feed: AdvisoryFeed = {
    url: server.url,
    advisories,
    requests,
    asked: () => requests.flatMap(({ body }) => [...body.matchAll(/"name":"([^"]+)"/g)].map(([, name = '']) => name)),
    instead: (path, answering) => void (answering === undefined ? own.delete(path) : own.set(path, answering)),
    pageSize: 1000,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
  const answering = (request: IncomingMessage, response: ServerResponse): void => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const [path, body] = [request.url ?? '', Buffer.concat(pieces).toString()];
      requests.push({ path, body });
      const instead = [...own].find(([start]) => path.startsWith(start))?.[1];
      if (instead !== undefined) return instead(request, response);
      const json = answerOf(feed, path, body);
      return jsonAnswer(json ?? { code: 5 }, json === undefined ? 404 : 200)(request, response);
    });
  };
  server.answers.get = () => answering;
  return feed;
}

interface Query {
  readonly package: { readonly ecosystem: string; readonly name: string };
  readonly page_token?: string;
}

function answerOf(feed: AdvisoryFeed, path: string, body: string): unknown {
  if (path === '/v1/query') return page(feed, JSON.parse(body) as Query, (one) => one);
  if (path === '/v1/querybatch') {
    const { queries } = JSON.parse(body) as { readonly queries: readonly Query[] };
    return { results: queries.map((query) => page(feed, query, ({ id, modified }) => ({ id, modified }))) };
  }
  return feed.advisories.get(decodeURIComponent(path.replace('/v1/vulns/', '')));
}

function page(
  { advisories, pageSize }: AdvisoryFeed,
  { package: { ecosystem, name }, page_token: token = '0' }: Query,
  form: (advisory: Json) => Json,
): Json {
  const about = [...advisories.values()].filter(
    ({ affected }) =>
      ecosystem === 'Packagist' &&
      (affected as Query[]).some(({ package: named }) => named.name.toLowerCase() === name),
  );
  const from = Number(token);
  const vulns = about.slice(from, from + pageSize).map(form);
  return {
    ...(vulns.length === 0 ? {} : { vulns }),
    ...(from + pageSize < about.length ? { next_page_token: String(from + pageSize) } : {}),
  };
}
