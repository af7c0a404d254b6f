// Connections to forges over HTTP: the same services as `libretto connect` and `libretto connection`.

import type { z } from 'zod';
import { Secret } from '../../../build/shared/text/secret.ts';
import { connectedRepositoryDocument, readConnection } from '../../forges/connection-document.ts';
import type { Connections } from '../../forges/connections.ts';
import { asItIsNow } from '../../forges/model/connected.ts';
import type { ConnectionRecord } from '../../forges/model/connection.ts';
import type { ConnectionCredentials } from '../../forges/model/credentials.ts';
import { parseSeen, seenPrefix } from '../../forges/model/forge-repository.ts';
import type { ConnectionDraft, ConnectionFields } from '../../forges/parse-connection.ts';
import type { ConnectionPlan } from '../../forges/plan-connection.ts';
import type { Actor } from '../../state/audit.ts';
import type { StateStore } from '../../core/state/state-store.ts';
import { actor, type Api } from '../frame/api.ts';
import { paginate, readCursor, writeCursor } from '../../registry/page.ts';
import type { connectedRepository, connectionDraft, connectionPatch, connectionSchema } from '../schemas/connection.ts';
import {
  createConnection,
  deleteConnection,
  getConnection,
  listConnectedRepositories,
  listConnections,
  planConnection,
  refreshConnection,
  updateConnection,
} from './connection-operations.ts';

export interface ConnectionServices {
  readonly connectionsOf: (actor: Actor) => Connections;
  readonly planOf: (actor: Actor) => (draft: ConnectionDraft) => Promise<ConnectionPlan>;
  readonly state: Pick<StateStore, 'get' | 'range'>;
}

type ConnectionBody = z.infer<typeof connectionSchema>;

export function registerConnections(api: Api, services: ConnectionServices): void {
  registerRecords(api, services);
  registerWork(api, services);
}

function registerRecords(api: Api, { connectionsOf, state }: ConnectionServices): void {
  api.openapi(listConnections, async (context) => {
    const all = await connectionsOf(actor(context)).list();
    const { data, next_cursor } = paginate(
      all,
      context.req.valid('query'),
      ({ created_at, id }) => `${created_at} ${id}`,
    );
    return context.json({ data: await Promise.all(data.map((record) => show(state, record))), next_cursor }, 200);
  });
  api.openapi(createConnection, async (context) => {
    const record = await connectionsOf(actor(context)).create(draftOf(context.req.valid('json')));
    return context.json(await show(state, record), 201);
  });
  api.openapi(getConnection, async (context) => {
    const record = await connectionsOf(actor(context)).get(context.req.valid('param').id);
    return context.json(await show(state, record), 200);
  });
  api.openapi(updateConnection, async (context) => {
    const patch = patchOf(context.req.valid('json'));
    const record = await connectionsOf(actor(context)).update(context.req.valid('param').id, patch);
    return context.json(await show(state, record), 200);
  });
  api.openapi(deleteConnection, async (context) => {
    const { confirm } = context.req.valid('query');
    const { record, ...rest } = await connectionsOf(actor(context)).remove(context.req.valid('param').id, confirm);
    return context.json({ id: record.id, ...rest }, 200);
  });
}

function registerWork(api: Api, { connectionsOf, planOf, state }: ConnectionServices): void {
  api.openapi(planConnection, async (context) => {
    const { steps, ...plan } = await planOf(actor(context))(draftOf(context.req.valid('json')));
    return context.json({ ...plan, steps: [...steps] }, 200);
  });
  api.openapi(refreshConnection, async (context) => {
    const record = await connectionsOf(actor(context)).refreshSoon(context.req.valid('param').id);
    return context.json(await show(state, record), 200);
  });
  api.openapi(listConnectedRepositories, async (context) => {
    const { id } = await connectionsOf(actor(context)).get(context.req.valid('param').id);
    const { limit, cursor } = context.req.valid('query');
    const prefix = seenPrefix(id);
    const after = cursor === undefined ? {} : { after: `${prefix}${readCursor(cursor)}` };
    // one more than the page says whether there is another
    const entries = await state.range(prefix, { limit: limit + 1, ...after });
    const shown = entries.slice(0, limit);
    const last = entries.length > limit ? shown.at(-1) : undefined;
    const next_cursor = last === undefined ? null : writeCursor(last.key.slice(prefix.length));
    const rows = await Promise.all(shown.map(({ value }) => asItIsNow(state, parseSeen(value))));
    const data = rows.map(connectedRepositoryDocument);
    return context.json({ data: data as z.infer<typeof connectedRepository>[], next_cursor }, 200);
  });
}

/** The cast only drops `readonly` from the lists. */
async function show(state: ConnectionServices['state'], record: ConnectionRecord): Promise<ConnectionBody> {
  return (await readConnection(state, record)) as unknown as ConnectionBody;
}

function draftOf({ credentials, ...draft }: z.infer<typeof connectionDraft>): ConnectionDraft {
  return { ...draft, credentials: credentialsOf(credentials) };
}

function patchOf({ credentials, ...patch }: z.infer<typeof connectionPatch>): ConnectionFields {
  return { ...patch, ...(credentials === undefined ? {} : { credentials: credentialsOf(credentials) }) };
}

function credentialsOf(given: z.infer<typeof connectionDraft>['credentials']): ConnectionCredentials {
  return 'app_id' in given
    ? { kind: 'app', appId: given.app_id, privateKey: new Secret(given.private_key) }
    : { kind: 'token', token: new Secret(given.token), user: given.user };
}
