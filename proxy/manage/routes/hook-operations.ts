// The operations on webhooks as the OpenAPI document describes them. A repository has a webhook of its own; another one
// is for all repositories.

import { z } from 'zod';
import { operation } from '../frame/api.ts';
import { answering } from '../frame/json-content.ts';
import { hookIssue, hookSchema, issuedHook, replayedJobs } from '../schemas/hook.ts';
import { idSchema } from '../../registry/fields.ts';

const tags = ['Webhooks'];
const params = z.strictObject({ id: idSchema('repo', 'the repository') });
const deliveryParam = z.strictObject({ delivery: idSchema('dlv', 'the delivery') });
const issueBody = { required: false, content: { 'application/json': { schema: hookIssue } } };
const issueDescription =
  'The secret appears only in this answer. A webhook that exists gets a second secret, so that the provider can ' +
  'change to it.';
const replayDescription =
  'Starts the syncs that the delivery asked for, or returns the jobs in progress. It is recorded in the audit log.';

export const getRepositoryHook = operation({
  operationId: 'getRepositoryHook',
  method: 'get',
  path: '/api/repositories/{id}/hook',
  tags,
  summary: 'Get the webhook of a repository',
  description: 'With its last deliveries. Without a webhook, `secrets` is empty.',
  request: { params },
  responses: { 200: answering(hookSchema, 'the webhook') },
  errors: ['NOT_FOUND'],
});

export const issueRepositoryHook = operation({
  operationId: 'issueRepositoryHook',
  method: 'post',
  path: '/api/repositories/{id}/hook',
  tags,
  summary: 'Make the webhook of a repository, or give it a new secret',
  description: issueDescription,
  request: { params, body: issueBody },
  responses: { 201: answering(issuedHook, 'the webhook with its new secret') },
  errors: ['NOT_FOUND'],
});

export const removeRepositoryHook = operation({
  operationId: 'removeRepositoryHook',
  method: 'delete',
  path: '/api/repositories/{id}/hook',
  tags,
  summary: 'Remove the webhook of a repository',
  description: 'Its secrets end at once, and its deliveries are deleted. A repeated request changes nothing.',
  request: { params },
  responses: { 200: answering(hookSchema, 'the repository without a webhook') },
  errors: ['NOT_FOUND'],
});

export const replayRepositoryDelivery = operation({
  operationId: 'replayRepositoryDelivery',
  method: 'post',
  path: '/api/repositories/{id}/hook/deliveries/{delivery}/replay',
  tags,
  summary: 'Replay a delivery for a repository',
  description: replayDescription,
  request: { params: params.extend(deliveryParam.shape) },
  responses: { 200: answering(replayedJobs, 'the sync') },
  errors: ['NOT_FOUND', 'CONFLICT', 'OVERLOADED'],
});

export const getRegistryHook = operation({
  operationId: 'getRegistryHook',
  method: 'get',
  path: '/api/hook',
  tags,
  summary: 'Get the webhook for all repositories',
  description: 'For webhooks of organisations and of whole servers. With its last deliveries.',
  responses: { 200: answering(hookSchema, 'the webhook') },
});

export const issueRegistryHook = operation({
  operationId: 'issueRegistryHook',
  method: 'post',
  path: '/api/hook',
  tags,
  summary: 'Make the webhook for all repositories, or give it a new secret',
  description: issueDescription,
  request: { body: issueBody },
  responses: { 201: answering(issuedHook, 'the webhook with its new secret') },
});

export const removeRegistryHook = operation({
  operationId: 'removeRegistryHook',
  method: 'delete',
  path: '/api/hook',
  tags,
  summary: 'Remove the webhook for all repositories',
  description: 'Its secrets end at once. Connections to forges keep their own. A repeated request changes nothing.',
  responses: { 200: answering(hookSchema, 'the registry without this webhook') },
});

export const replayRegistryDelivery = operation({
  operationId: 'replayRegistryDelivery',
  method: 'post',
  path: '/api/hook/deliveries/{delivery}/replay',
  tags,
  summary: 'Replay a delivery for all its repositories',
  description: replayDescription,
  request: { params: deliveryParam },
  responses: { 200: answering(replayedJobs, 'the syncs') },
  errors: ['NOT_FOUND', 'CONFLICT', 'OVERLOADED'],
});
