// The forms about a connection: its selection, webhooks and intervals, its credentials, and the questions before a
// refresh and before its removal.

import {
  deleteConnection,
  refreshConnection,
  replaceCredentials,
  updateConnection,
  type ConnectionServices,
} from '../../../forges/operations.ts';
import { formatCount } from '../../components/quantity.ts';
import type { FormPage, PageOutcome, SignedInRequest } from '../../frame/definitions.ts';
import { operationForm } from '../../frame/operation-form.tsx';
import type { Pages } from '../../frame/pages.ts';
import {
  connectionChanges,
  ConnectionCredentialFields,
  connectionCredentialsOf,
  connectionFieldOf,
  ConnectionSelectionFields,
  valuesOfConnection,
  withoutCredentials,
} from './connection-fields.tsx';
import { connectionOf, connectionPath, connectionsTrail, connectionTrail } from './services.ts';

const section = 'repositories';

export function registerConnectionForms(pages: Pages, services: ConnectionServices): void {
  for (const form of [edited, credentials, refreshed, removed]) pages.form(form(services));
}

const at = (request: SignedInRequest, notice: string): PageOutcome => ({
  to: connectionPath({ id: request.param('id') }),
  notice,
});

const edited = (services: ConnectionServices): FormPage => ({
  ...operationForm(services, updateConnection, {
    section,
    lists: ['only', 'except', 'subdirectories'],
    view: async (request) => {
      const connection = await connectionOf(services, request);
      return {
        title: `Edit the connection to ${connection.owner}`,
        sentence: 'The next refresh begins at once. Registered repositories stay, whatever the filters say.',
        trail: connectionTrail(connection),
        submit: 'Save changes',
        cancel: connectionPath(connection),
        values: valuesOfConnection(connection),
        fields: <ConnectionSelectionFields />,
      };
    },
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
    view: async (request) => {
      const connection = await connectionOf(services, request);
      return {
        title: `Replace the credentials of ${connection.owner}`,
        sentence: 'The forge is asked at once whether they are right. Repositories that failed are synced again.',
        trail: connectionTrail(connection),
        submit: 'Replace credentials',
        cancel: connectionPath(connection),
        fields: <ConnectionCredentialFields forge={connection.forge} />,
      };
    },
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
    view: async (request) => {
      const connection = await connectionOf(services, request);
      return {
        title: `Refresh ${connection.owner}?`,
        sentence: 'The registry asks the forge for new, renamed, archived and removed repositories.',
        trail: connectionsTrail,
        submit: 'Refresh now',
        cancel: connectionPath(connection),
      };
    },
    input: (request) => ({ id: request.param('id') }),
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
