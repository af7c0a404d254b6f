// GitLab's REST API v4: as far as its public description goes for groups, users, files and hooks.

import {
  checkQuery,
  composerText,
  forbidden,
  notFound,
  pageWithLink,
  startForge,
  type FakeCall,
  type FakeForge,
  type FakeReply,
  type FakeRepository,
  type ForgeState,
} from './fake-forge.ts';
import { answerHooks, checkFields } from './fake-hooks.ts';

const size = { name: 'per_page', standard: 20, most: 100 };

export function startGitLab(owner = 'acme/php'): Promise<FakeForge> {
  return startForge({ base: '/api/v4', refuse, answer }, owner);
}

function refuse({ headers }: FakeCall, { token }: ForgeState): FakeReply | undefined {
  const given = headers['private-token'] ?? /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1];
  return given === token ? undefined : { status: 401, body: { message: '401 Unauthorized' } };
}

function answer(call: FakeCall, state: ForgeState): FakeReply {
  const { path, query } = call;
  const { owner, kind, repositories, may, violation } = state;
  const id = encodeURIComponent(owner);
  if (path === `/groups/${id}`)
    return kind === 'organization' ? { status: 200, body: { id: 4, full_path: owner } } : notFound;
  if (path === '/users')
    return {
      status: 200,
      body: kind === 'user' && query.get('username') === owner ? [{ id: 9, username: owner }] : [],
    };
  if (path === `/groups/${id}/hooks` || path.startsWith(`/groups/${id}/hooks/`))
    return answerGitLabHooks(call, `/groups/${id}`, may.ownerHooks, state);
  if (path === `/groups/${id}/projects` || path === `/users/${id}/projects`) {
    checkQuery(call, ['include_subgroups', 'with_shared', 'order_by', 'sort', 'page'], size, state);
    return may.list
      ? pageWithLink(call, repositories.map(shownIn(state)), size)
      : { ...forbidden, body: { error: 'insufficient_scope' } };
  }
  const project = /^\/projects\/(\d+)(\/.*)?$/.exec(path);
  if (project === null) return violation(path);
  const found = repositories.find((one) => one.id === project[1]);
  if (found === undefined) return notFound;
  const rest = project[2] ?? '';
  if (rest === '') return { status: 200, body: shownIn(state)(found) };
  if (rest.startsWith('/hooks')) return answerGitLabHooks(call, `/projects/${found.id}`, may.repositoryHooks, state);
  if (rest !== '/repository/files/composer.json/raw') return violation(path);
  const text = query.get('ref') === (found.branch ?? 'main') ? composerText(found) : undefined;
  if (found.readable === false) return forbidden;
  return text === undefined ? notFound : { status: 200, body: text, isText: true };
}

function shownIn({ owner }: ForgeState): (repository: FakeRepository) => object {
  return ({ id, name, archived = false, fork = false, branch = 'main', pushed = '2026-01-01T00:00:00.000Z' }) => ({
    id: Number(id),
    path_with_namespace: `${owner}/${name}`,
    archived,
    default_branch: branch,
    empty_repo: branch === null,
    last_activity_at: pushed,
    http_url_to_repo: 'https://elsewhere.example.org/evil.git',
    ...(fork ? { forked_from_project: { id: 1 } } : {}),
  });
}

/** Fields that a project hook and a group hook both have, as far as a registry may want them. */
const hookFields = ['url', 'token', 'push_events', 'tag_push_events', 'enable_ssl_verification', 'name', 'description'];

function answerGitLabHooks(call: FakeCall, place: string, may: boolean, state: ForgeState): FakeReply {
  if (call.method === 'GET') checkQuery(call, ['page'], size, state);
  return answerHooks(
    call,
    {
      at: `${place}/hooks`,
      refused: may ? undefined : { status: 403, body: { message: '403 Forbidden' } },
      changeBy: 'PUT',
      faultOf: (body) => {
        checkFields(body, hookFields, state);
        const { url, token, push_events: pushes, tag_push_events: tags } = body;
        const isWhole = typeof url === 'string' && typeof token === 'string' && pushes === true && tags === true;
        return isWhole ? undefined : { status: 422, body: { error: 'Invalid url given' } };
      },
      shown: ({ id, body: { token: _hidden, ...body } }) => ({ ...body, id: Number(id), alert_status: 'executable' }),
      page: (asked, items) => pageWithLink(asked, items, size),
    },
    state,
  );
}
