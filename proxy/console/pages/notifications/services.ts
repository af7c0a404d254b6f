// What the pages about notifications need, and small questions that several of them ask.

import { actorOf } from '../../../auth/caller.ts';
import { tokenStatus, type TokenRecord } from '../../../core/tokens/token.ts';
import type { Tokens } from '../../../auth/tokens.ts';
import type { EndpointDocument } from '../../../notifications/endpoints/endpoint-schema.ts';
import { getEndpoint, type EndpointServices } from '../../../notifications/operations.ts';
import type { Actor } from '../../../state/audit.ts';
import type { SignedInRequest } from '../../frame/definitions.ts';
import { callFor } from '../../frame/operation-form.tsx';

export interface NotificationPageServices extends EndpointServices {
  readonly tokensOf: (actor: Actor) => Pick<Tokens, 'list'>;
}

export const notificationsTrail = [{ label: 'Notifications', to: '/notifications' }];

/** The endpoint that the path names. Throws NOT_FOUND. */
export function endpointOf(services: NotificationPageServices, request: SignedInRequest): Promise<EndpointDocument> {
  return callFor(services, request, getEndpoint, { id: request.param('id') });
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

export function endpointPath({ id }: { readonly id: string }): string {
  return `/notifications/${id}`;
}

export function endpointTrail(endpoint: Pick<EndpointDocument, 'id' | 'name'>): readonly {
  label: string;
  to: string;
}[] {
  return [...notificationsTrail, { label: endpoint.name, to: endpointPath(endpoint) }];
}
