// The page that makes an endpoint. The answer shows its secret, because after a redirect it could not be shown.

import { RegistryError } from '../../../../build/contract/errors.ts';
import {
  endpointForms,
  formTitles,
  parseEndpointId,
  signatureSchemes,
  type EndpointRecord,
} from '../../../notifications/model/endpoint.ts';
import { Form, SelectField, TextField } from '../../components/form.tsx';
import { PageHead } from '../../components/page-head.tsx';
import type { PageOutcome, PageView, SignedInRequest } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import { fieldFault, type FormFields, type FormState } from '../../request/form-fields.ts';
import { EndpointNameField, EndpointSelectionFields, endpointSelectionOf } from './endpoint-fields.tsx';
import { endpointSecretView } from './secret-page.tsx';
import {
  activeTokens,
  endpointPath,
  endpointsFor,
  notificationsTrail,
  type NotificationPageServices,
} from './services.ts';

export function registerMakingEndpoints(pages: Pages, services: NotificationPageServices): void {
  pages.form({
    path: '/notifications/new',
    operation: 'createEndpoint',
    show: (request, state) => newView(services, request, state),
    submit: (request, fields) => create(services, request, fields),
  });
}

/** The form names the id of its endpoint, so that a reload of the page with the secret makes no second one. */
async function create(
  services: NotificationPageServices,
  request: SignedInRequest,
  fields: FormFields,
): Promise<PageOutcome> {
  const id = parseEndpointId(fields.text('id'));
  if (id === undefined) throw new RegistryError('BAD_REQUEST', { message: 'This form is incomplete. Open it again.' });
  const form = endpointForms.find((one) => one === fields.text('form'));
  if (form === undefined) throw fieldFault('form', 'Choose one of these forms.');
  const asked = signatureSchemes.find((one) => one === fields.text('signature'));
  try {
    // the form has the field for every choice
    const signature = form === 'standard' ? asked : undefined;
    const draft = { ...endpointSelectionOf(fields), id, form, signature, url: addressIn(fields) };
    const { record, secret } = await endpointsFor(services, request).create(draft);
    if (secret === undefined) return { to: endpointPath(record), notice: 'made' };
    return endpointSecretView({
      record,
      secret,
      sentence: 'The endpoint is made. Send it a test when the receiver is ready.',
    });
  } catch (error) {
    if (error instanceof RegistryError && error.code === 'CONFLICT')
      return { to: endpointPath({ id }), notice: 'made' };
    throw atAddressField(error);
  }
}

function addressIn(fields: FormFields): string {
  const url = fields.text('url');
  if (url === '') throw fieldFault('url', 'Enter the address of the receiver.');
  return url;
}

/** The guard of addresses names no field. */
export function atAddressField(error: unknown): unknown {
  return error instanceof RegistryError && error.code === 'EGRESS_DENIED' ? fieldFault('url', error.message) : error;
}

async function newView(
  services: NotificationPageServices,
  request: SignedInRequest,
  posted: FormState,
): Promise<PageView> {
  const tokens = await activeTokens(services, request);
  const id = parseEndpointId(posted.fields.text('id')) ?? endpointsFor(services, request).newId();
  return {
    title: 'New endpoint',
    section: 'notifications',
    content: (
      <>
        <PageHead
          title="New endpoint"
          sentence="The registry sends each chosen event to this address, and tries again for days if it cannot be reached."
          trail={notificationsTrail}
        />
        <Form state={posted} submit="Make the endpoint" cancel="/notifications" asksPassword={request.asksPassword}>
          <input type="hidden" name="id" value={id} />
          <div class="ways stack">
            <PlaceFields />
          </div>
          <EndpointSelectionFields tokens={tokens} />
        </Form>
      </>
    ),
  };
}

const signatureChoices: readonly { readonly value: EndpointRecord['scheme']; readonly label: string }[] = [
  { value: 'v1', label: 'v1: HMAC-SHA256 with a shared secret' },
  { value: 'v1a', label: 'v1a: ed25519 with a public key' },
];

function PlaceFields() {
  return (
    <>
      <EndpointNameField isNew />
      <SelectField
        name="form"
        label="Form"
        hint="A message for a chat service, or JSON for a program."
        choices={endpointForms.map((value) => ({ value, label: formTitles[value] }))}
      />
      <TextField
        name="url"
        label="Address"
        type="url"
        hint="Where the receiver listens. Of a chat service: the address of its incoming webhook."
        autocomplete="off"
        required
      />
      <div data-for="standard">
        <SelectField
          name="signature"
          label="Signature"
          hint="Every library verifies v1. With v1a, the receiver holds no secret."
          choices={signatureChoices}
        />
      </div>
    </>
  );
}
