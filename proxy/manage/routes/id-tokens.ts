// The exchange of ID tokens over HTTP, for CI jobs: the audience, the token, and its end.

import { z } from 'zod';
import { RegistryError } from '../../../build/contract/errors.ts';
import { audienceSchema, exchangedToken, idTokenExchange } from '../../publishers/records/publisher-schema.ts';
import type { OidcTokens } from '../../publishers/tokens/oidc-tokens.ts';
import { idSchema } from '../../registry/fields.ts';
import { operation, type Api } from '../frame/api.ts';
import { answering, body } from '../frame/json-content.ts';

export interface IdTokenServices {
  readonly oidc: OidcTokens;
}

const getOidcAudience = operation({
  operationId: 'getOidcAudience',
  method: 'get',
  path: '/api/oidc/audience',
  tags: ['Trusted publishers'],
  summary: 'Get the audience of ID tokens',
  description: 'A CI job asks its CI system for an ID token with exactly this audience.',
  responses: { 200: answering(audienceSchema, 'the audience') },
  errors: ['NOT_AVAILABLE'],
});

const exchangeIdToken = operation({
  operationId: 'exchangeIdToken',
  method: 'post',
  path: '/api/oidc/token',
  tags: ['Trusted publishers'],
  summary: 'Exchange an ID token',
  description:
    'A CI job gets a short-lived token of this registry. An ID token works once. Errors name the claim that did not ' +
    'match, and what was expected.',
  request: { body: body(idTokenExchange) },
  responses: { 201: answering(exchangedToken, 'the token') },
  errors: ['NOT_AVAILABLE', 'ID_TOKEN_INVALID', 'ID_TOKEN_USED', 'PUBLISHER_MISMATCH', 'CONFLICT', 'TOO_MANY_ATTEMPTS'],
});

const endOidcToken = operation({
  operationId: 'endOidcToken',
  method: 'delete',
  path: '/api/oidc/token',
  tags: ['Trusted publishers'],
  summary: 'End an exchanged token',
  description: 'Sent with the token itself, at the end of a job. The token is invalid from then on.',
  responses: { 200: answering(z.object({ id: idSchema('tok', 'the token') }), 'the ended token') },
});

export function registerIdTokens(api: Api, { oidc }: IdTokenServices): void {
  api.openapi(getOidcAudience, (context) => context.json({ audience: oidc.audience() }, 200));
  api.openapi(exchangeIdToken, async (context) => {
    const { token: idToken, ...wish } = context.req.valid('json');
    const { secret, token, publisher } = await oidc.exchange(idToken, wish, context.env.exchange.clientAddress);
    const { id, kind, expires_at } = token;
    return context.json(
      { token: secret.reveal(), id, kind, expires_at: expires_at ?? '', publisher: publisher.id },
      201,
    );
  });
  api.openapi(endOidcToken, async (context) => {
    const { caller } = context.env;
    if (caller.kind !== 'token') throw new RegistryError('INVALID_TOKEN');
    await oidc.end(caller.token.id);
    return context.json({ id: caller.token.id }, 200);
  });
}
