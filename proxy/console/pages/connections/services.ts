// What the pages about connections need, and small questions that several of them ask.

import type { ConnectionDocument } from '../../../forges/connection-schema.ts';
import { getConnection, type ConnectionServices } from '../../../forges/operations.ts';
import type { SignedInRequest } from '../../frame/definitions.ts';
import { callFor } from '../../frame/operation-form.tsx';

export type ConnectionPageServices = ConnectionServices;

export const repositoriesTrail = [{ label: 'Repositories', to: '/repositories' }];
export const connectionsTrail = [...repositoriesTrail, { label: 'Connections', to: '/connections' }];

/** The connection that the path names. Throws NOT_FOUND. */
export function connectionOf(services: ConnectionServices, request: SignedInRequest): Promise<ConnectionDocument> {
  return callFor(services, request, getConnection, { id: request.param('id') });
}

export function connectionPath({ id }: Pick<ConnectionDocument, 'id'>): string {
  return `/connections/${id}`;
}

export function connectionTrail(connection: ConnectionDocument): readonly { label: string; to: string }[] {
  return [...connectionsTrail, { label: connection.owner, to: connectionPath(connection) }];
}
