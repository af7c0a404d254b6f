// Tokens over HTTP: the same service as `libretto token`.

import { RegistryError } from '../../../build/contract/errors.ts';
import { createCallerTokens, type CallerTokens, type CallerTokensOptions } from '../../auth/caller-tokens.ts';
import { readTokenStandings, type TokenStandingParts } from '../../auth/token-standings.ts';
import type { TokenRecord } from '../../core/tokens/token.ts';
import type { Api, ApiContext } from '../frame/api.ts';
import { paginate } from '../../registry/page.ts';
import { showExplanation } from '../schemas/token-explanation.ts';
import { showToken, tokenRotation } from '../schemas/token.ts';
import {
  listTokens,
  createToken,
  getToken,
  updateToken,
  rotateToken,
  explainTokenView,
  revokeToken,
} from './token-operations.ts';

export interface TokenServices extends CallerTokensOptions, TokenStandingParts {}

// The OpenAPI document lists the operations in this order.
export function registerTokens(api: Api, services: TokenServices): void {
  registerRecords(api, services);
  registerActions(api, services);
}

function registerRecords(api: Api, services: TokenServices): void {
  api.openapi(listTokens, async (context) => {
    const { data, next_cursor } = paginate(
      await tokensOf(services, context).list(),
      context.req.valid('query'),
      ({ created_at, id }) => `${created_at} ${id}`,
    );
    return context.json({ data: await show(services, context, data), next_cursor }, 200);
  });
  api.openapi(createToken, async (context) => {
    const { rate_limit, expires_at, description, kind, ...limits } = context.req.valid('json');
    const { record, secret } = await tokensOf(services, context).create({
      description,
      kind,
      limits,
      limit: rate_limit ?? null,
      ...(expires_at === undefined ? {} : { expiresAt: asDate(expires_at) }),
    });
    return context.json({ ...(await showOne(services, context, record)), token: secret.reveal() }, 201);
  });
  api.openapi(getToken, async (context) => {
    const record = await tokensOf(services, context).get(context.req.valid('param').id);
    return context.json(await showOne(services, context, record), 200);
  });
  api.openapi(updateToken, async (context) => {
    const tokens = tokensOf(services, context);
    const { id } = await tokens.get(context.req.valid('param').id);
    const { kind, rate_limit, expires_at, description, ...limits } = context.req.valid('json');
    if (kind !== undefined) throw new RegistryError('KIND_IMMUTABLE');
    const changed = await tokens.update(id, {
      limits,
      ...(description === undefined ? {} : { description }),
      ...(rate_limit === undefined ? {} : { limit: rate_limit }),
      ...(expires_at === undefined ? {} : { expiresAt: asDate(expires_at) }),
    });
    return context.json(await showOne(services, context, changed), 200);
  });
}

function registerActions(api: Api, services: TokenServices): void {
  api.openapi(rotateToken, async (context) => {
    const tokens = tokensOf(services, context);
    const { id } = await tokens.get(context.req.valid('param').id);
    const { grace_seconds } = tokenRotation.parse(context.req.valid('json') ?? {});
    const { record, secret } = await tokens.rotate(id, grace_seconds);
    return context.json({ ...(await showOne(services, context, record)), token: secret.reveal() }, 200);
  });
  api.openapi(explainTokenView, async (context) => {
    const { package: name, version, from } = context.req.valid('query');
    const { record, explanation } = await tokensOf(services, context).explain(context.req.valid('param').id, {
      name,
      version,
      from,
      nowMs: context.env.exchange.nowMs,
    });
    return context.json(showExplanation(explanation, record), 200);
  });
  api.openapi(revokeToken, async (context) => {
    const record = await tokensOf(services, context).revoke(context.req.valid('param').id);
    return context.json(await showOne(services, context, record), 200);
  });
}

function tokensOf(services: TokenServices, { env: { caller } }: ApiContext): CallerTokens {
  return createCallerTokens(services, caller);
}

async function show(services: TokenServices, { env: { exchange } }: ApiContext, records: readonly TokenRecord[]) {
  return (await readTokenStandings(services, records, exchange.nowMs)).map(showToken);
}

async function showOne(services: TokenServices, context: ApiContext, record: TokenRecord) {
  const [shown] = await show(services, context, [record]);
  if (shown === undefined) throw new Error('a token has no document');
  return shown;
}

function asDate(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}
