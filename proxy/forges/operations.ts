// What can be done with connections to forges: the operations that API, commands and console call.

import { z } from 'zod';
import { Secret } from '../../build/shared/text/secret.ts';
import type { StateStore } from '../core/state/state-store.ts';
import { idSchema } from '../registry/fields.ts';
import { operation } from '../registry/operation.ts';
import { pageOf, pageQuery, paginate, readCursor, writeCursor } from '../registry/page.ts';
import type { Actor } from '../state/audit.ts';
import { connectedRepositoryDocument, readConnection } from './connection-document.ts';
import {
  connectedRepository,
  connectionDraft,
  connectionPatch,
  connectionPlan,
  connectionSchema,
  removedConnection,
  type GivenConnection,
  type GivenCredentials,
} from './connection-schema.ts';
import type { ForgeConnections } from './connections.ts';
import { asItIsNow } from './model/connected.ts';
import type { ConnectionCredentials } from './model/credentials.ts';
import { parseSeen, seenPrefix } from './model/forge-repository.ts';
import type { ConnectionDraft } from './parse-connection.ts';
import type { ConnectionPlan } from './plan-connection.ts';
import { ageOrder } from '../state/rows.ts';

export interface ConnectionServices {
  readonly connectionsOf: (actor: Actor) => ForgeConnections;
  readonly planOf: (actor: Actor) => (draft: ConnectionDraft) => Promise<ConnectionPlan>;
  readonly state: Pick<StateStore, 'get' | 'range'>;
}

const tag = 'Connections';
const params = z.strictObject({ id: idSchema('conn', 'the connection') });
const one = { tag, path: '/api/connections/{id}', params, errors: ['NOT_FOUND'] } as const;

export const listConnections = operation({
  id: 'listConnections',
  method: 'get',
  path: '/api/connections',
  tag,
  summary: 'List connections',
  description: 'Oldest first.',
  query: pageQuery,
  answer: pageOf(connectionSchema),
  answers: 'a page of connections',
  run: async ({ connectionsOf, state }: ConnectionServices, query, { actor }) => {
    const all = await connectionsOf(actor).list();
    const { data, next_cursor } = paginate(all, query, ageOrder);
    return { data: await Promise.all(data.map((record) => readConnection(state, record))), next_cursor };
  },
});

export const createConnection = operation({
  id: 'createConnection',
  form: '/connections/new',
  secrets: ['credentials'],
  method: 'post',
  path: '/api/connections',
  tag,
  summary: 'Connect an owner at a forge',
  description:
    'Checks the credentials and the owner at the forge. The server then registers the repositories that have a ' +
    'composer.json with a name, and looks for changes by the interval. Each owner can be connected once.',
  body: connectionDraft,
  status: 201,
  answer: connectionSchema,
  answers: 'the connection',
  errors: ['EGRESS_DENIED', 'CONFLICT'],
  run: async ({ connectionsOf, state }: ConnectionServices, draft, { actor }) =>
    readConnection(state, await connectionsOf(actor).create(draftOf(draft))),
});

export const planConnection = operation({
  id: 'planConnection',
  method: 'post',
  path: '/api/connections/plan',
  tag,
  summary: 'Show what a connection would register',
  description: 'Asks the forge for at most 20 seconds, and changes nothing.',
  body: connectionDraft,
  answer: connectionPlan,
  answers: 'the plan',
  errors: ['EGRESS_DENIED', 'CONFLICT'],
  run: async ({ planOf }: ConnectionServices, draft, { actor }) => planOf(actor)(draftOf(draft)),
});

export const getConnection = operation({
  ...one,
  id: 'getConnection',
  method: 'get',
  summary: 'Get a connection',
  description: 'With the result of its last refresh, and without its credentials.',
  answer: connectionSchema,
  answers: 'the connection',
  run: async ({ connectionsOf, state }: ConnectionServices, { id }, { actor }) =>
    readConnection(state, await connectionsOf(actor).get(id)),
});

export const updateConnection = operation({
  ...one,
  id: 'updateConnection',
  form: '/connections/:id/edit',
  secrets: ['credentials'],
  method: 'patch',
  summary: 'Change a connection',
  description: 'Only the given fields change. Forge and owner cannot be changed. The next refresh begins at once.',
  body: connectionPatch,
  answer: connectionSchema,
  answers: 'the changed connection',
  errors: ['NOT_FOUND', 'EGRESS_DENIED'],
  run: async ({ connectionsOf, state }: ConnectionServices, { id, credentials, ...patch }, { actor }) => {
    const given = credentials === undefined ? {} : { credentials: credentialsOf(credentials) };
    return readConnection(state, await connectionsOf(actor).update(id, { ...patch, ...given }));
  },
});

/** The same with the form that only replaces the credentials. */
export const replaceCredentials = { ...updateConnection, form: '/connections/:id/credentials' };

export const deleteConnection = operation({
  ...one,
  id: 'deleteConnection',
  form: '/connections/:id/remove',
  method: 'delete',
  summary: 'Remove a connection',
  description:
    'Without `confirm`, the answer says how many repositories it has, and whether the owner has a webhook. The ' +
    'repositories stay registered and published, with their own webhooks, but without the credentials of the ' +
    "connection. The owner's webhook is removed at the forge.",
  query: z.strictObject({
    confirm: z.string().max(100).optional().meta({ description: 'the id of the connection again' }),
  }),
  answer: removedConnection,
  answers: 'the removed connection',
  errors: ['NOT_FOUND', 'CONFIRMATION_REQUIRED'],
  run: async ({ connectionsOf }: ConnectionServices, { id, confirm }, { actor }) => {
    const { record, ...rest } = await connectionsOf(actor).remove(id, confirm);
    return { id: record.id, ...rest };
  },
});

export const refreshConnection = operation({
  ...one,
  id: 'refreshConnection',
  form: '/connections/:id/refresh',
  method: 'post',
  path: '/api/connections/{id}/refresh',
  summary: 'Refresh a connection',
  description: 'Makes the next refresh due now. The connection shows when it has ended.',
  answer: connectionSchema,
  answers: 'the connection',
  run: async ({ connectionsOf, state }: ConnectionServices, { id }, { actor }) =>
    readConnection(state, await connectionsOf(actor).refreshSoon(id)),
});

export const listConnectedRepositories = operation({
  ...one,
  id: 'listConnectedRepositories',
  method: 'get',
  path: '/api/connections/{id}/repositories',
  summary: 'List the repositories of a connection',
  description: 'What the forge lists: registered, archived and removed repositories, and why others are skipped.',
  query: pageQuery,
  answer: pageOf(connectedRepository),
  answers: 'a page of repositories',
  run: async ({ connectionsOf, state }: ConnectionServices, { id, limit, cursor }, { actor }) => {
    const prefix = seenPrefix((await connectionsOf(actor).get(id)).id);
    const after = cursor === undefined ? {} : { after: `${prefix}${readCursor(cursor)}` };
    // one more than the page says whether there is another
    const entries = await state.range(prefix, { limit: limit + 1, ...after });
    const shown = entries.slice(0, limit);
    const last = entries.length > limit ? shown.at(-1) : undefined;
    const rows = await Promise.all(shown.map(({ value }) => asItIsNow(state, parseSeen(value))));
    const next_cursor = last === undefined ? null : writeCursor(last.key.slice(prefix.length));
    return { data: rows.map(connectedRepositoryDocument), next_cursor };
  },
});

export const connectionOperations = [
  listConnections,
  createConnection,
  getConnection,
  updateConnection,
  deleteConnection,
  planConnection,
  refreshConnection,
  listConnectedRepositories,
];

function draftOf({ credentials, ...draft }: GivenConnection): ConnectionDraft {
  return { ...draft, credentials: credentialsOf(credentials) };
}

function credentialsOf(given: GivenCredentials): ConnectionCredentials {
  return 'app_id' in given
    ? { kind: 'app', appId: given.app_id, privateKey: new Secret(given.private_key) }
    : { kind: 'token', token: new Secret(given.token), user: given.user };
}
