// What a token sees of a package, and why not more, as the management API shows it.

import { z } from '@hono/zod-openapi';
import type { Explanation } from '../../auth/explain-view.ts';
import { reasonText } from '../../auth/explanation-text.ts';
import type { TokenLimits } from '../../views/token-limits.ts';
import { idOf } from './id.ts';
import { time } from './time.ts';

export const explanationQuery = z.strictObject({
  package: z.string().min(3).max(201).openapi({ description: 'the package that is asked about', example: 'acme/shop' }),
  version: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .openapi({ description: 'this version; also one that is not published', example: '2.0.0' }),
  from: z.union([z.ipv4(), z.ipv6()], 'It must be an address such as 203.0.113.7 or 2001:db8::7.').optional().openapi({
    type: 'string',
    maxLength: 45,
    description: 'asked from this address; left out: from where it may be used',
    example: '203.0.113.7',
  }),
});

const hidingLimit = z.enum(['packages', 'constraints', 'stability', 'not_after']);

export const explanationSchema = z
  .object({
    token_id: idOf('tok', 'the token'),
    package: z.string().openapi({ description: 'the package that was asked about', example: 'acme/shop' }),
    version: z.string().nullable().openapi({ description: 'the version that was asked about; null: all of them' }),
    seen: z.boolean().openapi({ description: 'whether a request with this token finds it' }),
    mirrored: z.boolean().openapi({
      description:
        'not published here, and asked of mirrored repositories: it goes by the limits alone, and what there is of it is looked at when somebody asks for it',
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
            .openapi({ description: 'the limit that hides it, for a program' }),
          message: z.string().openapi({ description: 'the same for a person' }),
        }),
      )
      .openapi({ description: 'why not' }),
    versions: z
      .array(
        z.object({
          version: z.string().openapi({ description: 'the version', example: '1.2.0' }),
          state: z
            .enum(['published', 'superseded', 'withdrawn'])
            .nullable()
            .openapi({ description: 'null: there is no such version here' }),
          stability: z
            .string()
            .openapi({ description: 'the stability that Composer reads from the version', example: 'stable' }),
          released_at: time.nullable().openapi({
            description: 'what not_after goes by; null: not known; of what is mirrored, before somebody asked for it',
          }),
          seen: z.boolean().openapi({ description: 'whether the token sees it' }),
          hidden_by: z.array(hidingLimit).openapi({ description: 'the limits that hide it' }),
        }),
      )
      .openapi({ description: 'newest first; every content of a version on its own' }),
  })
  .openapi('TokenExplanation');

export function showExplanation(
  { reasons, versions, ...explanation }: Explanation,
  limits: TokenLimits,
): z.infer<typeof explanationSchema> {
  return {
    ...explanation,
    reasons: reasons.map((code) => ({ code, message: reasonText(code, limits) })),
    versions: versions.map(({ hidden_by: hiddenBy, ...version }) => ({ ...version, hidden_by: [...hiddenBy] })),
  };
}
