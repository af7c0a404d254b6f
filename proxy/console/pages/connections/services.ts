// What the pages about connections need, and how they read a connection with its repositories.

import { actorOf } from '../../../auth/caller.ts';
import { connectionDocument, type ConnectionDocument } from '../../../forges/connection-document.ts';
import type { Connections } from '../../../forges/connections.ts';
import type { ConnectionRecord } from '../../../forges/model/connection.ts';
import { parseSeen, seenPrefix, type SeenRepository } from '../../../forges/model/forge-repository.ts';
import { readProgress } from '../../../forges/model/read-progress.ts';
import type { ConnectionDraft } from '../../../forges/parse-connection.ts';
import type { ConnectionPlan } from '../../../forges/plan-connection.ts';
import type { Actor } from '../../../state/audit.ts';
import type { StateStore } from '../../../state/state-store.ts';
import type { SignedInRequest } from '../../frame/definitions.ts';

export interface ConnectionPageServices {
  readonly connectionsOf: (actor: Actor) => Connections;
  readonly planOf: (actor: Actor) => (draft: ConnectionDraft) => Promise<ConnectionPlan>;
  readonly state: Pick<StateStore, 'get' | 'range'>;
}

/** The connections on behalf of this visitor. */
export function connectionsFor({ connectionsOf }: ConnectionPageServices, { caller }: SignedInRequest): Connections {
  return connectionsOf(actorOf(caller));
}

export async function readDocument(
  { state }: ConnectionPageServices,
  record: ConnectionRecord,
): Promise<ConnectionDocument> {
  return connectionDocument(record, await readProgress(state, record.id));
}

/** By name: those that need a person first, then the registered ones, then the rest. */
export async function readConnected(
  { state }: ConnectionPageServices,
  { id }: ConnectionRecord,
): Promise<readonly SeenRepository[]> {
  const order = ['removed', 'archived', 'registered', 'skipped'];
  const all = (await state.range(seenPrefix(id))).map(({ value }) => parseSeen(value));
  const keyOf = ({ state: where, path }: SeenRepository): string => `${order.indexOf(where)} ${path}`;
  return all.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
}

export function connectionPath({ id }: Pick<ConnectionRecord, 'id'>): string {
  return `/connections/${id}`;
}
