// The shape of an explanation: the versions that a token sees, and the limits that hide the others.

import { z } from 'zod';
import type { Explanation } from '../auth/explain-view.ts';
import { reasonText } from '../auth/explanation-text.ts';
import type { TokenLimits } from '../core/views/token-limits.ts';
import { idSchema, time } from '../registry/fields.ts';
import type { Fixed } from '../registry/operation.ts';

export const explanationQuery = z.strictObject({
  package: z.string().min(3).max(201).meta({ description: 'the name of the package', example: 'acme/shop' }),
  version: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .meta({ description: 'one version, published or not', example: '2.0.0' }),
  from: z.union([z.ipv4(), z.ipv6()], 'It must be an address such as 203.0.113.7 or 2001:db8::7.').optional().meta({
    type: 'string',
    maxLength: 45,
    description: 'check for a client with this address; default: an allowed address',
    example: '203.0.113.7',
  }),
});

const hidingLimit = z.enum(['packages', 'constraints', 'stability', 'not_after']);

export const explanationSchema = z
  .object({
    token_id: idSchema('tok', 'the token'),
    package: z.string().meta({ description: 'the requested package', example: 'acme/shop' }),
    version: z.string().nullable().meta({ description: 'the requested version; null: all versions' }),
    seen: z.boolean().meta({ description: 'whether the token sees it' }),
    mirrored: z.boolean().meta({
      description:
        'true: the package is not published here, and may come from a mirrored repository. Only the limits are ' +
        'checked; the package is fetched on its first request',
    }),
    reasons: z
      .array(
        z.object({
          code: z
            .enum([
              'revoked',
              'expired',
              'networks',
              'packages',
              'constraints',
              'stability',
              'not_after',
              'not_published',
            ])
            .meta({ description: 'the limit that hides it, for a program' }),
          message: z.string().meta({ description: 'the explanation, for a person' }),
        }),
      )
      .meta({ description: 'the reasons, if not' }),
    versions: z
      .array(
        z.object({
          version: z.string().meta({ description: 'the version', example: '1.2.0' }),
          state: z
            .enum(['published', 'superseded', 'withdrawn'])
            .nullable()
            .meta({ description: 'the state of the version; null: no such version here' }),
          stability: z
            .string()
            .meta({ description: 'the stability that Composer derives from the version', example: 'stable' }),
          released_at: time.nullable().meta({
            description:
              'the release time that not_after uses; null: unknown, for example for a mirrored version before ' +
              'its first request',
          }),
          seen: z.boolean().meta({ description: 'whether the token sees it' }),
          hidden_by: z.array(hidingLimit).meta({ description: 'the limits that hide it' }),
        }),
      )
      .meta({ description: 'newest first, with one entry for each content of a version' }),
  })
  .meta({ id: 'TokenExplanation' });
export type TokenExplanation = Fixed<z.output<typeof explanationSchema>>;

export function showExplanation(
  { reasons, versions, ...explanation }: Explanation,
  limits: TokenLimits,
): TokenExplanation {
  return {
    ...explanation,
    reasons: reasons.map((code) => ({ code, message: reasonText(code, limits) })),
    versions,
  };
}
