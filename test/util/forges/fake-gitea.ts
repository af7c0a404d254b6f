// The API v1 of Gitea and Forgejo: as far as its public description goes for lists, files and hooks.

import {
  checkQuery,
  forbidden,
  itemsIn,
  notFound,
  pageWithLink,
  startForge,
  textOf,
  type FakeCall,
  type FakeForge,
  type FakeReply,
  type FakeRepository,
  type ForgeState,
} from './fake-forge.ts';
import { answerHooks, checkFields } from './fake-hooks.ts';

const size = { name: 'limit', standard: 30, most: 50 };

export function startGitea(): Promise<FakeForge> {
  return startForge({ base: '/api/v1', refuse, answer });
}

function refuse({ headers }: FakeCall, { token }: ForgeState): FakeReply | undefined {
  const given = /^(?:token|Bearer) (.+)$/.exec(headers.authorization ?? '')?.[1];
  return given === token ? undefined : { status: 401, body: { message: 'invalid username, password or token' } };
}

function answer(call: FakeCall, state: ForgeState): FakeReply {
  const { path } = call;
  const { owner, kind, repositories, may, violation } = state;
  if (path === `/orgs/${owner}`) return kind === 'organization' ? { status: 200, body: { username: owner } } : notFound;
  if (path === `/users/${owner}`) return { status: 200, body: { login: owner } };
  if (path === `/orgs/${owner}/repos` || path === `/users/${owner}/repos`) {
    checkQuery(call, ['page'], size, state);
    return may.list ? pageWithLink(call, repositories.map(shownIn(state)), size, (all) => all, ',') : forbidden;
  }
  const hooks = /^(\/orgs\/[^/]+|\/repos\/[^/]+\/[^/]+)\/hooks(?:\/|$)/.exec(path)?.[1];
  if (hooks !== undefined)
    return answerGiteaHooks(call, hooks, hooks.startsWith('/orgs') ? may.ownerHooks : may.repositoryHooks, state);
  const byId = /^\/repositories\/(\d+)$/.exec(path)?.[1];
  const [, byName, way, file = ''] = /^\/repos\/[^/]+\/([^/]+)\/(raw|contents)\/(.+)$/.exec(path) ?? [];
  if (byId === undefined && byName === undefined) return violation(`${call.method} ${path}`);
  const found = repositories.find(({ id, name }) => id === byId || name === byName);
  if (found === undefined) return notFound;
  if (byId !== undefined) return { status: 200, body: shownIn(state)(found) };
  if (found.branch === null) return violation(`a file of ${found.name}, which is empty: Gitea answers 500`);
  if (way === 'contents') {
    const items = itemsIn(found, file, 'dir');
    return items === undefined ? notFound : { status: 200, body: items };
  }
  const text = textOf(found, decodeURIComponent(file));
  if (found.readable === false) return forbidden;
  return text === undefined ? notFound : { status: 200, body: text, isText: true };
}

function shownIn({ owner }: ForgeState): (repository: FakeRepository) => object {
  return ({ id, name, archived = false, fork = false, branch = 'main', pushed = '2026-01-01T00:00:00Z' }) => ({
    id: Number(id),
    full_name: `${owner}/${name}`,
    archived,
    fork,
    empty: branch === null,
    default_branch: branch ?? 'main',
    updated_at: pushed,
    clone_url: 'https://elsewhere.example.org/evil.git',
  });
}

/** A list of hooks names no next page, and a changed hook keeps its secret: so that one is made anew. */
function answerGiteaHooks(call: FakeCall, place: string, may: boolean, state: ForgeState): FakeReply {
  if (call.method === 'GET') checkQuery(call, ['page'], size, state);
  return answerHooks(
    call,
    {
      at: `${place}/hooks`,
      refused: may ? undefined : forbidden,
      changeBy: 'replacement',
      faultOf: (body) => faultOfHook(body, state),
      shown: ({ id, body }) => {
        const { secret: _hidden, ...config } = body['config'] as Record<string, unknown>;
        return { ...body, id: Number(id), config };
      },
      page: (asked, items) => ({
        ...pageWithLink(asked, items, size),
        headers: { 'x-total-count': `${items.length}` },
      }),
    },
    state,
  );
}

function faultOfHook(body: Record<string, unknown>, state: ForgeState): FakeReply | undefined {
  checkFields(body, ['type', 'config', 'events', 'branch_filter', 'authorization_header', 'active'], state);
  const { type, config, events, active } = body as {
    type?: string;
    config?: object;
    events?: unknown;
    active?: unknown;
  };
  const { url, secret, content_type: content } = (config ?? {}) as Record<string, unknown>;
  const isWhole = type === 'gitea' && typeof url === 'string' && typeof secret === 'string' && content === 'json';
  // a hook is made inactive unless the body says otherwise
  if (isWhole && Array.isArray(events) && active === true) return undefined;
  return { status: 422, body: { message: 'Missing config option: content_type', url: '/api/swagger' } };
}
