// The questions before an endpoint is turned on, turned off or removed.

import type { EndpointRecord } from '../../../notifications/model/endpoint.ts';
import { Form } from '../../components/form.tsx';
import { PageHead } from '../../components/page-head.tsx';
import type { PageView } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import type { FormState } from '../../request/form-fields.ts';
import { endpointOf, endpointPath, endpointsFor, endpointTrail, type NotificationPageServices } from './services.ts';

interface Question {
  readonly record: EndpointRecord;
  readonly title: string;
  /** what will happen */
  readonly sentence: string;
  /** the words on the button */
  readonly submit: string;
  readonly isDanger?: boolean;
  /** true: the form asks for the visitor's password */
  readonly asksPassword?: boolean;
}

export function endpointQuestionView(state: FormState, question: Question): PageView {
  const { record, title, sentence, submit, isDanger = false, asksPassword = false } = question;
  return {
    title,
    section: 'notifications',
    content: (
      <>
        <PageHead title={title} sentence={sentence} trail={endpointTrail(record)} />
        <Form {...{ state, submit, isDanger, asksPassword }} cancel={endpointPath(record)} />
      </>
    ),
  };
}

export function registerEndpointQuestions(pages: Pages, services: NotificationPageServices): void {
  registerTurning(pages, services, 'off');
  registerTurning(pages, services, 'on');
  pages.form({
    path: '/notifications/:id/remove',
    operation: 'deleteEndpoint',
    show: async (request, state) => {
      const record = await endpointOf(services, request);
      return endpointQuestionView(state, {
        record,
        title: `Remove ${record.name}?`,
        sentence: 'Its secrets and its deliveries are removed with it. What still waits is not sent.',
        submit: 'Remove endpoint',
        isDanger: true,
        asksPassword: request.asksPassword,
      });
    },
    submit: async (request) => {
      await endpointsFor(services, request).remove(request.param('id'));
      return { to: '/notifications', notice: 'removed' };
    },
  });
}

const turnings = {
  on: {
    sentence: 'It is notified of events from now on, and what still waits for it is sent.',
    submit: 'Turn on',
  },
  off: {
    sentence: 'Nothing is sent to it any more, and events of this time are not kept for it.',
    submit: 'Turn off',
  },
};

function registerTurning(pages: Pages, services: NotificationPageServices, to: 'on' | 'off'): void {
  pages.form({
    path: `/notifications/:id/${to}`,
    operation: 'updateEndpoint',
    asksNothing: true,
    show: async (request, state) => {
      const record = await endpointOf(services, request);
      return endpointQuestionView(state, { record, title: `Turn ${to} ${record.name}?`, ...turnings[to] });
    },
    submit: async (request) => {
      const { id } = await endpointsFor(services, request).update(request.param('id'), { enabled: to === 'on' });
      return { to: endpointPath({ id }), notice: to };
    },
  });
}
