// What can be done with tokens: the operations that API, commands and console call. A maintainer has only the tokens
// that they made themselves.

import { z } from 'zod';
import { RegistryError } from '../../build/contract/errors.ts';
import type { JsonObject } from '../../build/contract/json.ts';
import { createCallerTokens, type CallerTokens, type CallerTokensOptions } from '../auth/caller-tokens.ts';
import { standardGraceSeconds, type Rotation } from '../auth/rotate-token.ts';
import { readTokenStandings, type TokenStandingParts } from '../auth/token-standings.ts';
import type { TokenRecord } from '../core/tokens/token.ts';
import { idSchema } from '../registry/fields.ts';
import { operation, type Call, type Fixed } from '../registry/operation.ts';
import { pageOf, pageQuery, paginate } from '../registry/page.ts';
import { explanationQuery, explanationSchema, showExplanation } from './token-explanation.ts';
import {
  createdToken,
  showToken,
  tokenDraft,
  tokenPatch,
  tokenRotation,
  tokenSchema,
  type CreatedToken,
  type TokenDocument,
} from './token-schema.ts';
import { ageOrder } from '../state/rows.ts';

export interface TokenServices extends CallerTokensOptions, TokenStandingParts {}

const tag = 'Tokens';
const params = z.strictObject({ id: idSchema('tok', 'the token') });
const one = { tag, path: '/api/tokens/{id}', params } as const;

export const listTokens = operation({
  id: 'listTokens',
  method: 'get',
  path: '/api/tokens',
  tag,
  summary: 'List tokens',
  description: 'Oldest first, including revoked and expired tokens. A maintainer sees only the tokens they created.',
  query: pageQuery,
  answer: pageOf(tokenSchema),
  answers: 'a page of tokens',
  run: async (services: TokenServices, query, call) => {
    const records = await tokensOf(services, call).list();
    const { data, next_cursor } = paginate(records, query, ageOrder);
    return { data: await show(services, call, data), next_cursor };
  },
});

export const createToken = operation({
  id: 'createToken',
  formFor: (draft) => ({ path: '/tokens/new', fields: formFields(draft) }),
  method: 'post',
  path: '/api/tokens',
  tag,
  summary: 'Create a token',
  description:
    'The secret appears only in this answer. Only an admin may set a higher limit than the default of the kind.',
  body: tokenDraft,
  status: 201,
  answer: createdToken,
  answers: 'the token, with its secret',
  run: async (services: TokenServices, { rate_limit, expires_at, description, kind, ...limits }, call) =>
    showSecret(
      services,
      call,
      await tokensOf(services, call).create({
        description,
        kind,
        limits: given(limits),
        limit: rate_limit ?? null,
        ...(expires_at === undefined ? {} : { expiresAt: asDate(expires_at) }),
      }),
    ),
});

export const getToken = operation({
  ...one,
  id: 'getToken',
  method: 'get',
  summary: 'Get a token',
  description: 'The answer does not contain the secret. A maintainer sees only the tokens they created.',
  answer: tokenSchema,
  answers: 'the token',
  errors: ['NOT_FOUND'],
  run: async (services: TokenServices, { id }, call) => showOne(services, call, await tokensOf(services, call).get(id)),
});

export const updateToken = operation({
  ...one,
  id: 'updateToken',
  formFor: ({ id, ...patch }) => ({ path: `/tokens/${id}/edit`, fields: formFields(patch) }),
  method: 'patch',
  summary: 'Change a token',
  description:
    'Only the given fields change. The change takes effect with the next request. The kind cannot be changed.',
  body: tokenPatch,
  answer: tokenSchema,
  answers: 'the changed token',
  errors: ['NOT_FOUND', 'KIND_IMMUTABLE', 'TOKEN_REVOKED', 'CONFLICT'],
  run: async (services: TokenServices, { id, kind, rate_limit, expires_at, description, ...limits }, call) => {
    const tokens = tokensOf(services, call);
    const before = await tokens.get(id);
    if (kind !== undefined) throw new RegistryError('KIND_IMMUTABLE');
    const changed = await tokens.update(before.id, {
      limits: given(limits),
      ...(description === undefined ? {} : { description }),
      ...(rate_limit === undefined ? {} : { limit: rate_limit }),
      ...(expires_at === undefined ? {} : { expiresAt: asDate(expires_at) }),
    });
    return showOne(services, call, changed);
  },
});

export const rotateToken = operation({
  id: 'rotateToken',
  form: '/tokens/:id/rotate',
  method: 'post',
  path: '/api/tokens/{id}/rotate',
  tag,
  summary: 'Give a token a new secret',
  description:
    'The secret appears only in this answer. The previous secret keeps working for `grace_seconds`; an older ' +
    'one ends at once. All other properties of the token stay.',
  params,
  body: tokenRotation,
  isBodyOptional: true,
  answer: createdToken,
  answers: 'the token, with its new secret',
  errors: ['NOT_FOUND', 'TOKEN_REVOKED', 'CONFLICT'],
  run: async (services: TokenServices, { id, grace_seconds = standardGraceSeconds }, call) =>
    showSecret(services, call, await tokensOf(services, call).rotate(id, grace_seconds)),
});

export const explainToken = operation({
  id: 'explainToken',
  method: 'get',
  path: '/api/tokens/{id}/explain',
  tag,
  summary: 'Explain which versions of a package a token sees',
  description:
    'Lists the versions that the token sees, and the limits that hide the others. Works also for versions that ' +
    'are not published, and for mirrored packages.',
  params,
  query: explanationQuery,
  answer: explanationSchema,
  answers: 'the visible versions',
  errors: ['NOT_FOUND', 'CONFLICT'],
  run: async (services: TokenServices, { id, package: name, version, from }, call) => {
    const question = { name, version, from, nowMs: call.nowMs };
    const { record, explanation } = await tokensOf(services, call).explain(id, question);
    return showExplanation(explanation, record);
  },
});

export const revokeToken = operation({
  ...one,
  id: 'revokeToken',
  form: '/tokens/:id/revoke',
  method: 'delete',
  summary: 'Revoke a token',
  description: 'The token is refused from the next request on. A repeated request changes nothing.',
  answer: tokenSchema,
  answers: 'the revoked token',
  errors: ['NOT_FOUND'],
  run: async (services: TokenServices, { id }, call) =>
    showOne(services, call, await tokensOf(services, call).revoke(id)),
});

export const tokenOperations = [listTokens, createToken, getToken, updateToken, rotateToken, explainToken, revokeToken];

function tokensOf(services: TokenServices, { caller }: Call): CallerTokens {
  return createCallerTokens(services, caller);
}

function given(limits: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
}

/** The fields of the console's form, where a rule about versions is a row, and an expiry a choice. */
function formFields({ expires_at: expires, constraints, ...others }: Fixed<z.output<typeof tokenPatch>>): JsonObject {
  return {
    ...(given(others) as JsonObject),
    ...(expires === undefined ? {} : { expires: expires ?? 'never' }),
    ...(constraints === undefined
      ? {}
      : { rule_packages: Object.keys(constraints ?? {}), rule_versions: Object.values(constraints ?? {}) }),
  };
}

async function show(
  services: TokenServices,
  { nowMs }: Call,
  records: readonly TokenRecord[],
): Promise<readonly TokenDocument[]> {
  return (await readTokenStandings(services, records, nowMs)).map(showToken);
}

async function showOne(services: TokenServices, call: Call, record: TokenRecord): Promise<TokenDocument> {
  const [shown] = await show(services, call, [record]);
  if (shown === undefined) throw new Error('a token has no document');
  return shown;
}

async function showSecret(services: TokenServices, call: Call, { record, secret }: Rotation): Promise<CreatedToken> {
  const { id, ...others } = await showOne(services, call, record);
  return { id, token: secret.reveal(), ...others };
}

function asDate(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}
