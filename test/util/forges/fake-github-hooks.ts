// The webhooks of GitHub's REST API, of organisations and of repositories. An address may be given once.

import { checkQuery, notFound, pageWithLink, type FakeCall, type FakeReply, type ForgeState } from './fake-forge.ts';
import { answerHooks, checkFields } from './fake-hooks.ts';

/** Of every list of GitHub. */
export const size = { name: 'per_page', standard: 30, most: 100 };

/** `place`: `/orgs/acme`, or the path of a repository. */
export function answerGitHubHooks(call: FakeCall, place: string, state: ForgeState): FakeReply {
  const isOwner = place.startsWith('/orgs/');
  const refused = isOwner ? notFound : forbiddenBy('repository_hooks=write');
  if (call.method === 'GET') checkQuery(call, ['page'], size, state);
  return answerHooks(
    call,
    {
      at: `${place}/hooks`,
      refused: (isOwner ? state.may.ownerHooks : state.may.repositoryHooks) ? undefined : refused,
      changeBy: 'PATCH',
      faultOf: (body, isNew) => faultOfHook(body, isNew, isOwner, place, state),
      shown: ({ id, body }) => {
        const { secret: _hidden, ...config } = body['config'] as Record<string, unknown>;
        return { type: isOwner ? 'Organization' : 'Repository', ...body, id: Number(id), name: 'web', config };
      },
      page: (asked, items) => pageWithLink(asked, items, size),
    },
    state,
  );
}

function faultOfHook(
  body: Record<string, unknown>,
  isNew: boolean,
  isOwner: boolean,
  place: string,
  state: ForgeState,
): FakeReply | undefined {
  const { name, events, config, active } = body as {
    name?: string;
    events?: unknown;
    config?: object;
    active?: unknown;
  };
  // only the change of an organisation's hook takes the name again
  checkFields(body, ['config', 'events', 'active', ...(isNew || isOwner ? ['name'] : [])], state);
  const { url, content_type: type, secret, insecure_ssl: insecure } = (config ?? {}) as Record<string, unknown>;
  const isWhole = (name === 'web' || !isNew) && Array.isArray(events) && active === true && typeof secret === 'string';
  if (!isWhole || typeof url !== 'string' || type !== 'json' || insecure !== '0') return invalid('config');
  const isTaken = state.hooks.some(
    ({ at, body: other }) => at === `${place}/hooks` && (other['config'] as { url?: unknown }).url === url,
  );
  return isNew && isTaken ? invalid('Hook already exists on this repository') : undefined;
}

function invalid(message: string): FakeReply {
  const errors = [{ resource: 'Hook', code: 'custom', message }];
  return { status: 422, body: { message: 'Validation Failed', errors, status: '422' } };
}

/** `permissions`: what GitHub names as required. */
function forbiddenBy(permissions: string): FakeReply {
  return {
    status: 403,
    headers: { 'x-accepted-github-permissions': permissions },
    body: { message: 'Resource not accessible by personal access token', status: '403' },
  };
}
