// Notification endpoints over HTTP: the same services as `libretto notify`.

import type { z } from 'zod';
import { deliveryDocument, endpointDocument } from '../../notifications/endpoints/endpoint-document.ts';
import type { DeliveryRecord } from '../../notifications/model/delivery.ts';
import { listDeliveries, type ReplayRange } from '../../notifications/deliveries/list-deliveries.ts';
import type { EndpointRecord } from '../../notifications/model/endpoint.ts';
import type { Endpoints, IssuedEndpoint } from '../../notifications/endpoints/endpoints.ts';
import type { Actor } from '../../state/audit.ts';
import type { StateStore } from '../../core/state/state-store.ts';
import { actor, type Api, type ApiContext } from '../frame/api.ts';
import { paginate, readCursor, writeCursor } from '../../registry/page.ts';
import type { deliverySchema, endpointSchema, issuedEndpoint } from '../schemas/notification.ts';
import {
  createEndpoint,
  deleteEndpoint,
  getEndpoint,
  listEndpoints,
  listNotificationDeliveries,
  replayNotifications,
  rotateEndpointSecret,
  testEndpoint,
  updateEndpoint,
} from './notification-operations.ts';

export interface NotificationServices {
  readonly endpointsOf: (actor: Actor) => Endpoints;
  readonly replayOf: (actor: Actor) => (endpoint: string, range: ReplayRange) => Promise<number>;
  readonly testEndpoint: (id: string) => Promise<DeliveryRecord>;
  readonly state: Pick<StateStore, 'get' | 'range'>;
}

export function registerNotifications(api: Api, services: NotificationServices): void {
  registerEndpoints(api, services);
  registerDeliveries(api, services);
}

function registerEndpoints(api: Api, services: NotificationServices): void {
  const endpointsFor = (context: ApiContext): Endpoints => services.endpointsOf(actor(context));
  api.openapi(listEndpoints, async (context) => {
    const all = await endpointsFor(context).list();
    const { data, next_cursor } = paginate(
      all,
      context.req.valid('query'),
      ({ created_at, id }) => `${created_at} ${id}`,
    );
    const shown = await Promise.all(data.map((record) => show(services, context, record)));
    return context.json({ data: shown, next_cursor }, 200);
  });
  api.openapi(createEndpoint, async (context) => {
    const issued = await endpointsFor(context).create(context.req.valid('json'));
    return context.json(await showIssued(services, context, issued), 201);
  });
  api.openapi(getEndpoint, async (context) => {
    const record = await endpointsFor(context).get(context.req.valid('param').id);
    return context.json(await show(services, context, record), 200);
  });
  api.openapi(updateEndpoint, async (context) => {
    const record = await endpointsFor(context).update(context.req.valid('param').id, context.req.valid('json'));
    return context.json(await show(services, context, record), 200);
  });
  api.openapi(deleteEndpoint, async (context) => {
    const { id } = await endpointsFor(context).remove(context.req.valid('param').id);
    return context.json({ id }, 200);
  });
  api.openapi(rotateEndpointSecret, async (context) => {
    const body = context.req.valid('json') as { readonly drop_old?: boolean } | undefined;
    const issued = await endpointsFor(context).rotate(context.req.valid('param').id, body?.drop_old === true);
    return context.json(await showIssued(services, context, issued), 201);
  });
}

function registerDeliveries(api: Api, services: NotificationServices): void {
  api.openapi(testEndpoint, async (context) =>
    context.json(showDelivery(await services.testEndpoint(context.req.valid('param').id)), 200),
  );
  api.openapi(listNotificationDeliveries, async (context) => {
    const { id } = await services.endpointsOf(actor(context)).get(context.req.valid('param').id);
    const { limit, cursor } = context.req.valid('query');
    const before = cursor === undefined ? undefined : readCursor(cursor);
    const { deliveries, next } = await listDeliveries(services.state, id, { limit, before });
    const next_cursor = next === null ? null : writeCursor(next);
    return context.json({ data: deliveries.map(showDelivery), next_cursor }, 200);
  });
  api.openapi(replayNotifications, async (context) => {
    const { event, since, until } = context.req.valid('json');
    const range = {
      event,
      ...(since === undefined ? {} : { sinceMs: Date.parse(since) }),
      ...(until === undefined ? {} : { untilMs: Date.parse(until) }),
    };
    const deliveries = await services.replayOf(actor(context))(context.req.valid('param').id, range);
    return context.json({ deliveries }, 200);
  });
}

/** The cast only drops `readonly` from the lists. */
async function show(
  { state }: NotificationServices,
  { env }: ApiContext,
  record: EndpointRecord,
): Promise<z.infer<typeof endpointSchema>> {
  return (await endpointDocument(state, record, env.exchange.nowMs)) as unknown as z.infer<typeof endpointSchema>;
}

async function showIssued(
  services: NotificationServices,
  context: ApiContext,
  { record, secret }: IssuedEndpoint,
): Promise<z.infer<typeof issuedEndpoint>> {
  return { ...(await show(services, context, record)), secret: secret === undefined ? null : secret.reveal() };
}

function showDelivery(record: DeliveryRecord): z.infer<typeof deliverySchema> {
  return deliveryDocument(record) as unknown as z.infer<typeof deliverySchema>;
}
