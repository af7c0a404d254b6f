// The operations on connections to forges as the OpenAPI document describes them: paths, parameters, answers.

import { z } from 'zod';
import { operation } from '../frame/api.ts';
import { answering, body } from '../frame/json-content.ts';
import { pageOf, pageQuery } from '../../registry/page.ts';
import {
  connectedRepository,
  connectionDraft,
  connectionPatch,
  connectionPlan,
  connectionSchema,
  removedConnection,
} from '../schemas/connection.ts';
import { idSchema } from '../../registry/fields.ts';

const tags = ['Connections'];
const params = z.strictObject({ id: idSchema('conn', 'the connection') });

export const listConnections = operation({
  operationId: 'listConnections',
  method: 'get',
  path: '/api/connections',
  tags,
  summary: 'List connections',
  description: 'Oldest first.',
  request: { query: pageQuery },
  responses: { 200: answering(pageOf(connectionSchema), 'a page of connections') },
});

export const createConnection = operation({
  operationId: 'createConnection',
  method: 'post',
  path: '/api/connections',
  tags,
  summary: 'Connect an owner at a forge',
  description:
    'Checks the credentials and the owner at the forge. The server then registers the repositories that have a ' +
    'composer.json with a name, and looks for changes by the interval. Each owner can be connected once.',
  request: { body: body(connectionDraft) },
  responses: { 201: answering(connectionSchema, 'the connection') },
  errors: ['EGRESS_DENIED', 'CONFLICT'],
});

export const planConnection = operation({
  operationId: 'planConnection',
  method: 'post',
  path: '/api/connections/plan',
  tags,
  summary: 'Show what a connection would register',
  description: 'Asks the forge for at most 20 seconds, and changes nothing.',
  request: { body: body(connectionDraft) },
  responses: { 200: answering(connectionPlan, 'the plan') },
  errors: ['EGRESS_DENIED', 'CONFLICT'],
});

export const getConnection = operation({
  operationId: 'getConnection',
  method: 'get',
  path: '/api/connections/{id}',
  tags,
  summary: 'Get a connection',
  description: 'With the result of its last refresh, and without its credentials.',
  request: { params },
  responses: { 200: answering(connectionSchema, 'the connection') },
  errors: ['NOT_FOUND'],
});

export const updateConnection = operation({
  operationId: 'updateConnection',
  method: 'patch',
  path: '/api/connections/{id}',
  tags,
  summary: 'Change a connection',
  description: 'Only the given fields change. Forge and owner cannot be changed. The next refresh begins at once.',
  request: { params, body: body(connectionPatch) },
  responses: { 200: answering(connectionSchema, 'the changed connection') },
  errors: ['NOT_FOUND', 'EGRESS_DENIED'],
});

export const deleteConnection = operation({
  operationId: 'deleteConnection',
  method: 'delete',
  path: '/api/connections/{id}',
  tags,
  summary: 'Remove a connection',
  description:
    'Without `confirm`, the answer says how many repositories it has, and whether the owner has a webhook. The ' +
    'repositories stay registered and published, with their own webhooks, but without the credentials of the ' +
    "connection. The owner's webhook is removed at the forge.",
  request: {
    params,
    query: z.strictObject({
      confirm: z.string().max(100).optional().meta({ description: 'the id of the connection again' }),
    }),
  },
  responses: { 200: answering(removedConnection, 'the removed connection') },
  errors: ['NOT_FOUND', 'CONFIRMATION_REQUIRED'],
});

export const refreshConnection = operation({
  operationId: 'refreshConnection',
  method: 'post',
  path: '/api/connections/{id}/refresh',
  tags,
  summary: 'Refresh a connection',
  description: 'Makes the next refresh due now. The connection shows when it has ended.',
  request: { params },
  responses: { 200: answering(connectionSchema, 'the connection') },
  errors: ['NOT_FOUND'],
});

export const listConnectedRepositories = operation({
  operationId: 'listConnectedRepositories',
  method: 'get',
  path: '/api/connections/{id}/repositories',
  tags,
  summary: 'List the repositories of a connection',
  description: 'What the forge lists: registered, archived and removed repositories, and why others are skipped.',
  request: { params, query: pageQuery },
  responses: { 200: answering(pageOf(connectedRepository), 'a page of repositories') },
  errors: ['NOT_FOUND'],
});
