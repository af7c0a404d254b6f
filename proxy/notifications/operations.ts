// What can be done with notification endpoints: the operations that API, commands and console call.

import { z } from 'zod';
import type { StateStore } from '../core/state/state-store.ts';
import { idSchema } from '../registry/fields.ts';
import { operation, type Call, type Operation } from '../registry/operation.ts';
import { pageOf, pageQuery, paginate, readCursor, writeCursor } from '../registry/page.ts';
import type { Actor } from '../state/audit.ts';
import { listDeliveries, type ReplayRange } from './deliveries/list-deliveries.ts';
import { deliveryDocument, endpointDocument } from './endpoints/endpoint-document.ts';
import {
  deliverySchema,
  endpointDraft,
  endpointPatch,
  endpointSchema,
  issuedEndpoint,
  replayed,
  replayRange,
  secretRotation,
  type EndpointDocument,
  type IssuedEndpointDocument,
} from './endpoints/endpoint-schema.ts';
import type { EndpointPatch, Endpoints, IssuedEndpoint } from './endpoints/endpoints.ts';
import type { EndpointDraft } from './endpoints/parse-endpoint.ts';
import type { DeliveryRecord } from './model/delivery.ts';
import type { EndpointRecord } from './model/endpoint.ts';
import { ageOrder } from '../state/rows.ts';

export interface EndpointServices {
  readonly endpointsOf: (actor: Actor) => Endpoints;
  readonly replayOf: (actor: Actor) => (endpoint: string, range: ReplayRange) => Promise<number>;
  readonly testEndpoint: (id: string) => Promise<DeliveryRecord>;
  readonly state: Pick<StateStore, 'get' | 'range'>;
}

const tag = 'Notifications';
const params = z.strictObject({ id: idSchema('ntf', 'the endpoint') });
const one = { tag, path: '/api/notifications/{id}', params, errors: ['NOT_FOUND'] } as const;

export const listEndpoints = operation({
  id: 'listEndpoints',
  method: 'get',
  path: '/api/notifications',
  tag,
  summary: 'List notification endpoints',
  description: 'Oldest first.',
  query: pageQuery,
  answer: pageOf(endpointSchema),
  answers: 'a page of endpoints',
  run: async (services: EndpointServices, query, call) => {
    const all = await services.endpointsOf(call.actor).list();
    const { data, next_cursor } = paginate(all, query, ageOrder);
    return { data: await Promise.all(data.map((record) => show(services, record, call))), next_cursor };
  },
});

/** The form of the console also names the id, so that a reload of its answer makes no second endpoint. */
export const createEndpoint: Operation<EndpointServices, EndpointDraft, IssuedEndpointDocument> = operation({
  id: 'createEndpoint',
  form: '/notifications/new',
  secrets: ['url'],
  method: 'post',
  path: '/api/notifications',
  tag,
  summary: 'Make a notification endpoint',
  description:
    'The registry sends each event of its selection to this address, signed by Standard Webhooks, or as a message of ' +
    'a chat service. The secret appears only in this answer.',
  body: endpointDraft,
  status: 201,
  answer: issuedEndpoint,
  answers: 'the endpoint with its secret',
  errors: ['EGRESS_DENIED'],
  run: async (services: EndpointServices, draft: EndpointDraft, call) =>
    showIssued(services, await services.endpointsOf(call.actor).create(draft), call),
});

export const getEndpoint = operation({
  ...one,
  id: 'getEndpoint',
  method: 'get',
  summary: 'Get a notification endpoint',
  description: 'With its last success and failure, and without its secrets.',
  answer: endpointSchema,
  answers: 'the endpoint',
  run: async (services: EndpointServices, { id }, call) =>
    show(services, await services.endpointsOf(call.actor).get(id), call),
});

export const updateEndpoint: Operation<EndpointServices, EndpointPatch & { readonly id: string }, EndpointDocument> =
  operation({
    ...one,
    id: 'updateEndpoint',
    form: '/notifications/:id/edit',
    secrets: ['url'],
    method: 'patch',
    summary: 'Change a notification endpoint',
    description: 'Only the given fields change. Its form and its signature cannot be changed.',
    body: endpointPatch,
    answer: endpointSchema,
    answers: 'the changed endpoint',
    errors: ['NOT_FOUND', 'EGRESS_DENIED'],
    run: async (services: EndpointServices, { id, ...patch }: EndpointPatch & { readonly id: string }, call) =>
      show(services, await services.endpointsOf(call.actor).update(id, patch), call),
  });

/** The same with the forms that only turn an endpoint on or off. */
export const turnings = {
  on: { ...updateEndpoint, form: '/notifications/:id/on' },
  off: { ...updateEndpoint, form: '/notifications/:id/off' },
};

export const deleteEndpoint = operation({
  ...one,
  id: 'deleteEndpoint',
  form: '/notifications/:id/remove',
  method: 'delete',
  summary: 'Remove a notification endpoint',
  description: 'Its secrets and its deliveries are removed with it. Events that still wait are not sent.',
  answer: z.object({ id: idSchema('ntf', 'the endpoint') }),
  answers: 'the removed endpoint',
  run: async ({ endpointsOf }: EndpointServices, { id }, { actor }) => ({
    id: (await endpointsOf(actor).remove(id)).id,
  }),
});

export const rotateEndpointSecret = operation({
  ...one,
  id: 'rotateEndpointSecret',
  form: '/notifications/:id/secret',
  method: 'post',
  path: '/api/notifications/{id}/secret',
  summary: 'Give a notification endpoint a new secret',
  description: 'Both secrets sign for 24 hours, so that the receiver can change to the new one.',
  body: secretRotation,
  isBodyOptional: true,
  status: 201,
  answer: issuedEndpoint,
  answers: 'the endpoint with its new secret',
  run: async (services: EndpointServices, { id, drop_old: dropOld }, call) =>
    showIssued(services, await services.endpointsOf(call.actor).rotate(id, dropOld), call),
});

export const testEndpoint = operation({
  ...one,
  id: 'testEndpoint',
  form: '/notifications/:id/test',
  method: 'post',
  path: '/api/notifications/{id}/test',
  summary: 'Test a notification endpoint',
  description: 'Sends one event that says that it is a test, waits for the answer, and does not try again.',
  answer: deliverySchema,
  answers: 'how it went',
  run: async (services: EndpointServices, { id }) => deliveryDocument(await services.testEndpoint(id)),
});

export const listNotificationDeliveries = operation({
  ...one,
  id: 'listNotificationDeliveries',
  method: 'get',
  path: '/api/notifications/{id}/deliveries',
  summary: 'List the deliveries of a notification endpoint',
  description: 'Newest first. Settled deliveries are kept for 30 days, at most 500 of them.',
  query: pageQuery,
  answer: pageOf(deliverySchema),
  answers: 'a page of deliveries',
  run: async ({ endpointsOf, state }: EndpointServices, { id, limit, cursor }, { actor }) => {
    const endpoint = await endpointsOf(actor).get(id);
    const before = cursor === undefined ? undefined : readCursor(cursor);
    const { deliveries, next } = await listDeliveries(state, endpoint.id, { limit, before });
    return { data: deliveries.map(deliveryDocument), next_cursor: next === null ? null : writeCursor(next) };
  },
});

export const replayNotifications = operation({
  ...one,
  id: 'replayNotifications',
  form: '/notifications/:id/replay',
  method: 'post',
  path: '/api/notifications/{id}/replay',
  summary: 'Send deliveries of a notification endpoint again',
  description: 'One event, or all kept ones of a range of time, with the same ids. Waiting ones become due at once.',
  body: replayRange,
  answer: replayed,
  answers: 'what is sent again',
  run: async ({ replayOf }: EndpointServices, { id, event, since, until }, { actor }) => ({
    deliveries: await replayOf(actor)(id, { event, sinceMs: epochMs(since), untilMs: epochMs(until) }),
  }),
});

export const endpointOperations = [
  listEndpoints,
  createEndpoint,
  getEndpoint,
  updateEndpoint,
  deleteEndpoint,
  rotateEndpointSecret,
  testEndpoint,
  listNotificationDeliveries,
  replayNotifications,
];

function show({ state }: EndpointServices, record: EndpointRecord, { nowMs }: Call) {
  return endpointDocument(state, record, nowMs);
}

async function showIssued(services: EndpointServices, { record, secret }: IssuedEndpoint, call: Call) {
  return { ...(await show(services, record, call)), secret: secret === undefined ? null : secret.reveal() };
}

function epochMs(time: string | undefined): number | undefined {
  return time === undefined ? undefined : Date.parse(time);
}
