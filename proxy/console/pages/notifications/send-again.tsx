// Sending: a test, one delivery again, and all deliveries of a time again.

import { actorOf } from '../../../auth/caller.ts';
import { Form, TextField } from '../../components/form.tsx';
import { PageHead } from '../../components/page-head.tsx';
import type { PageView, SignedInRequest } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import { fieldFault, type FormFields, type FormState } from '../../request/form-fields.ts';
import { endpointQuestionView } from './endpoint-questions.tsx';
import { endpointOf, endpointPath, endpointTrail, type NotificationPageServices } from './services.ts';

export function registerSendingAgain(pages: Pages, services: NotificationPageServices): void {
  registerTest(pages, services);
  registerOneAgain(pages, services);
  pages.form({
    path: '/notifications/:id/replay',
    operation: 'replayNotifications',
    show: (request, state) => rangeView(services, request, state),
    submit: async (request, fields) => {
      const record = await endpointOf(services, request);
      const range = { sinceMs: momentIn(fields, 'since') ?? 0, untilMs: momentIn(fields, 'until') };
      const count = await services.replayOf(actorOf(request.caller))(record.id, range);
      if (count === 0) throw fieldFault('since', 'No delivery of this time is kept.');
      return { to: endpointPath(record), notice: 'again' };
    },
  });
}

function registerTest(pages: Pages, services: NotificationPageServices): void {
  pages.form({
    path: '/notifications/:id/test',
    operation: 'testEndpoint',
    show: async (request, state) => {
      const record = await endpointOf(services, request);
      return endpointQuestionView(state, {
        record,
        title: `Send a test to ${record.name}?`,
        sentence: 'The registry sends one event that says that it is a test, and shows how it went.',
        submit: 'Send a test',
      });
    },
    submit: async (request) => {
      const { event, endpoint } = await services.testEndpoint(request.param('id'));
      return { to: `${endpointPath({ id: endpoint })}?tested=${event.id}` };
    },
  });
}

function registerOneAgain(pages: Pages, services: NotificationPageServices): void {
  pages.form({
    path: '/notifications/:id/deliveries/:event/replay',
    operation: 'replayNotifications',
    show: async (request, state) => {
      const record = await endpointOf(services, request);
      return endpointQuestionView(state, {
        record,
        title: 'Send this notification again?',
        sentence: 'It is sent with the same id, so that the receiver can tell that it is not a new one.',
        submit: 'Send again',
      });
    },
    submit: async (request) => {
      const record = await endpointOf(services, request);
      await services.replayOf(actorOf(request.caller))(record.id, { event: request.param('event') });
      return { to: endpointPath(record), notice: 'again' };
    },
  });
}

/** Epoch milliseconds; undefined: the field is empty. Throws INVALID_INPUT. */
function momentIn(fields: FormFields, name: 'since' | 'until'): number | undefined {
  const text = fields.optional(name);
  if (text === undefined) {
    if (name === 'since') throw fieldFault('since', 'Enter a time.');
    return undefined;
  }
  const ms = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?$/.test(text) ? Date.parse(`${text}Z`) : Number.NaN;
  if (Number.isNaN(ms)) throw fieldFault(name, 'Must be a day and a time, such as 2026-11-24T13:00.');
  return ms;
}

async function rangeView(
  services: NotificationPageServices,
  request: SignedInRequest,
  state: FormState,
): Promise<PageView> {
  const record = await endpointOf(services, request);
  const title = 'Send again since a time';
  const yesterday = new Date(request.nowMs - 86_400_000).toISOString().slice(0, 16);
  return {
    title,
    section: 'notifications',
    content: (
      <>
        <PageHead
          title={title}
          sentence="Every kept notification of this time is sent once more, with the same ids."
          trail={endpointTrail(record)}
        />
        <Form state={state} submit="Send them again" cancel={endpointPath(record)}>
          <div class="side-by-side">
            <TextField name="since" label="Since" type="datetime-local" hint="In UTC." value={yesterday} required />
            <TextField name="until" label="Until" type="datetime-local" hint="In UTC. Empty: until now." />
          </div>
        </Form>
      </>
    ),
  };
}
