// The pages about notifications: endpoints, and what was sent to them.

import { listDeliveries } from '../../../notifications/deliveries/list-deliveries.ts';
import type { DeliveryRecord } from '../../../notifications/model/delivery.ts';
import type { PageView, SignedInRequest } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import { registerEditingEndpoints } from './edit-endpoint.tsx';
import { EndpointList } from './endpoint-list.tsx';
import { EndpointPage } from './endpoint-page.tsx';
import { registerEndpointQuestions } from './endpoint-questions.tsx';
import { registerMakingEndpoints } from './new-endpoint.tsx';
import { registerRotation } from './new-secret.tsx';
import { registerSendingAgain } from './send-again.tsx';
import {
  endpointOf,
  endpointPath,
  endpointsFor,
  readEndpointDocument,
  type NotificationPageServices,
} from './services.ts';

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
  registerMakingEndpoints(pages, services);
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
  registerEditingEndpoints(pages, services);
  registerRotation(pages, services);
  registerSendingAgain(pages, services);
  registerEndpointQuestions(pages, services);
}

async function showList(services: NotificationPageServices, request: SignedInRequest): Promise<PageView> {
  const records = await endpointsFor(services, request).list();
  const rows = await Promise.all(records.map((record) => readEndpointDocument(services, record, request)));
  return {
    title: 'Notifications',
    section: 'notifications',
    content: <EndpointList rows={rows} hasBuilder={request.hasBuilder} nowMs={request.nowMs} />,
  };
}

async function showOne(services: NotificationPageServices, request: SignedInRequest): Promise<PageView> {
  const { query, nowMs } = request;
  const record = await endpointOf(services, request);
  const before = placeIn(query);
  const [endpoint, { deliveries, next }] = await Promise.all([
    readEndpointDocument(services, record, request),
    listDeliveries(services.state, record.id, { limit: perPage, before }),
  ]);
  const isSending = endpoint.enabled && endpoint.paused_until === null;
  const refreshing = isSending && deliveries.some((one) => isDue(one, nowMs)) ? { refreshSeconds } : {};
  return {
    title: record.name,
    section: 'notifications',
    ...refreshing,
    content: (
      <EndpointPage
        {...{ endpoint, deliveries, next, nowMs }}
        path={endpointPath(record)}
        isFirst={before === undefined}
        refreshSeconds={refreshing.refreshSeconds}
        tested={deliveries.find(({ event }) => event.id === query.get('tested'))}
      />
    ),
  };
}

/** Where the page of deliveries begins; undefined: with the newest. */
function placeIn(query: URLSearchParams): string | undefined {
  const before = query.get('before') ?? '';
  return /^\d{15}-evt_[0-9A-Za-z]{22}$/.test(before) ? before : undefined;
}

function isDue({ state, next_at: next }: DeliveryRecord, nowMs: number): boolean {
  return state === 'pending' && next !== null && Date.parse(next) <= nowMs + refreshSeconds * 1000;
}
