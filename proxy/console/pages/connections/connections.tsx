// The pages about connections to forges.

import { readConnected } from '../../../forges/model/connected.ts';
import { listConnections, type ConnectionServices } from '../../../forges/operations.ts';
import type { PageView, SignedInRequest } from '../../frame/definitions.ts';
import { callFor } from '../../frame/operation-form.tsx';
import type { Pages } from '../../frame/pages.ts';
import { registerAddingConnections } from './add-connection.tsx';
import { registerConnectionForms } from './connection-forms.tsx';
import { ConnectionList } from './connection-list.tsx';
import { ConnectionPage } from './connection-page.tsx';
import { connectionOf } from './services.ts';

/** Seconds between two looks of a browser without JavaScript. */
const refreshSeconds = 5;

export function registerConnectionPages(pages: Pages, services: ConnectionServices): void {
  pages.page({
    path: '/connections',
    operation: 'listConnections',
    notices: {
      removed: 'The connection is removed. Its repositories stay registered.',
      'webhook-stays':
        'The connection is removed. Its webhook stays at the forge, because it could not be removed with the ' +
        'credentials: remove it there.',
    },
    show: (request) => showList(services, request),
  });
  registerAddingConnections(pages, services);
  pages.page({
    path: '/connections/:id',
    operation: 'getConnection',
    notices: {
      connected: 'The owner is connected. Its repositories appear within seconds.',
      refreshing: 'The refresh begins within seconds.',
      saved: 'The changes are saved. The next refresh begins within seconds.',
      same: 'Nothing was changed.',
      credentials: 'The credentials are replaced. Repositories that failed are synced again.',
    },
    show: (request) => showOne(services, request),
  });
  registerConnectionForms(pages, services);
}

async function showList(services: ConnectionServices, request: SignedInRequest): Promise<PageView> {
  const { data: rows } = await callFor(services, request, listConnections, { limit: Infinity });
  return {
    title: 'Connections',
    section: 'repositories',
    content: (
      <ConnectionList
        rows={rows}
        mayAdd={request.may('createConnection')}
        hasBuilder={request.hasBuilder}
        nowMs={request.nowMs}
      />
    ),
  };
}

async function showOne(services: ConnectionServices, request: SignedInRequest): Promise<PageView> {
  const connection = await connectionOf(services, request);
  const repositories = await readConnected(services.state, connection.id);
  const page = Math.max(1, Math.trunc(Number(request.query.get('page') ?? 1)) || 1);
  return {
    title: connection.owner,
    section: 'repositories',
    ...(connection.status === 'refreshing' || connection.status === 'pending' ? { refreshSeconds } : {}),
    content: <ConnectionPage connection={connection} repositories={repositories} page={page} nowMs={request.nowMs} />,
  };
}
