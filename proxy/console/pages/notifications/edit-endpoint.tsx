// The page that changes an endpoint.

import type { EndpointRecord } from '../../../notifications/model/endpoint.ts';
import { Form, TextField } from '../../components/form.tsx';
import { PageHead } from '../../components/page-head.tsx';
import type { PageOutcome, PageView, SignedInRequest } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import type { FormFields, FormState } from '../../request/form-fields.ts';
import { endpointChanges, fieldsOfEndpoint, EndpointNameField, EndpointSelectionFields } from './endpoint-fields.tsx';
import { atAddressField } from './new-endpoint.tsx';
import {
  activeTokens,
  endpointOf,
  endpointPath,
  endpointsFor,
  endpointTrail,
  type NotificationPageServices,
} from './services.ts';

export function registerEditingEndpoints(pages: Pages, services: NotificationPageServices): void {
  pages.form({
    path: '/notifications/:id/edit',
    operation: 'updateEndpoint',
    show: async (request, state) => editView(services, request, await endpointOf(services, request), state),
    submit: (request, fields) => update(services, request, fields),
  });
}

async function update(
  services: NotificationPageServices,
  request: SignedInRequest,
  fields: FormFields,
): Promise<PageOutcome> {
  const record = await endpointOf(services, request);
  const patch = endpointChanges(record, fields);
  if (patch === undefined) return { to: endpointPath(record), notice: 'same' };
  try {
    await endpointsFor(services, request).update(record.id, patch);
  } catch (error) {
    throw atAddressField(error);
  }
  return { to: endpointPath(record), notice: 'saved' };
}

async function editView(
  services: NotificationPageServices,
  request: SignedInRequest,
  record: EndpointRecord,
  posted: FormState,
): Promise<PageView> {
  const tokens = await activeTokens(services, request);
  const title = `Edit ${record.name}`;
  const state = posted.isPosted ? posted : { ...posted, isPosted: true, fields: fieldsOfEndpoint(record) };
  return {
    title,
    section: 'notifications',
    content: (
      <>
        <PageHead
          title={title}
          sentence="The changes count for events from now on. What waits already is sent to the new address, too."
          trail={endpointTrail(record)}
        />
        <Form state={state} submit="Save changes" cancel={endpointPath(record)} asksPassword={request.asksPassword}>
          <EndpointNameField isNew={false} />
          <TextField
            name="url"
            label="New address"
            type="url"
            hint={`Empty: it stays ${record.shown_url}`}
            autocomplete="off"
          />
          <EndpointSelectionFields tokens={tokens} view={record.view} />
        </Form>
      </>
    ),
  };
}
