// The operations on trusted publishers and ID tokens as the OpenAPI document describes them.

import { z } from 'zod';
import { operation } from '../frame/api.ts';
import { answering, body } from '../frame/json-content.ts';
import { pageOf, pageQuery } from '../frame/page.ts';
import { idSchema } from '../schemas/id.ts';
import {
  audienceSchema,
  exchangedToken,
  idTokenExchange,
  idTokenExplanation,
  idTokenQuestion,
  publisherDraft,
  publisherPatch,
  publisherSchema,
} from '../schemas/publisher.ts';

const tags = ['Trusted publishers'];
const params = z.strictObject({ id: idSchema('pub', 'the publisher') });

export const listPublishers = operation({
  operationId: 'listPublishers',
  method: 'get',
  path: '/api/publishers',
  tags,
  summary: 'List trusted publishers',
  description: 'Oldest first.',
  request: { query: pageQuery },
  responses: { 200: answering(pageOf(publisherSchema), 'a page of publishers') },
});

export const createPublisher = operation({
  operationId: 'createPublisher',
  method: 'post',
  path: '/api/publishers',
  tags,
  summary: 'Add a trusted publisher',
  description:
    'CI jobs that fit its rules then exchange their ID token for a token of this registry, without a stored secret. The ' +
    'packages need not exist yet.',
  request: { body: body(publisherDraft) },
  responses: { 201: answering(publisherSchema, 'the publisher') },
});

export const getPublisher = operation({
  operationId: 'getPublisher',
  method: 'get',
  path: '/api/publishers/{id}',
  tags,
  summary: 'Get a trusted publisher',
  description: 'With its last exchange, and the ids that were learnt of its repository.',
  request: { params },
  responses: { 200: answering(publisherSchema, 'the publisher') },
  errors: ['NOT_FOUND'],
});

export const updatePublisher = operation({
  operationId: 'updatePublisher',
  method: 'patch',
  path: '/api/publishers/{id}',
  tags,
  summary: 'Change a trusted publisher',
  description:
    'Only the given fields change; its issuer and its purpose cannot. With another repository, learnt ids are learnt anew.',
  request: { params, body: body(publisherPatch) },
  responses: { 200: answering(publisherSchema, 'the changed publisher') },
  errors: ['NOT_FOUND'],
});

export const deletePublisher = operation({
  operationId: 'deletePublisher',
  method: 'delete',
  path: '/api/publishers/{id}',
  tags,
  summary: 'Remove a trusted publisher',
  description: 'Its tokens are revoked at once.',
  request: { params },
  responses: { 200: answering(z.object({ id: idSchema('pub', 'the publisher') }), 'the removed publisher') },
  errors: ['NOT_FOUND'],
});

export const explainIdToken = operation({
  operationId: 'explainIdToken',
  method: 'post',
  path: '/api/publishers/explain',
  tags,
  summary: 'Explain an ID token',
  description: 'What an ID token would get, and why not. The ID token is not used up, and may be expired.',
  request: { body: body(idTokenQuestion) },
  responses: { 200: answering(idTokenExplanation, 'the explanation') },
  errors: ['NOT_AVAILABLE'],
});

export const getOidcAudience = operation({
  operationId: 'getOidcAudience',
  method: 'get',
  path: '/api/oidc/audience',
  tags,
  summary: 'Get the audience of ID tokens',
  description: 'A CI job asks its CI system for an ID token with exactly this audience.',
  responses: { 200: answering(audienceSchema, 'the audience') },
  errors: ['NOT_AVAILABLE'],
});

export const exchangeIdToken = operation({
  operationId: 'exchangeIdToken',
  method: 'post',
  path: '/api/oidc/token',
  tags,
  summary: 'Exchange an ID token',
  description:
    'A CI job gets a short-lived token of this registry. An ID token works once. Errors name the claim that did not ' +
    'match, and what was expected.',
  request: { body: body(idTokenExchange) },
  responses: { 201: answering(exchangedToken, 'the token') },
  errors: ['NOT_AVAILABLE', 'ID_TOKEN_INVALID', 'ID_TOKEN_USED', 'PUBLISHER_MISMATCH', 'CONFLICT', 'TOO_MANY_ATTEMPTS'],
});

export const endOidcToken = operation({
  operationId: 'endOidcToken',
  method: 'delete',
  path: '/api/oidc/token',
  tags,
  summary: 'End an exchanged token',
  description: 'Sent with the token itself, at the end of a job. The token is invalid from then on.',
  responses: { 200: answering(z.object({ id: idSchema('tok', 'the token') }), 'the ended token') },
});
