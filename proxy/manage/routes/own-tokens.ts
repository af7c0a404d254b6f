// A person's own tokens of `libretto login` over HTTP: the list, and the end of one. They work with a session and with
// such a token, so that `libretto logout` ends its own.

import { z } from 'zod';
import { endPersonalToken, personalTokens } from '../../auth/personal-tokens.ts';
import type { TokenRecord } from '../../core/tokens/token.ts';
import type { TokenUse, TokenUses } from '../../core/tokens/token-uses.ts';
import type { Tokens } from '../../auth/tokens.ts';
import type { Actor } from '../../state/audit.ts';
import type { StateStore } from '../../core/state/state-store.ts';
import { operation, type Call } from '../../registry/operation.ts';
import { paginate, pageOf, pageQuery } from '../../registry/page.ts';
import { idSchema, time, timeSchema } from '../../registry/fields.ts';
import { ageOrder } from '../../state/rows.ts';
import { personOf } from './authentication.ts';

export interface OwnTokenServices {
  readonly tokensOf: (actor: Actor) => Tokens;
  readonly state: Pick<StateStore, 'get' | 'range'>;
  readonly uses: Pick<TokenUses, 'of'>;
}

const tag = 'Authentication';

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
  id: 'listOwnTokens',
  method: 'get',
  path: '/api/auth/tokens',
  tag,
  summary: 'List your tokens',
  description: 'The valid tokens that you got by `libretto login`, newest first.',
  query: pageQuery,
  answer: pageOf(ownToken),
  answers: 'a page of your tokens',
  run: async ({ state, uses }: OwnTokenServices, query, call) => {
    const own = await personalTokens(state, personOf(call).userId, call.nowMs);
    const { data, next_cursor } = paginate(own, query, ageOrder, true);
    const used = await uses.of(data.map(({ id }) => id));
    return { data: data.map((record) => show(call, record, used.get(record.id))), next_cursor };
  },
});

const endOwnToken = operation({
  id: 'endOwnToken',
  method: 'delete',
  path: '/api/auth/tokens/{id}',
  tag,
  summary: 'End one of your tokens',
  description: 'Takes effect with the next request. The token of this request can be ended too.',
  params: z.strictObject({ id: idSchema('tok', 'the token') }),
  answer: ownToken,
  answers: 'the ended token',
  errors: ['NOT_FOUND'],
  run: async ({ tokensOf, uses }: OwnTokenServices, { id }, call) => {
    const record = await endPersonalToken(tokensOf(call.actor), personOf(call).userId, id);
    return show(call, record, (await uses.of([record.id])).get(record.id));
  },
});

export const ownTokenOperations = [listOwnTokens, endOwnToken];

function show(
  { caller }: Call,
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
