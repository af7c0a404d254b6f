// The REST API 2.0 of Bitbucket Cloud: as far as its public description goes for workspaces, sources and hooks. A path
// of a source has no branch with a slash, as in the real service.

import {
  checkQuery,
  itemsIn,
  startForge,
  textOf,
  type FakeCall,
  type FakeForge,
  type FakeReply,
  type FakeRepository,
  type ForgeState,
} from './fake-forge.ts';
import { answerHooks, checkFields } from './fake-hooks.ts';

const size = { name: 'pagelen', standard: 10, most: 100 };
const notFound = fault(404, 'Resource not found');
const forbidden = fault(403, 'Your credentials lack one or more required privilege scopes.');
const commit = 'c0ffee0123456789c0ffee0123456789c0ffee01';

export function startBitbucket(): Promise<FakeForge> {
  return startForge({ base: '/2.0', refuse, answer });
}

function refuse({ headers }: FakeCall, { token }: ForgeState): FakeReply | undefined {
  const basic = Buffer.from(`me@example.org:${token}`).toString('base64');
  const isKnown = [`Bearer ${token}`, `Basic ${basic}`].includes(headers.authorization ?? '');
  return isKnown ? undefined : fault(401, 'Token is invalid, expired, or not supported for this endpoint.');
}

/** Every answer that is no success has this shape. */
function fault(status: number, message: string): FakeReply {
  return { status, body: { type: 'error', error: { message } } };
}

function answer(call: FakeCall, state: ForgeState): FakeReply {
  const { path } = call;
  const { owner, repositories, may, violation } = state;
  if (path.startsWith(`/workspaces/${owner}/hooks`))
    return hooksOf(call, `/workspaces/${owner}`, may.ownerHooks, state);
  if (path === `/repositories/${owner}`) {
    checkQuery(call, ['page', 'sort'], size, state);
    return may.list ? page(call, repositories.map(shownIn(state))) : forbidden;
  }
  const [, place = '', rest = ''] = /^\/repositories\/[^/]+\/([^/]+)(\/.*)?$/.exec(path) ?? [];
  const named = decodeURIComponent(place);
  const found = repositories.find(({ id, name }) => named === name || named === `{${id}}`);
  if (found === undefined) return place === '' ? violation(path) : notFound;
  if (rest === '') return { status: 200, body: shownIn(state)(found) };
  if (rest.startsWith('/hooks'))
    return hooksOf(call, `/repositories/${owner}/${found.name}`, may.repositoryHooks, state);
  const branch = found.branch ?? 'main';
  if (rest === `/refs/branches/${branch}`) return { status: 200, body: { name: branch, target: { hash: commit } } };
  const [, at = '', file = ''] = /^\/src\/([^/]+)\/(.+)$/.exec(rest) ?? [];
  if (at !== commit && at !== branch) return violation(`${call.method} ${path}`);
  if (file.endsWith('/')) {
    checkQuery(call, [], size, state);
    const items = itemsIn(found, file.slice(0, -1), 'commit_directory');
    return items === undefined ? notFound : page(call, items);
  }
  const text = textOf(found, decodeURIComponent(file));
  if (found.readable === false) return forbidden;
  return text === undefined ? notFound : { status: 200, body: text, isText: true };
}

function page(call: FakeCall, items: readonly unknown[]): FakeReply {
  const length = Number(call.query.get('pagelen') ?? size.standard);
  const number = Number(call.query.get('page') ?? 1);
  const query = new URLSearchParams(call.query);
  query.set('page', String(number + 1));
  const isLast = number * length >= items.length;
  return {
    status: 200,
    body: {
      pagelen: length,
      page: number,
      size: items.length,
      values: items.slice((number - 1) * length, number * length),
      ...(isLast ? {} : { next: `${call.api}${call.path}?${query.toString()}` }),
    },
  };
}

function shownIn({ owner }: ForgeState): (repository: FakeRepository) => object {
  return ({ id, name, fork = false, branch = 'main', pushed = '2026-01-01T00:00:00.000000+00:00' }) => ({
    uuid: `{${id}}`,
    full_name: `${owner}/${name}`,
    scm: 'git',
    mainbranch: branch === null ? null : { type: 'branch', name: branch },
    updated_on: pushed,
    ...(fork ? { parent: { full_name: 'others/tool' } } : {}),
    links: { clone: [{ name: 'https', href: 'https://elsewhere.example.org/evil.git' }] },
  });
}

function hooksOf(call: FakeCall, place: string, may: boolean, state: ForgeState): FakeReply {
  if (call.method === 'GET') checkQuery(call, ['page'], size, state);
  return answerHooks(
    call,
    {
      at: `${place}/hooks`,
      pathId: (id) => `%7B${id}%7D`,
      refused: may ? undefined : forbidden,
      changeBy: 'PUT',
      faultOf: (body) => {
        checkFields(body, ['description', 'url', 'active', 'secret', 'events'], state);
        const { url, secret, events, description, active } = body;
        const isWhole = isAddress(url) && active === true && typeof description === 'string';
        if (!isWhole || JSON.stringify(events) !== '["repo:push"]') return fault(400, 'Bad request');
        // without one, a change keeps the secret that Bitbucket has
        return typeof secret === 'string' && secret !== '' ? undefined : state.violation('a webhook without a secret');
      },
      shown: ({ id, body: { secret: _hidden, ...body } }) => ({ ...body, uuid: `{${id}}`, secret_set: true }),
      page,
    },
    state,
  );
}

function isAddress(text: unknown): boolean {
  return typeof text === 'string' && /^https?:\/\//.test(text);
}
