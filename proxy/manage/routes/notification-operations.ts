// The operations on notification endpoints as the OpenAPI document describes them: paths, parameters, answers.

import { z } from 'zod';
import { operation } from '../frame/api.ts';
import { answering, body } from '../frame/json-content.ts';
import { pageOf, pageQuery } from '../../registry/page.ts';
import { idSchema } from '../../registry/fields.ts';
import {
  deliverySchema,
  endpointDraft,
  endpointPatch,
  endpointSchema,
  issuedEndpoint,
  replayed,
  replayRange,
  secretRotation,
} from '../schemas/notification.ts';

const tags = ['Notifications'];
const params = z.strictObject({ id: idSchema('ntf', 'the endpoint') });

export const listEndpoints = operation({
  operationId: 'listEndpoints',
  method: 'get',
  path: '/api/notifications',
  tags,
  summary: 'List notification endpoints',
  description: 'Oldest first.',
  request: { query: pageQuery },
  responses: { 200: answering(pageOf(endpointSchema), 'a page of endpoints') },
});

export const createEndpoint = operation({
  operationId: 'createEndpoint',
  method: 'post',
  path: '/api/notifications',
  tags,
  summary: 'Make a notification endpoint',
  description:
    'The registry sends each event of its selection to this address, signed by Standard Webhooks, or as a message of ' +
    'a chat service. The secret appears only in this answer.',
  request: { body: body(endpointDraft) },
  responses: { 201: answering(issuedEndpoint, 'the endpoint with its secret') },
  errors: ['EGRESS_DENIED'],
});

export const getEndpoint = operation({
  operationId: 'getEndpoint',
  method: 'get',
  path: '/api/notifications/{id}',
  tags,
  summary: 'Get a notification endpoint',
  description: 'With its last success and failure, and without its secrets.',
  request: { params },
  responses: { 200: answering(endpointSchema, 'the endpoint') },
  errors: ['NOT_FOUND'],
});

export const updateEndpoint = operation({
  operationId: 'updateEndpoint',
  method: 'patch',
  path: '/api/notifications/{id}',
  tags,
  summary: 'Change a notification endpoint',
  description: 'Only the given fields change. Its form and its signature cannot be changed.',
  request: { params, body: body(endpointPatch) },
  responses: { 200: answering(endpointSchema, 'the changed endpoint') },
  errors: ['NOT_FOUND', 'EGRESS_DENIED'],
});

export const deleteEndpoint = operation({
  operationId: 'deleteEndpoint',
  method: 'delete',
  path: '/api/notifications/{id}',
  tags,
  summary: 'Remove a notification endpoint',
  description: 'Its secrets and its deliveries are removed with it. What still waits is not sent.',
  request: { params },
  responses: { 200: answering(z.object({ id: idSchema('ntf', 'the endpoint') }), 'the removed endpoint') },
  errors: ['NOT_FOUND'],
});

export const rotateEndpointSecret = operation({
  operationId: 'rotateEndpointSecret',
  method: 'post',
  path: '/api/notifications/{id}/secret',
  tags,
  summary: 'Give a notification endpoint a new secret',
  description: 'Both secrets sign for 24 hours, so that the receiver can change to the new one.',
  request: { params, body: { required: false, content: { 'application/json': { schema: secretRotation } } } },
  responses: { 201: answering(issuedEndpoint, 'the endpoint with its new secret') },
  errors: ['NOT_FOUND'],
});

export const testEndpoint = operation({
  operationId: 'testEndpoint',
  method: 'post',
  path: '/api/notifications/{id}/test',
  tags,
  summary: 'Test a notification endpoint',
  description: 'Sends one event that says that it is a test, waits for the answer, and does not try again.',
  request: { params },
  responses: { 200: answering(deliverySchema, 'how it went') },
  errors: ['NOT_FOUND'],
});

export const listNotificationDeliveries = operation({
  operationId: 'listNotificationDeliveries',
  method: 'get',
  path: '/api/notifications/{id}/deliveries',
  tags,
  summary: 'List the deliveries of a notification endpoint',
  description: 'Newest first. Settled deliveries are kept for 30 days, at most 500 of them.',
  request: { params, query: pageQuery },
  responses: { 200: answering(pageOf(deliverySchema), 'a page of deliveries') },
  errors: ['NOT_FOUND'],
});

export const replayNotifications = operation({
  operationId: 'replayNotifications',
  method: 'post',
  path: '/api/notifications/{id}/replay',
  tags,
  summary: 'Send deliveries of a notification endpoint again',
  description: 'One event, or all kept ones of a range of time, with the same ids. Waiting ones become due at once.',
  request: { params, body: body(replayRange) },
  responses: { 200: answering(replayed, 'what is sent again') },
  errors: ['NOT_FOUND'],
});
