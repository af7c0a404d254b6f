// GitLab's REST API v4: as far as its public description goes for groups, users, files and hooks.

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

const size = { name: 'per_page', standard: 20, most: 100 };

/** `signs`: GitLab 19 and later, which takes a signing token for a webhook. */
export function startGitLab(owner = 'acme/php', { signs = true } = {}): Promise<FakeForge> {
  return startForge({ base: '/api/v4', refuse, answer: (call, state) => answer(call, state, signs) }, owner);
}

function refuse({ headers }: FakeCall, { token }: ForgeState): FakeReply | undefined {
  const given = headers['private-token'] ?? /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1];
  return given === token ? undefined : { status: 401, body: { message: '401 Unauthorized' } };
}

function answer(call: FakeCall, state: ForgeState, signs: boolean): FakeReply {
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
    return answerGitLabHooks(call, `/groups/${id}`, may.ownerHooks, signs, state);
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
  if (rest.startsWith('/hooks'))
    return answerGitLabHooks(call, `/projects/${found.id}`, may.repositoryHooks, signs, state);
  if (rest === '/repository/tree') {
    checkQuery(call, ['path', 'ref'], { name: 'per_page', most: 100 }, state);
    const items = itemsIn(found, query.get('path') ?? '', 'tree');
    return items === undefined ? notFound : { status: 200, body: items };
  }
  const [, file] = /^\/repository\/files\/([^/]+)\/raw$/.exec(rest) ?? [];
  if (file === undefined) return violation(path);
  const text = query.get('ref') === (found.branch ?? 'main') ? textOf(found, decodeURIComponent(file)) : undefined;
  if (found.readable === false) return forbidden;
  return text === undefined ? notFound : { status: 200, body: text, isText: true };
}

function shownIn({ owner }: ForgeState): (repository: FakeRepository) => object {
  return ({
    id,
    name,
    archived = false,
    removed = false,
    fork = false,
    branch = 'main',
    pushed = '2026-01-01T00:00:00.000Z',
  }) => ({
    id: Number(id),
    marked_for_deletion_on: removed ? '2026-12-24' : null,
    path_with_namespace: `${owner}/${name}${removed ? `-deletion_scheduled-${id}` : ''}`,
    archived,
    default_branch: branch,
    empty_repo: branch === null,
    last_activity_at: pushed,
    http_url_to_repo: 'https://elsewhere.example.org/evil.git',
    ...(fork ? { forked_from_project: { id: 1 } } : {}),
  });
}

/** Fields that a project hook and a group hook both have, as far as a registry may want them. */
const hookFields = ['url', 'token', 'signing_token', 'push_events', 'tag_push_events', 'enable_ssl_verification'];

function answerGitLabHooks(call: FakeCall, place: string, may: boolean, signs: boolean, state: ForgeState): FakeReply {
  if (call.method === 'GET') checkQuery(call, ['page'], size, state);
  return answerHooks(
    call,
    {
      at: `${place}/hooks`,
      refused: may ? undefined : { status: 403, body: { message: '403 Forbidden' } },
      changeBy: 'PUT',
      faultOf: (body) => {
        checkFields(body, hookFields, state);
        return faultOfHook(body, signs);
      },
      // a change leaves fields alone that it does not name
      kept: (before, { signing_token: signing, ...body }) => ({
        ...before,
        ...body,
        ...(signs && signing !== undefined ? { signing_token: signing } : {}),
      }),
      shown: ({ id, body: { token, signing_token: signing, ...body } }) => ({
        ...body,
        id: Number(id),
        alert_status: 'executable',
        ...(signs ? { token_present: token !== undefined, signing_token_present: signing !== undefined } : {}),
      }),
      page: (asked, items) => pageWithLink(asked, items, size),
    },
    state,
  );
}

function faultOfHook(body: Record<string, unknown>, signs: boolean): FakeReply | undefined {
  const { url, token = '', signing_token: signing, push_events: pushes, tag_push_events: tags } = body;
  const isWhole = typeof url === 'string' && typeof token === 'string' && pushes === true && tags === true;
  if (!isWhole) return { status: 422, body: { error: 'Invalid url given' } };
  const isKey = typeof signing === 'string' && /^whsec_[A-Za-z0-9+/]{43}=$/.test(signing);
  const isWrong = signs && signing !== undefined && !isKey;
  return isWrong ? { status: 422, body: { message: { signing_token: ['is invalid'] } } } : undefined;
}
