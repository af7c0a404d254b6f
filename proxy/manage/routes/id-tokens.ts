// The exchange of ID tokens over HTTP, for CI jobs: the audience, the token, and its end.

import { z } from 'zod';
import { RegistryError } from '../../../build/contract/errors.ts';
import { audienceSchema, exchangedToken, idTokenExchange } from '../../publishers/records/publisher-schema.ts';
import type { OidcTokens } from '../../publishers/tokens/oidc-tokens.ts';
import { idSchema } from '../../registry/fields.ts';
import { operation } from '../../registry/operation.ts';

export interface IdTokenServices {
  readonly oidc: OidcTokens;
}

const tag = 'Trusted publishers';

const getOidcAudience = operation({
  id: 'getOidcAudience',
  method: 'get',
  path: '/api/oidc/audience',
  tag,
  summary: 'Get the audience of ID tokens',
  description: 'A CI job asks its CI system for an ID token with exactly this audience.',
  answer: audienceSchema,
  answers: 'the audience',
  errors: ['NOT_AVAILABLE'],
  run: async ({ oidc }: IdTokenServices) => ({ audience: oidc.audience() }),
});

const exchangeIdToken = operation({
  id: 'exchangeIdToken',
  method: 'post',
  path: '/api/oidc/token',
  tag,
  summary: 'Exchange an ID token',
  description:
    'A CI job gets a short-lived token of this registry. An ID token works once. Errors name the claim that did not ' +
    'match, and what was expected.',
  body: idTokenExchange,
  status: 201,
  answer: exchangedToken,
  answers: 'the token',
  errors: ['NOT_AVAILABLE', 'ID_TOKEN_INVALID', 'ID_TOKEN_USED', 'PUBLISHER_MISMATCH', 'CONFLICT', 'TOO_MANY_ATTEMPTS'],
  run: async ({ oidc }: IdTokenServices, { token: idToken, ...wish }, { clientAddress }) => {
    const { secret, token, publisher } = await oidc.exchange(idToken, wish, clientAddress);
    const { id, kind, expires_at } = token;
    return { token: secret.reveal(), id, kind, expires_at: expires_at ?? '', publisher: publisher.id };
  },
});

const endOidcToken = operation({
  id: 'endOidcToken',
  method: 'delete',
  path: '/api/oidc/token',
  tag,
  summary: 'End an exchanged token',
  description: 'Sent with the token itself, at the end of a job. The token is invalid from then on.',
  answer: z.object({ id: idSchema('tok', 'the token') }),
  answers: 'the ended token',
  run: async ({ oidc }: IdTokenServices, _, { caller }) => {
    if (caller.kind !== 'token') throw new RegistryError('INVALID_TOKEN');
    await oidc.end(caller.token.id);
    return { id: caller.token.id };
  },
});

export const idTokenOperations = [getOidcAudience, exchangeIdToken, endOidcToken];
