// The pages about notifications: endpoints, and what was sent to them.

import type { DeliveryDocument } from '../../../notifications/endpoints/endpoint-schema.ts';
import { listEndpoints, listNotificationDeliveries } from '../../../notifications/operations.ts';
import type { PageView, SignedInRequest } from '../../frame/definitions.ts';
import { callFor } from '../../frame/operation-form.tsx';
import type { Pages } from '../../frame/pages.ts';
import { registerEndpointForms } from './endpoint-forms.tsx';
import { EndpointList } from './endpoint-list.tsx';
import { EndpointPage } from './endpoint-page.tsx';
import { registerSendingForms } from './sending-forms.tsx';
import { endpointOf, endpointPath, type NotificationPageServices } from './services.ts';

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
  registerSendingForms(pages, services);
}

async function showList(services: NotificationPageServices, request: SignedInRequest): Promise<PageView> {
  const { data: rows } = await callFor(services, request, listEndpoints, { limit: Infinity });
  return {
    title: 'Notifications',
    section: 'notifications',
    content: <EndpointList rows={rows} hasBuilder={request.hasBuilder} nowMs={request.nowMs} />,
  };
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
        {...{ endpoint, deliveries, next, nowMs }}
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
