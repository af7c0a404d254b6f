// The pages about connections to forges.

import { readConnected } from '../../../forges/model/connected.ts';
import {
  listConnections,
  type ConnectionServices,
  deleteConnection,
  refreshConnection,
  replaceCredentials,
  updateConnection,
} from '../../../forges/operations.ts';
import type { PageView, SignedInRequest, FormPage, PageOutcome } from '../../frame/definitions.ts';
import { callFor, operationForm } from '../../frame/operation-form.tsx';
import type { Pages } from '../../frame/pages.ts';
import { registerAddingConnections } from './add-connection.tsx';
import { connectionList } from './connection-list.tsx';
import { ConnectionPage } from './connection-page.tsx';
import { connectionOf, connectionPath, connectionsTrail, connectionTrail } from './services.ts';
import { formatCount } from '../../components/values.tsx';
import {
  connectionChanges,
  ConnectionCredentialFields,
  connectionCredentialsOf,
  connectionFieldOf,
  ConnectionSelectionFields,
  valuesOfConnection,
  withoutCredentials,
} from './connection-fields.tsx';

const section = 'repositories';

// The forms about a connection: its selection, webhooks and intervals, its credentials, and the questions before a
// refresh and before its removal.

const at = (request: SignedInRequest, notice: string): PageOutcome => ({
  to: connectionPath({ id: request.param('id') }),
  notice,
});

const edited = (services: ConnectionServices): FormPage => ({
  ...operationForm(services, updateConnection, {
    section,
    lists: ['only', 'except', 'subdirectories'],
    of: connectionOf,
    view: (connection) => ({
      title: `Edit the connection to ${connection.owner}`,
      sentence: 'The next refresh begins at once. Registered repositories stay, whatever the filters say.',
      trail: connectionTrail(connection),
      submit: 'Save changes',
      values: valuesOfConnection(connection),
      fields: <ConnectionSelectionFields />,
    }),
    input: async (request, fields) => {
      const connection = await connectionOf(services, request);
      const patch = connectionChanges(connection, fields);
      return patch && { id: connection.id, ...patch };
    },
    done: (connection, request) => at(request, connection === undefined ? 'same' : 'saved'),
  }),
  fieldOf: connectionFieldOf,
});

function credentials(services: ConnectionServices): FormPage {
  const form = operationForm(services, replaceCredentials, {
    section,
    of: connectionOf,
    view: (connection) => ({
      title: `Replace the credentials of ${connection.owner}`,
      sentence: 'The forge is asked at once whether they are right. Repositories that failed are synced again.',
      trail: connectionTrail(connection),
      submit: 'Replace credentials',
      fields: <ConnectionCredentialFields forge={connection.forge} />,
    }),
    input: async (request, fields) => {
      const { id, forge } = await connectionOf(services, request);
      return { id, credentials: connectionCredentialsOf(fields, forge) };
    },
    done: (_connection, request) => at(request, 'credentials'),
  });
  return {
    ...form,
    fieldOf: connectionFieldOf,
    show: (request, state) => form.show(request, withoutCredentials(state)),
  };
}

const refreshed = (services: ConnectionServices): FormPage =>
  operationForm(services, refreshConnection, {
    section,
    of: connectionOf,
    view: (connection) => ({
      title: `Refresh ${connection.owner}?`,
      sentence: 'The registry asks the forge for new, renamed, archived and removed repositories.',
      trail: connectionsTrail,
      submit: 'Refresh now',
      cancel: connectionPath(connection),
    }),
    done: (_connection, request) => at(request, 'refreshing'),
  });

const removed = (services: ConnectionServices): FormPage =>
  operationForm(services, deleteConnection, {
    section,
    view: async (request) => {
      const connection = await connectionOf(services, request);
      const { registered, archived, removed: missing } = connection.counts;
      const count = registered + archived + missing;
      return {
        title: `Remove the connection to ${connection.owner}?`,
        sentence:
          `Its credentials are deleted. ${formatCount(count, 'repository', 'repositories')} ` +
          `${count === 1 ? 'stays' : 'stay'} registered and published, but private ones cannot be read any more.` +
          (connection.hooks_at === 'owner' ? " The owner's webhook at the forge is removed." : ''),
        trail: connectionsTrail,
        submit: 'Remove connection',
        cancel: connectionPath(connection),
      };
    },
    input: (request) => ({ id: request.param('id'), confirm: request.param('id') }),
    done: (answer) => ({ to: '/connections', notice: answer?.webhook === 'stays' ? 'webhook-stays' : 'removed' }),
  });

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
  for (const form of [edited, credentials, refreshed, removed]) pages.form(form(services));
}

async function showList(services: ConnectionServices, request: SignedInRequest): Promise<PageView> {
  const { data: rows } = await callFor(services, request, listConnections, { limit: Infinity });
  return connectionList(rows, request.may('createConnection'), request.hasBuilder);
}

async function showOne(services: ConnectionServices, request: SignedInRequest): Promise<PageView> {
  const connection = await connectionOf(services, request);
  const repositories = await readConnected(services.state, connection.id);
  const page = Math.max(1, Math.trunc(Number(request.query.get('page') ?? 1)) || 1);
  return {
    title: connection.owner,
    section: 'repositories',
    ...(connection.status === 'refreshing' || connection.status === 'pending' ? { refreshSeconds } : {}),
    content: <ConnectionPage connection={connection} repositories={repositories} page={page} />,
  };
}
