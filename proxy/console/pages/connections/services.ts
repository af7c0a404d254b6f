// What the pages about connections need.

import { actorOf } from '../../../auth/caller.ts';
import type { Connections } from '../../../forges/connections.ts';
import type { ConnectionRecord } from '../../../forges/model/connection.ts';
import type { ConnectionDraft } from '../../../forges/parse-connection.ts';
import type { ConnectionPlan } from '../../../forges/plan-connection.ts';
import type { Actor } from '../../../state/audit.ts';
import type { StateStore } from '../../../core/state/state-store.ts';
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

export function connectionPath({ id }: Pick<ConnectionRecord, 'id'>): string {
  return `/connections/${id}`;
}
