// The pages that change a connection: its selection, webhooks and intervals, and its credentials.

import type { ConnectionRecord } from '../../../forges/model/connection.ts';
import { Form } from '../../components/form.tsx';
import { PageHead } from '../../components/page-head.tsx';
import type { PageView, SignedInRequest } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import type { FormState } from '../../request/form-fields.ts';
import {
  connectionChanges,
  ConnectionCredentialFields,
  connectionCredentialsOf,
  connectionFieldOf,
  fieldsOfConnection,
  ConnectionSelectionFields,
} from './connection-fields.tsx';
import { repositoriesTrail } from './connection-list.tsx';
import { connectionPath, connectionsFor, type ConnectionPageServices } from './services.ts';

export function registerEditingConnections(pages: Pages, services: ConnectionPageServices): void {
  const recordOf = (request: SignedInRequest): Promise<ConnectionRecord> =>
    connectionsFor(services, request).get(request.param('id'));
  pages.form({
    path: '/connections/:id/edit',
    operation: 'updateConnection',
    fieldOf: connectionFieldOf,
    show: async (request, state) => editView(request, await recordOf(request), state),
    submit: async (request, fields) => {
      const record = await recordOf(request);
      const patch = connectionChanges(record, fields);
      if (patch !== undefined) await connectionsFor(services, request).update(record.id, patch);
      return { to: connectionPath(record), notice: patch === undefined ? 'same' : 'saved' };
    },
  });
  pages.form({
    path: '/connections/:id/credentials',
    operation: 'updateConnection',
    fieldOf: connectionFieldOf,
    show: async (request, state) => credentialsView(request, await recordOf(request), state),
    submit: async (request, fields) => {
      const record = await recordOf(request);
      const credentials = connectionCredentialsOf(fields, record.forge);
      await connectionsFor(services, request).update(record.id, { credentials });
      return { to: connectionPath(record), notice: 'credentials' };
    },
  });
}

function trailOf(record: ConnectionRecord) {
  return [
    ...repositoriesTrail,
    { label: 'Connections', to: '/connections' },
    { label: record.owner, to: connectionPath(record) },
  ];
}

function editView({ asksPassword }: SignedInRequest, record: ConnectionRecord, posted: FormState): PageView {
  const title = `Edit the connection to ${record.owner}`;
  const state = posted.isPosted ? posted : { ...posted, isPosted: true, fields: fieldsOfConnection(record) };
  return {
    title,
    section: 'repositories',
    content: (
      <>
        <PageHead
          title={title}
          sentence="The next refresh begins at once. Registered repositories stay, whatever the filters say."
          trail={trailOf(record)}
        />
        <Form state={state} submit="Save changes" cancel={connectionPath(record)} asksPassword={asksPassword}>
          <ConnectionSelectionFields />
        </Form>
      </>
    ),
  };
}

function credentialsView({ asksPassword }: SignedInRequest, record: ConnectionRecord, posted: FormState): PageView {
  const title = `Replace the credentials of ${record.owner}`;
  // secrets never come back to the browser
  const state = { ...posted, fields: posted.fields.without(['token', 'key']) };
  return {
    title,
    section: 'repositories',
    content: (
      <>
        <PageHead
          title={title}
          sentence="The forge is asked at once whether they are right. Repositories that failed are synced again."
          trail={trailOf(record)}
        />
        <Form state={state} submit="Replace credentials" cancel={connectionPath(record)} asksPassword={asksPassword}>
          <ConnectionCredentialFields forge={record.forge} />
        </Form>
      </>
    ),
  };
}
