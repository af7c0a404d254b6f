// A person's own tokens of `libretto login` over HTTP: the list, and the end of one. They work with a session and with
// such a token, so that `libretto logout` ends its own.

import { answering } from '../frame/json-content.ts';
import { z } from 'zod';
import { endPersonalToken, personalTokens } from '../../auth/personal-tokens.ts';
import type { TokenRecord } from '../../core/tokens/token.ts';
import type { TokenUse, TokenUses } from '../../core/tokens/token-uses.ts';
import type { Tokens } from '../../auth/tokens.ts';
import type { Actor } from '../../state/audit.ts';
import type { StateStore } from '../../core/state/state-store.ts';
import { actor, operation, type Api, type ApiContext } from '../frame/api.ts';
import { paginate, pageOf, pageQuery } from '../../registry/page.ts';
import { idSchema, time, timeSchema } from '../../registry/fields.ts';
import { ageOrder } from '../../state/rows.ts';
import { userIdOf } from './authentication.ts';

export interface OwnTokenServices {
  readonly tokensOf: (actor: Actor) => Tokens;
  readonly state: Pick<StateStore, 'get' | 'range'>;
  readonly uses: Pick<TokenUses, 'of'>;
}

const tags = ['Authentication'];

const ownToken = z
  .object({
    id: idSchema('tok', 'the token'),
    description: z.string().meta({ description: 'where it was made', example: 'libretto login on ada-laptop' }),
    created_at: timeSchema('it was made'),
    expires_at: time.nullable().meta({ description: 'when it expires' }),
    last_used_at: time.nullable().meta({ description: 'the time of the last request with it' }),
    last_used_from: z
      .string()
      .nullable()
      .meta({ description: 'the client address of the last request with it', example: '203.0.113.7' }),
    current: z.boolean().meta({ description: 'true for the token of this request' }),
  })
  .meta({ id: 'OwnToken' });

const listOwnTokens = operation({
  operationId: 'listOwnTokens',
  method: 'get',
  path: '/api/auth/tokens',
  tags,
  summary: 'List your tokens',
  description: 'The valid tokens that you got by `libretto login`, newest first.',
  request: { query: pageQuery },
  responses: { 200: answering(pageOf(ownToken), 'a page of your tokens') },
});

const endOwnToken = operation({
  operationId: 'endOwnToken',
  method: 'delete',
  path: '/api/auth/tokens/{id}',
  tags,
  summary: 'End one of your tokens',
  description: 'Takes effect with the next request. The token of this request can be ended too.',
  request: { params: z.strictObject({ id: idSchema('tok', 'the token') }) },
  responses: { 200: answering(ownToken, 'the ended token') },
  errors: ['NOT_FOUND'],
});

export function registerOwnTokens(api: Api, { tokensOf, state, uses }: OwnTokenServices): void {
  api.openapi(listOwnTokens, async (context) => {
    const { data, next_cursor } = paginate(
      await personalTokens(state, userIdOf(context), context.env.exchange.nowMs),
      context.req.valid('query'),
      ageOrder,
      true,
    );
    const used = await uses.of(data.map(({ id }) => id));
    return context.json({ data: data.map((record) => show(context, record, used.get(record.id))), next_cursor }, 200);
  });
  api.openapi(endOwnToken, async (context) => {
    const tokens = tokensOf(actor(context));
    const record = await endPersonalToken(tokens, userIdOf(context), context.req.valid('param').id);
    return context.json(show(context, record, (await uses.of([record.id])).get(record.id)), 200);
  });
}

function show(
  { env: { caller } }: ApiContext,
  { id, description, created_at, expires_at }: TokenRecord,
  use: TokenUse | undefined,
): z.infer<typeof ownToken> {
  return {
    id,
    description,
    created_at,
    expires_at,
    last_used_at: use === undefined ? null : new Date(use.atMs).toISOString(),
    last_used_from: use?.from ?? null,
    current: 'token' in caller && caller.token.id === id,
  };
}
