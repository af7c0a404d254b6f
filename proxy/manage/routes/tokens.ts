// Tokens over HTTP: the same service as `libretto token`.

import { z } from '@hono/zod-openapi';
import { RegistryError } from '../../../build/contract/errors.ts';
import type { TokenError } from '../../auth/token-error.ts';
import type { TokenKind } from '../../auth/token-format.ts';
import type { TokenRecord } from '../../auth/token.ts';
import type { Tokens } from '../../auth/tokens.ts';
import type { Actor } from '../../state/audit.ts';
import { actor, operation, type Api, type ApiContext } from '../api.ts';
import { page, pageOf, pageQuery } from '../page.ts';
import { createdToken, showToken, tokenDraft, tokenPatch, tokenSchema } from '../schemas/token.ts';

export interface TokenServices {
  readonly tokensOf: (actor: Actor) => Tokens;
  readonly defaultLimits: () => Readonly<Record<TokenKind, number>>;
}

const tags = ['Tokens'];
const params = z.strictObject({ id: z.string().openapi({ example: 'tok_4fHj2kLm9QwErTy0' }) });

const listTokens = operation({
  operationId: 'listTokens', method: 'get', path: '/api/tokens', tags, summary: 'List tokens',
  description: 'Oldest first, revoked and expired ones too. A maintainer sees those they made.',
  request: { query: pageQuery },
  responses: { 200: { description: 'a page of tokens', content: { 'application/json': { schema: pageOf(tokenSchema) } } } },
});

const createToken = operation({
  operationId: 'createToken', method: 'post', path: '/api/tokens', tags, summary: 'Create a token',
  description: 'The secret stands in this answer and nowhere else.',
  request: { body: { required: true, content: { 'application/json': { schema: tokenDraft } } } },
  responses: { 201: { description: 'the token, with its secret', content: { 'application/json': { schema: createdToken } } } },
});

const getToken = operation({
  operationId: 'getToken', method: 'get', path: '/api/tokens/{id}', tags, summary: 'Get a token',
  request: { params },
  responses: { 200: { description: 'the token', content: { 'application/json': { schema: tokenSchema } } } },
  errors: ['NOT_FOUND'],
});

const updateToken = operation({
  operationId: 'updateToken', method: 'patch', path: '/api/tokens/{id}', tags, summary: 'Change a token',
  request: { params, body: { required: true, content: { 'application/json': { schema: tokenPatch } } } },
  responses: { 200: { description: 'the token as it is now', content: { 'application/json': { schema: tokenSchema } } } },
  errors: ['NOT_FOUND', 'KIND_IMMUTABLE', 'TOKEN_REVOKED'],
});

const revokeToken = operation({
  operationId: 'revokeToken', method: 'delete', path: '/api/tokens/{id}', tags, summary: 'Revoke a token',
  description: 'It opens nothing from the next request on. Doing it again changes nothing.',
  request: { params },
  responses: { 200: { description: 'the revoked token', content: { 'application/json': { schema: tokenSchema } } } },
  errors: ['NOT_FOUND'],
});

export function registerTokens(api: Api, services: TokenServices): void {
  const { tokensOf, defaultLimits } = services;
  const show = (context: ApiContext, record: TokenRecord) => showToken(record, defaultLimits(), context.env.exchange.nowMs);

  api.openapi(listTokens, async (context) => {
    const records = (await tokensOf(actor(context)).list()).filter((record) => maySee(context, record));
    const { data, next_cursor } = page(records, context.req.valid('query'), ({ created_at, id }) => `${created_at} ${id}`);
    return context.json({ data: data.map((record) => show(context, record)), next_cursor }, 200);
  });
  api.openapi(createToken, async (context) => {
    const { rate_limit, expires_at, ...draft } = context.req.valid('json');
    const { record, secret } = await tokensOf(actor(context)).create({ ...draft, limit: rate_limit ?? null, expiresAt: asDate(expires_at ?? null) }).catch(asRegistryError);
    return context.json({ ...show(context, record), token: secret.reveal() }, 201);
  });
  api.openapi(getToken, async (context) => context.json(show(context, await find(services, context, context.req.valid('param').id)), 200));
  api.openapi(updateToken, async (context) => {
    const { id } = await find(services, context, context.req.valid('param').id);
    const { kind, rate_limit, expires_at, description } = context.req.valid('json');
    if (kind !== undefined) throw new RegistryError('KIND_IMMUTABLE');
    const patch = { ...(description === undefined ? {} : { description }), ...(rate_limit === undefined ? {} : { limit: rate_limit }), ...(expires_at === undefined ? {} : { expiresAt: asDate(expires_at) }) };
    return context.json(show(context, await tokensOf(actor(context)).update(id, patch).catch(asRegistryError)), 200);
  });
  api.openapi(revokeToken, async (context) => {
    const { id } = await find(services, context, context.req.valid('param').id);
    return context.json(show(context, (await tokensOf(actor(context)).revoke(id)).record), 200);
  });
}

/** What a maintainer did not make does not exist for them. */
async function find({ tokensOf }: TokenServices, context: ApiContext, id: string): Promise<TokenRecord> {
  const record = await tokensOf(actor(context)).get(id).catch(asRegistryError);
  if (!maySee(context, record)) throw new RegistryError('NOT_FOUND');
  return record;
}

function maySee({ env: { caller } }: ApiContext, record: TokenRecord): boolean {
  return caller.kind === 'user' && (caller.role === 'admin' || record.created_by === `user:${caller.userId}`);
}

function asDate(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}

const fieldOf = { DESCRIPTION_INVALID: 'description', LIMIT_INVALID: 'rate_limit', EXPIRY_INVALID: 'expires_at', NOTHING_TO_CHANGE: '' } as const;

function asRegistryError(error: unknown): never {
  const { code, message } = error as Partial<TokenError>;
  if (code === 'TOKEN_UNKNOWN') throw new RegistryError('NOT_FOUND', { message: 'There is no such token.' });
  if (code === 'TOKEN_REVOKED') throw new RegistryError('TOKEN_REVOKED');
  if (code !== undefined && code in fieldOf) throw new RegistryError('INVALID_INPUT', { details: { issues: [{ path: fieldOf[code], message: message ?? '' }] } });
  throw error;
}
