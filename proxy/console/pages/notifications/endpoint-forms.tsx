// The forms that make and change an endpoint, and the questions before it is turned on, turned off or removed.

import { useContext, type Child } from 'hono/jsx';
import { RegistryError } from '../../../../build/contract/errors.ts';
import type { MaybeAsync } from '../../../../build/shared/concurrency/maybe-async.ts';
import { actorOf } from '../../../auth/caller.ts';
import { defaultEvents, type EndpointDraft } from '../../../notifications/endpoints/parse-endpoint.ts';
import { endpointForms, formTitles, parseEndpointId, signatureSchemes } from '../../../notifications/model/endpoint.ts';
import { createEndpoint, deleteEndpoint, turnings, updateEndpoint } from '../../../notifications/operations.ts';
import { FormContext, SelectField, TextField } from '../../components/form.tsx';
import type { FormPage, PageOutcome } from '../../frame/definitions.ts';
import { operationForm } from '../../frame/operation-form.tsx';
import type { Pages } from '../../frame/pages.ts';
import { fieldFault, type FormFields } from '../../request/form-fields.ts';
import {
  endpointChanges,
  EndpointNameField,
  EndpointSelectionFields,
  endpointSelectionOf,
  valuesOfEndpoint,
} from './endpoint-fields.tsx';
import { endpointSecretView } from './secret-page.tsx';
import {
  activeTokens,
  endpointOf,
  endpointPath,
  endpointTrail,
  notificationsTrail,
  type NotificationPageServices,
} from './services.ts';

const section = 'notifications';

export function registerEndpointForms(pages: Pages, services: NotificationPageServices): void {
  pages.form(newEndpoint(services));
  pages.form(editedEndpoint(services));
  pages.form(turnedEndpoint(services, 'off'));
  pages.form(turnedEndpoint(services, 'on'));
  pages.form(removedEndpoint(services));
}

function newEndpoint(services: NotificationPageServices): FormPage {
  const form = operationForm(services, createEndpoint, {
    section,
    view: async (request) => ({
      title: 'Create endpoint',
      sentence:
        'The registry sends each chosen event to this address, and tries again for days if it cannot be reached.',
      trail: notificationsTrail,
      submit: 'Create endpoint',
      values: { events: defaultEvents.join('\n') },
      fields: (
        <>
          <IdField newId={services.endpointsOf(actorOf(request.caller)).newId()} />
          <div class="ways stack">
            <PlaceFields />
          </div>
          <EndpointSelectionFields tokens={await activeTokens(services, request)} />
        </>
      ),
    }),
    input: (_request, fields) => draftIn(fields),
    done: (issued) => {
      if (issued === undefined || issued.secret === null)
        return { to: endpointPath({ id: issued?.id ?? '' }), notice: 'made' };
      const sentence = 'The endpoint is made. Send it a test when the receiver is ready.';
      return endpointSecretView({ endpoint: issued, secret: issued.secret, sentence });
    },
  });
  return { ...form, submit: (request, fields) => withoutSecond(fields.text('id'), () => form.submit(request, fields)) };
}

function draftIn(fields: FormFields): EndpointDraft {
  const id = parseEndpointId(fields.text('id'));
  if (id === undefined) throw new RegistryError('BAD_REQUEST', { message: 'This form is incomplete. Open it again.' });
  const url = fields.text('url');
  if (url === '') throw fieldFault('url', 'Enter the address of the receiver.');
  const form = endpointForms.find((one) => one === fields.text('form'));
  if (form === undefined) throw fieldFault('form', 'Choose one of these forms.');
  const asked = signatureSchemes.find((one) => one === fields.text('signature'));
  // the form has the field for every choice
  const signature = form === 'standard' ? asked : undefined;
  return { ...endpointSelectionOf(fields), id, url, form, signature };
}

/** A form that is sent again leads to the endpoint that it made. */
async function withoutSecond(id: string, make: () => MaybeAsync<PageOutcome>): Promise<PageOutcome> {
  try {
    return await make();
  } catch (error) {
    if (error instanceof RegistryError && error.code === 'CONFLICT')
      return { to: endpointPath({ id }), notice: 'made' };
    throw error;
  }
}

const editedEndpoint = (services: NotificationPageServices): FormPage =>
  operationForm(services, updateEndpoint, {
    section,
    of: endpointOf,
    view: async (endpoint, request) => ({
      title: `Edit ${endpoint.name}`,
      sentence: 'The changes count for events from now on. What waits already is sent to the new address, too.',
      trail: endpointTrail(endpoint),
      submit: 'Save changes',
      values: valuesOfEndpoint(endpoint),
      fields: (
        <>
          <EndpointNameField isNew={false} />
          <TextField
            name="url"
            label="New address"
            type="url"
            hint={`Empty: it stays ${endpoint.url}`}
            autocomplete="off"
          />
          <EndpointSelectionFields tokens={await activeTokens(services, request)} view={endpoint.view} />
        </>
      ),
    }),
    input: async (request, fields) => {
      const endpoint = await endpointOf(services, request);
      const patch = endpointChanges(endpoint, fields);
      return patch && { id: endpoint.id, ...patch };
    },
    done: (changed, request) => ({
      to: endpointPath({ id: request.param('id') }),
      notice: changed === undefined ? 'same' : 'saved',
    }),
  });

const removedEndpoint = (services: NotificationPageServices): FormPage =>
  operationForm(services, deleteEndpoint, {
    section,
    of: endpointOf,
    view: (endpoint) => ({
      title: `Remove ${endpoint.name}?`,
      sentence: deleteEndpoint.description,
      trail: endpointTrail(endpoint),
      submit: 'Remove endpoint',
    }),
    done: () => ({ to: '/notifications', notice: 'removed' }),
  });

const turned = {
  on: {
    sentence: 'It is notified of events from now on, and what still waits for it is sent.',
    submit: 'Turn on',
  },
  off: {
    sentence: 'Nothing is sent to it any more, and events of this time are not kept for it.',
    submit: 'Turn off',
  },
};

const turnedEndpoint = (services: NotificationPageServices, to: 'on' | 'off'): FormPage =>
  operationForm(services, turnings[to], {
    section,
    asksNothing: true,
    of: endpointOf,
    view: (endpoint) => ({
      title: `Turn ${to} ${endpoint.name}?`,
      ...turned[to],
      trail: endpointTrail(endpoint),
    }),
    input: (request) => ({ id: request.param('id'), enabled: to === 'on' }),
    done: (_endpoint, request) => ({ to: endpointPath({ id: request.param('id') }), notice: to }),
  });

function IdField({ newId }: { readonly newId: string }): Child {
  const id = parseEndpointId(useContext(FormContext).fields.text('id')) ?? newId;
  return <input type="hidden" name="id" value={id} />;
}

const signatureChoices = [
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
