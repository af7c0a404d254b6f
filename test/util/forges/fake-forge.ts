// The API of a forge on a free port of loopback, strict about what it is asked: an unknown path, parameter, header or
// body is a violation, and fails the test at its end. Each forge has a file with its paths; this file has what they
// share: credentials, ETags, rate limits, and git over smart HTTP.

import { createHash } from 'node:crypto';
import { createServer, request as requestHttp, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A repository as the test describes it. */
export interface FakeRepository {
  id: string;
  /** below the owner */
  name: string;
  archived?: boolean;
  /** removed, but still listed for some days, as GitLab does */
  removed?: boolean;
  fork?: boolean;
  /** null: no commits */
  branch?: string | null;
  /** the content of composer.json; undefined: there is none. An object is written as JSON */
  composer?: object | string;
  /** further files with a composer.json: `packages/tool` → its content */
  folders?: Readonly<Record<string, object>>;
  /** changes with a push */
  pushed?: string;
  description?: string;
  /** false: the credentials may not read its files */
  readable?: boolean;
}

export interface FakeHook {
  readonly id: string;
  /** the path of its owner or repository */
  readonly at: string;
  body: Record<string, unknown>;
}

export interface FakeReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** the body is a text, and no JSON */
  readonly isText?: boolean;
}

export interface FakeCall {
  readonly method: string;
  /** below the API's first path, without the query, as sent */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: Record<string, unknown> | undefined;
  /** the address of the API */
  readonly api: string;
}

export interface ForgeState {
  owner: string;
  /** `user`: the owner is a person */
  kind: 'organization' | 'user';
  token: string;
  readonly repositories: FakeRepository[];
  readonly hooks: FakeHook[];
  /** what the credentials may do */
  readonly may: { ownerHooks: boolean; repositoryHooks: boolean; list: boolean };
  /** Notes what a real forge would not understand. */
  readonly violation: (text: string) => FakeReply;
}

export interface ForgePaths {
  /** `/api/v3` */
  readonly base: string;
  /** a fault of the credentials or headers; undefined: they are right */
  readonly refuse: (call: FakeCall, state: ForgeState) => FakeReply | undefined;
  readonly answer: (call: FakeCall, state: ForgeState) => FakeReply | Promise<FakeReply>;
  /** of each answer */
  readonly headers?: () => Readonly<Record<string, string>>;
}

export interface FakeForge extends AsyncDisposable, ForgeState {
  /** without a slash at its end */
  readonly url: string;
  /** `GET /orgs/acme/repos?… 200`, in the order of the answers; git is left out */
  readonly requests: string[];
  /** answers the next requests, whatever they are; each is used once */
  readonly instead: FakeReply[];
  /** called before each answer of the API */
  onRequest: (call: FakeCall) => void;
  /** git over HTTP at `<url>/<owner>/<name>.git`: the server behind, and the Authorization that it asks for */
  git: { readonly url: string; readonly authorization: string | undefined } | undefined;
}

export async function startForge(paths: ForgePaths, owner = 'acme'): Promise<FakeForge> {
  const violations: string[] = [];
  const server = createServer((request, response) => void handle(forge, paths, request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const forge: FakeForge = {
    url: `http://127.0.0.1:${port}`,
    owner,
    kind: 'organization',
    token: 'forge-token-5f0d3a',
    repositories: [],
    hooks: [],
    may: { ownerHooks: true, repositoryHooks: true, list: true },
    violation: (text) => {
      violations.push(text);
      return { status: 400, body: { message: text } };
    },
    requests: [],
    instead: [],
    onRequest: () => undefined,
    git: undefined,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      if (violations.length > 0) throw new Error(`the forge would not understand: ${violations.join('; ')}`);
    },
  };
  return forge;
}

async function handle(
  forge: FakeForge,
  paths: ForgePaths,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const target = request.url ?? '';
  if (/\.git\//.test(target)) return passToGit(forge, request, response);
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const url = new URL(target, forge.url);
  const text = Buffer.concat(chunks).toString();
  const call: FakeCall = {
    method: request.method ?? '',
    path: url.pathname.slice(paths.base.length),
    query: url.searchParams,
    headers: request.headers,
    body: text === '' ? undefined : (JSON.parse(text) as Record<string, unknown>),
    api: `${forge.url}${paths.base}`,
  };
  forge.onRequest(call);
  const reply = forge.instead.shift() ?? (await replyTo(call, url, forge, paths));
  const headers = { ...paths.headers?.(), ...reply.headers };
  const status = send({ ...reply, headers }, call, response);
  forge.requests.push(`${call.method} ${target.slice(paths.base.length)} ${status}`);
}

function replyTo(call: FakeCall, url: URL, forge: FakeForge, paths: ForgePaths): FakeReply | Promise<FakeReply> {
  if (!url.pathname.startsWith(`${paths.base}/`)) return forge.violation(`${url.pathname} is not below ${paths.base}`);
  if (call.headers['user-agent'] === undefined) return forge.violation('no User-Agent');
  if (call.body !== undefined && call.headers['content-type'] !== 'application/json')
    return forge.violation(`a body of type ${String(call.headers['content-type'])}`);
  return paths.refuse(call, forge) ?? paths.answer(call, forge);
}

/** Gives the sent status. */
function send(
  { status, headers = {}, body, isText = false }: FakeReply,
  call: FakeCall,
  response: ServerResponse,
): number {
  const text = isText ? String(body) : JSON.stringify(body);
  const etag = `W/"${createHash('sha256').update(text).digest('hex').slice(0, 32)}"`;
  const isUnchanged = call.method === 'GET' && status === 200 && call.headers['if-none-match'] === etag;
  const type = isText ? 'text/plain' : 'application/json; charset=utf-8';
  response.writeHead(isUnchanged ? 304 : status, { 'content-type': type, etag, ...headers });
  response.end(isUnchanged ? undefined : text);
  return isUnchanged ? 304 : status;
}

function passToGit({ git }: FakeForge, request: IncomingMessage, response: ServerResponse): void {
  if (git === undefined || (git.authorization !== undefined && request.headers.authorization !== git.authorization)) {
    response.writeHead(git === undefined ? 404 : 401, { 'www-authenticate': 'Basic realm="git"' }).end();
    return;
  }
  const { authorization: _checked, ...headers } = request.headers;
  const behind = requestHttp(new URL(request.url ?? '', git.url), { method: request.method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 500, answer.headers);
    answer.pipe(response);
  });
  behind.on('error', () => response.writeHead(502).end()); // the test has stopped git
  request.pipe(behind);
}

export const notFound: FakeReply = { status: 404, body: { message: 'Not Found' } };
export const forbidden: FakeReply = { status: 403, body: { message: 'Resource not accessible' } };

/** Notes parameters outside of `known`; the page size may be at most `most`. */
export function checkQuery(
  { query, path }: FakeCall,
  known: readonly string[],
  size: { readonly name: string; readonly most: number },
  state: ForgeState,
): void {
  for (const name of query.keys())
    if (!known.includes(name) && name !== size.name) state.violation(`${path} has no parameter ${name}`);
  if (Number(query.get(size.name) ?? 1) > size.most) state.violation(`${path} has no pages of ${query.get(size.name)}`);
}

/** One page of the items with a Link header (RFC 8288), numbered from 1. */
export function pageWithLink(
  call: FakeCall,
  items: readonly unknown[],
  size: { readonly name: string; readonly standard: number },
  wrap: (items: readonly unknown[]) => unknown = (all) => all,
  between = ', ',
): FakeReply {
  const count = Number(call.query.get(size.name) ?? size.standard);
  const page = Number(call.query.get('page') ?? 1);
  const last = Math.max(1, Math.ceil(items.length / count));
  const link = (number: number, rel: string): string => {
    const query = new URLSearchParams(call.query);
    query.set('page', String(number));
    return `<${call.api}${call.path}?${query.toString()}>; rel="${rel}"`;
  };
  const links = [
    ...(page > 1 ? [link(page - 1, 'prev'), link(1, 'first')] : []),
    ...(page < last ? [link(page + 1, 'next'), link(last, 'last')] : []),
  ];
  const body = wrap(items.slice((page - 1) * count, page * count));
  return { status: 200, headers: links.length === 0 ? {} : { link: links.join(between) }, body };
}

/** The text of a file; undefined: there is none. */
export function textOf({ composer, folders, branch }: FakeRepository, file: string): string | undefined {
  const content = file === 'composer.json' ? composer : folders?.[file.replace(/\/composer\.json$/, '')];
  if (content === undefined || branch === null) return undefined;
  return typeof content === 'string' ? content : JSON.stringify(content);
}

/** What a folder has; undefined: there is no such folder. `type`: the forge's word for a folder. */
export function itemsIn({ folders = {} }: FakeRepository, folder: string, type: string): readonly object[] | undefined {
  const below = folder === '' ? '' : `${folder}/`;
  const inside = Object.keys(folders).filter((path) => path.startsWith(below));
  if (inside.length === 0) return undefined;
  const names = new Set(inside.map((path) => path.slice(below.length).split('/', 1)[0] ?? ''));
  return [
    { type: 'file', path: `${below}README.md` },
    ...[...names].map((name) => ({ type, path: `${below}${name}` })),
  ];
}
