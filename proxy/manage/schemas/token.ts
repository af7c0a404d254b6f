// A token as the management API shows and takes it.

import { z } from '@hono/zod-openapi';
import { effectiveLimit, tokenStatus, type TokenRecord } from '../../auth/token.ts';
import type { TokenKind } from '../../auth/token-format.ts';
import { time } from './time.ts';

const kind = z.enum(['read', 'write']);
const description = z.string().min(1).max(200).openapi({ description: 'who uses it, for what; one line', example: 'CI of acme/shop' });
const rateLimit = z.number().int().min(0).max(1_000_000_000).nullable().openapi({ description: 'requests an hour; 0: unlimited; null: the default of its kind', example: 1000 });
const expiresAt = time.nullable().openapi({ description: 'from then on it opens nothing; null: never' });

export const tokenSchema = z
  .object({
    id: z.string().openapi({ example: 'tok_4fHj2kLm9QwErTy0' }),
    description,
    kind: kind.openapi({ description: 'never changes' }),
    status: z.enum(['active', 'expired', 'revoked']),
    rate_limit: rateLimit,
    effective_rate_limit: z.number().int().openapi({ description: 'the limit in force, the default of its kind included; 0: unlimited' }),
    created_at: time,
    created_by: z.string().openapi({ description: 'who made it', example: 'cli:root' }),
    expires_at: expiresAt,
    revoked_at: time.nullable(),
  })
  .openapi('Token');

export const tokenDraft = z.strictObject({ description, kind, rate_limit: rateLimit.optional(), expires_at: expiresAt.optional() }).openapi('TokenDraft');
/** `kind` is taken to be refused with a code of its own. */
export const tokenPatch = z.strictObject({ description: description.optional(), rate_limit: rateLimit.optional(), expires_at: expiresAt.optional(), kind: kind.optional() }).openapi('TokenPatch');
export const createdToken = tokenSchema.extend({ token: z.string().openapi({ description: 'the secret: shown this once, kept nowhere' }) }).openapi('CreatedToken');

export function showToken(record: TokenRecord, defaults: Readonly<Record<TokenKind, number>>, nowMs: number): z.infer<typeof tokenSchema> {
  const { limit, hash: _hash, ...fields } = record;
  return { ...fields, rate_limit: limit, effective_rate_limit: effectiveLimit(record, defaults), status: tokenStatus(record, nowMs) };
}
