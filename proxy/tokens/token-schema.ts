// A token as every surface shows and takes it. Its secret is only in the answer that makes one.

import { z } from 'zod';
import { longestGraceSeconds, standardGraceSeconds } from '../auth/rotate-token.ts';
import type { TokenUsage } from '../auth/token-standings.ts';
import { effectiveLimit, tokenStatus } from '../core/tokens/token.ts';
import { idSchema, time, timeSchema } from '../registry/fields.ts';
import type { Fixed } from '../registry/operation.ts';
import { shownLimits, takenLimits } from '../registry/token-limit-fields.ts';
import { isoTime } from '../../build/shared/text/iso-time.ts';

const kind = z
  .enum(['read', 'write'])
  .meta({ description: '`read`: reads packages. `write`: also publishes packages' });
const description = z
  .string()
  .min(1)
  .max(200)
  .meta({ description: 'the user and purpose of the token; one line', example: 'CI of acme/shop' });
const rateLimit = z
  .number()
  .int()
  .min(0)
  .max(1_000_000_000)
  .nullable()
  .meta({ description: 'requests per hour; 0: no limit; null: the default of its kind', example: 1000 });
const expiresAt = time.nullable().meta({ description: 'when the token expires; null: never' });

export const tokenSchema = z
  .object({
    id: idSchema('tok', 'the token'),
    description,
    kind: kind.meta({
      description: '`read`: reads packages. `write`: also publishes packages. The kind cannot be changed',
    }),
    status: z.enum(['active', 'expired', 'revoked']).meta({ description: 'only an active token is accepted' }),
    rate_limit: rateLimit,
    effective_rate_limit: z
      .number()
      .int()
      .meta({ description: 'the effective limit: its own, or the default of its kind; 0: no limit' }),
    created_at: timeSchema('it was made'),
    person: idSchema('usr', "the person whose token it is, by `libretto login`; null: it is nobody's").nullable(),
    created_by: z.string().meta({ description: 'who made it', example: 'cli:root' }),
    expires_at: expiresAt,
    revoked_at: time.nullable().meta({ description: 'when it was revoked; null: not revoked' }),
    ...shownLimits,
    previous_expires_at: time
      .nullable()
      .meta({ description: 'until then, the previous secret is also accepted; null without one' }),
    last_used_at: time.nullable().meta({ description: 'the time of the last request with the token' }),
    last_used_from: z
      .string()
      .nullable()
      .meta({ description: 'the client address of the last request with the token', example: '203.0.113.7' }),
    requests: z
      .object({
        used: z.number().int().meta({ description: 'requests in the current window' }),
        limit: z.number().int().meta({ description: 'the maximum number of requests in the window' }),
        resets_at: time
          .nullable()
          .meta({ description: 'when the window ends; null: the next request starts a window' }),
      })
      .nullable()
      .meta({
        description:
          'the request count; null: the token has no limit, or the answer is from the host of the registry: nobody counts there',
      }),
  })
  .meta({ id: 'Token' });
export type TokenDocument = Fixed<z.output<typeof tokenSchema>>;

const expiry = expiresAt.optional().meta({ example: '2035-12-31T00:00:00.000Z', maxLength: 40 });
const draftExpiry = expiry.meta({ description: 'when the token expires; left out: after 90 days; null: never' });
export const tokenDraft = z
  .strictObject({ description, kind, rate_limit: rateLimit.optional(), expires_at: draftExpiry, ...takenLimits })
  .meta({ id: 'TokenDraft' });
/** Accepts `kind` only to refuse it with a specific code. */
export const tokenPatch = z
  .strictObject({
    description: description.optional(),
    rate_limit: rateLimit.optional(),
    expires_at: expiry,
    ...takenLimits,
    kind: kind.optional().meta({ description: 'refused with KIND_IMMUTABLE: the kind cannot be changed' }),
  })
  .meta({ id: 'TokenPatch', example: { description: 'CI of acme/shop', rate_limit: 2000 } });
export const createdToken = tokenSchema
  .extend({ token: z.string().meta({ description: 'the secret; it appears only in this answer' }) })
  .meta({ id: 'CreatedToken' });
export type CreatedToken = Fixed<z.output<typeof createdToken>>;

export const tokenRotation = z
  .strictObject({
    grace_seconds: z
      .number()
      .int()
      .min(0)
      .max(longestGraceSeconds)
      .default(standardGraceSeconds)
      .meta({ description: 'how long the previous secret keeps working; 0: it ends at once', example: 3600 }),
  })
  .meta({ id: 'TokenRotation' });

export function showToken({ record, defaults, nowMs, use, window, isCounted }: TokenUsage): TokenDocument {
  const { foreign_hash: _foreign, ...own } = record;
  const { limit: rate_limit, hash: _hash, previous_hash: _previous, previous_expires_at, ...fields } = own;
  const limit = effectiveLimit(record, defaults);
  return {
    ...fields,
    person: record.person ?? null,
    rate_limit,
    effective_rate_limit: limit,
    status: tokenStatus(record, nowMs),
    previous_expires_at:
      previous_expires_at !== null && nowMs < Date.parse(previous_expires_at) ? previous_expires_at : null,
    last_used_at: use === undefined ? null : isoTime(use.atMs),
    last_used_from: use?.from ?? null,
    requests:
      limit === 0 || !isCounted
        ? null
        : { used: window?.used ?? 0, limit, resets_at: window === undefined ? null : isoTime(window.endsAtMs) },
  };
}
