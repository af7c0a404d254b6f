// The operations on tokens as the OpenAPI document describes them: paths, parameters, answers.

import { z } from 'zod';
import { operation } from '../frame/api.ts';
import { pageOf, pageQuery } from '../../registry/page.ts';
import { idSchema } from '../../registry/fields.ts';
import { explanationQuery, explanationSchema } from '../schemas/token-explanation.ts';
import { createdToken, tokenDraft, tokenPatch, tokenRotation, tokenSchema } from '../schemas/token.ts';

const tags = ['Tokens'];
const params = z.strictObject({ id: idSchema('tok', 'the token') });

export const listTokens = operation({
  operationId: 'listTokens',
  method: 'get',
  path: '/api/tokens',
  tags,
  summary: 'List tokens',
  description: 'Oldest first, including revoked and expired tokens. A maintainer sees only the tokens they created.',
  request: { query: pageQuery },
  responses: {
    200: { description: 'a page of tokens', content: { 'application/json': { schema: pageOf(tokenSchema) } } },
  },
});

export const createToken = operation({
  operationId: 'createToken',
  method: 'post',
  path: '/api/tokens',
  tags,
  summary: 'Create a token',
  description:
    'The secret appears only in this answer. Only an admin may set a higher limit than the default of the kind.',
  request: { body: { required: true, content: { 'application/json': { schema: tokenDraft } } } },
  responses: {
    201: { description: 'the token, with its secret', content: { 'application/json': { schema: createdToken } } },
  },
});

export const getToken = operation({
  operationId: 'getToken',
  method: 'get',
  path: '/api/tokens/{id}',
  tags,
  summary: 'Get a token',
  description: 'The answer does not contain the secret. A maintainer sees only the tokens they created.',
  request: { params },
  responses: { 200: { description: 'the token', content: { 'application/json': { schema: tokenSchema } } } },
  errors: ['NOT_FOUND'],
});

export const updateToken = operation({
  operationId: 'updateToken',
  method: 'patch',
  path: '/api/tokens/{id}',
  tags,
  summary: 'Change a token',
  description:
    'Only the given fields change. The change takes effect with the next request. The kind cannot be changed.',
  request: { params, body: { required: true, content: { 'application/json': { schema: tokenPatch } } } },
  responses: {
    200: { description: 'the changed token', content: { 'application/json': { schema: tokenSchema } } },
  },
  errors: ['NOT_FOUND', 'KIND_IMMUTABLE', 'TOKEN_REVOKED', 'CONFLICT'],
});

export const rotateToken = operation({
  operationId: 'rotateToken',
  method: 'post',
  path: '/api/tokens/{id}/rotate',
  tags,
  summary: 'Give a token a new secret',
  description:
    'The secret appears only in this answer. The previous secret keeps working for `grace_seconds`; an older ' +
    'one ends at once. All other properties of the token stay.',
  request: { params, body: { required: false, content: { 'application/json': { schema: tokenRotation } } } },
  responses: {
    200: { description: 'the token, with its new secret', content: { 'application/json': { schema: createdToken } } },
  },
  errors: ['NOT_FOUND', 'TOKEN_REVOKED', 'CONFLICT'],
});

export const explainTokenView = operation({
  operationId: 'explainToken',
  method: 'get',
  path: '/api/tokens/{id}/explain',
  tags,
  summary: 'Explain which versions of a package a token sees',
  description:
    'Lists the versions that the token sees, and the limits that hide the others. Works also for versions that ' +
    'are not published, and for mirrored packages.',
  request: { params, query: explanationQuery },
  responses: {
    200: { description: 'the visible versions', content: { 'application/json': { schema: explanationSchema } } },
  },
  errors: ['NOT_FOUND', 'CONFLICT'],
});

export const revokeToken = operation({
  operationId: 'revokeToken',
  method: 'delete',
  path: '/api/tokens/{id}',
  tags,
  summary: 'Revoke a token',
  description: 'The token is refused from the next request on. A repeated request changes nothing.',
  request: { params },
  responses: { 200: { description: 'the revoked token', content: { 'application/json': { schema: tokenSchema } } } },
  errors: ['NOT_FOUND'],
});
