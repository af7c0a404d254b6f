// What the pages about notifications need, and small questions that several of them ask.

import { actorOf } from '../../../auth/caller.ts';
import { tokenStatus, type TokenRecord } from '../../../core/tokens/token.ts';
import type { Tokens } from '../../../auth/tokens.ts';
import type { ReplayRange } from '../../../notifications/deliveries/list-deliveries.ts';
import { endpointDocument, type EndpointDocument } from '../../../notifications/endpoints/endpoint-document.ts';
import type { Endpoints } from '../../../notifications/endpoints/endpoints.ts';
import type { DeliveryRecord } from '../../../notifications/model/delivery.ts';
import type { EndpointId, EndpointRecord } from '../../../notifications/model/endpoint.ts';
import type { Actor } from '../../../state/audit.ts';
import type { StateStore } from '../../../core/state/state-store.ts';
import type { SignedInRequest } from '../../frame/definitions.ts';

export interface NotificationPageServices {
  readonly endpointsOf: (actor: Actor) => Endpoints;
  readonly replayOf: (actor: Actor) => (endpoint: string, range: ReplayRange) => Promise<number>;
  readonly testEndpoint: (id: string) => Promise<DeliveryRecord>;
  readonly tokensOf: (actor: Actor) => Pick<Tokens, 'list'>;
  readonly state: Pick<StateStore, 'get' | 'range'>;
}

export const notificationsTrail = [{ label: 'Notifications', to: '/notifications' }];

/** The endpoints on behalf of this visitor. */
export function endpointsFor({ endpointsOf }: NotificationPageServices, { caller }: SignedInRequest): Endpoints {
  return endpointsOf(actorOf(caller));
}

/** The endpoint that the path names. Throws NOT_FOUND. */
export function endpointOf(services: NotificationPageServices, request: SignedInRequest): Promise<EndpointRecord> {
  return endpointsFor(services, request).get(request.param('id'));
}

export function readEndpointDocument(
  { state }: NotificationPageServices,
  record: EndpointRecord,
  { nowMs }: SignedInRequest,
): Promise<EndpointDocument> {
  return endpointDocument(state, record, nowMs);
}

/** The tokens whose view an endpoint can have, oldest first. */
export async function activeTokens(
  { tokensOf }: NotificationPageServices,
  { caller, nowMs }: SignedInRequest,
): Promise<readonly TokenRecord[]> {
  return (await tokensOf(actorOf(caller)).list()).filter(
    (token) => token.person === undefined && tokenStatus(token, nowMs) === 'active',
  );
}

export function endpointPath({ id }: { readonly id: EndpointId }): string {
  return `/notifications/${id}`;
}

export function endpointTrail(record: Pick<EndpointRecord, 'id' | 'name'>): readonly { label: string; to: string }[] {
  return [...notificationsTrail, { label: record.name, to: endpointPath(record) }];
}
