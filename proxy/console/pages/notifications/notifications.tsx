// The pages about notifications: endpoints, their secrets, tests, and what was sent to them, which can be sent again.

import type { DeliveryDocument, EndpointDocument } from '../../../notifications/endpoints/endpoint-schema.ts';
import {
  listEndpoints,
  listNotificationDeliveries,
  rotateEndpointSecret,
  replayNotifications,
  testEndpoint,
} from '../../../notifications/operations.ts';
import type { PageView, SignedInRequest, FormPage } from '../../frame/definitions.ts';
import { callFor, operationForm } from '../../frame/operation-form.tsx';
import type { Pages } from '../../frame/pages.ts';
import { registerEndpointForms } from './endpoint-forms.tsx';
import { endpointList } from './endpoint-list.tsx';
import { EndpointPage } from './endpoint-page.tsx';
import { endpointOf, endpointPath, type NotificationPageServices, endpointTrail } from './services.ts';
import { CheckField, TextField } from '../../components/form.tsx';
import { fieldFault, type FormFields } from '../../request/form-fields.ts';
import { endpointSecretView } from './secret-page.tsx';

const section = 'notifications';

const publicKeySentence = 'The receiver verifies with its public key, which the page of the endpoint shows.';

/** A form that was sent already, or that another one overtook, changes nothing. */
function newSecret(services: NotificationPageServices): FormPage {
  const form = operationForm(services, rotateEndpointSecret, {
    section,
    view: async (request) => secretQuestion(await endpointOf(services, request)),
    input: async (request, fields) => {
      const { id, secrets } = await endpointOf(services, request);
      return fields.text('current') === (secrets[0]?.id ?? '')
        ? { id, drop_old: fields.checked('drop_old') }
        : undefined;
    },
    done: (issued, request) => {
      if (issued === undefined || issued.secret === null)
        return { to: endpointPath({ id: request.param('id') }), notice: 'overtaken' };
      const made = `The endpoint has a new ${issued.signature === 'v1a' ? 'key' : 'secret'}.`;
      const sentence = `${made} The former one ${issued.secrets.length === 1 ? 'has ended' : 'signs too, for a day'}.`;
      return endpointSecretView({ endpoint: issued, secret: issued.secret, sentence });
    },
  });
  return {
    ...form,
    show: async (request, state) => {
      const { id, secrets } = await endpointOf(services, request);
      return secrets.length === 0 ? { to: endpointPath({ id }) } : form.show(request, state);
    },
  };
}

function secretQuestion(endpoint: EndpointDocument) {
  const isPublic = endpoint.signature === 'v1a';
  return {
    title: `A new ${isPublic ? 'key' : 'secret'} for ${endpoint.name}?`,
    sentence: isPublic ? publicKeySentence : 'The next page shows it, once. Enter it at the receiver.',
    trail: endpointTrail(endpoint),
    submit: isPublic ? 'Create key' : 'Create secret',
    fields: (
      <>
        <input type="hidden" name="current" value={endpoint.secrets[0]?.id} />
        <CheckField
          name="drop_old"
          label={`The former ${isPublic ? 'key' : 'secret'} ends at once`}
          hint="Otherwise both sign each request for a day, so that the receiver can change to the new one."
        />
      </>
    ),
  };
}

const test = (services: NotificationPageServices): FormPage =>
  operationForm(services, testEndpoint, {
    section,
    of: endpointOf,
    view: (endpoint) => ({
      title: `Send a test to ${endpoint.name}?`,
      sentence: 'The registry sends one event that says that it is a test, and shows how it went.',
      trail: endpointTrail(endpoint),
      submit: 'Send a test',
    }),
    done: (delivery, request) => ({ to: `${endpointPath({ id: request.param('id') })}?tested=${delivery?.id}` }),
  });

const oneAgain = (services: NotificationPageServices): FormPage =>
  operationForm(
    services,
    { ...replayNotifications, form: '/notifications/:id/deliveries/:event/replay' },
    {
      section,
      of: endpointOf,
      view: (endpoint) => ({
        title: 'Send this notification again?',
        sentence: 'It is sent with the same id, so that the receiver can tell that it is not a new one.',
        trail: endpointTrail(endpoint),
        submit: 'Send again',
      }),
      input: (request) => ({ id: request.param('id'), event: request.param('event') }),
      done: (_replayed, request) => ({ to: endpointPath({ id: request.param('id') }), notice: 'again' }),
    },
  );

const allAgain = (services: NotificationPageServices): FormPage =>
  operationForm(services, replayNotifications, {
    section,
    view: async (request) => {
      const endpoint = await endpointOf(services, request);
      const yesterday = new Date(request.nowMs - 86_400_000).toISOString().slice(0, 16);
      return {
        title: 'Send again since a time',
        sentence: 'Every kept notification of this time is sent once more, with the same ids.',
        trail: endpointTrail(endpoint),
        submit: 'Send them again',
        fields: (
          <div class="side-by-side">
            <TextField name="since" label="Since" type="datetime-local" hint="In UTC." value={yesterday} required />
            <TextField name="until" label="Until" type="datetime-local" hint="In UTC. Empty: until now." />
          </div>
        ),
      };
    },
    input: (request, fields) => {
      const since = momentIn(fields, 'since');
      if (since === undefined) throw fieldFault('since', 'Enter a time.');
      return { id: request.param('id'), since, until: momentIn(fields, 'until') };
    },
    done: (replayed, request) => {
      if (replayed?.deliveries === 0) throw fieldFault('since', 'No delivery of this time is kept.');
      return { to: endpointPath({ id: request.param('id') }), notice: 'again' };
    },
  });

/** undefined: the field is empty. Throws INVALID_INPUT. */
function momentIn(fields: FormFields, name: 'since' | 'until'): string | undefined {
  const text = fields.optional(name);
  if (text === undefined) return undefined;
  const ms = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?$/.test(text) ? Date.parse(`${text}Z`) : Number.NaN;
  if (Number.isNaN(ms)) throw fieldFault(name, 'Must be a day and a time, such as 2026-11-24T13:00.');
  return new Date(ms).toISOString();
}

const perPage = 20;
/** Seconds between two looks at a delivery that is due. */
const refreshSeconds = 3;

export function registerNotificationPages(pages: Pages, services: NotificationPageServices): void {
  pages.page({
    path: '/notifications',
    operation: 'listEndpoints',
    notices: { removed: 'The endpoint is removed, with its secrets and its deliveries.' },
    show: (request) => showList(services, request),
  });
  registerEndpointForms(pages, services);
  pages.page({
    path: '/notifications/:id',
    operation: 'getEndpoint',
    notices: {
      made: 'The endpoint is made. Send it a test.',
      saved: 'The changes are saved.',
      same: 'Nothing was changed.',
      overtaken: 'The endpoint got another secret already, so this form changed nothing.',
      on: 'The endpoint is on. It is notified of events from now on.',
      off: 'The endpoint is off.',
      again: 'It is sent again. The attempt begins within seconds.',
    },
    show: (request) => showOne(services, request),
  });
  for (const form of [newSecret, test, oneAgain, allAgain]) pages.form(form(services));
}

async function showList(services: NotificationPageServices, request: SignedInRequest): Promise<PageView> {
  const { data: rows } = await callFor(services, request, listEndpoints, { limit: Infinity });
  return endpointList(rows, request.hasBuilder);
}

async function showOne(services: NotificationPageServices, request: SignedInRequest): Promise<PageView> {
  const { query, nowMs } = request;
  const cursor = query.get('before') ?? undefined;
  const endpoint = await endpointOf(services, request);
  const { data: deliveries, next_cursor: next } = await callFor(services, request, listNotificationDeliveries, {
    id: endpoint.id,
    limit: perPage,
    cursor,
  });
  const isSending = endpoint.enabled && endpoint.paused_until === null;
  const refreshing = isSending && deliveries.some((one) => isDue(one, nowMs)) ? { refreshSeconds } : {};
  return {
    title: endpoint.name,
    section: 'notifications',
    ...refreshing,
    content: (
      <EndpointPage
        {...{ endpoint, deliveries, next }}
        path={endpointPath(endpoint)}
        isFirst={cursor === undefined}
        refreshSeconds={refreshing.refreshSeconds}
        tested={deliveries.find(({ id }) => id === query.get('tested'))}
      />
    ),
  };
}

function isDue({ state, next_at: next }: DeliveryDocument, nowMs: number): boolean {
  return state === 'pending' && next !== null && Date.parse(next) <= nowMs + refreshSeconds * 1000;
}
