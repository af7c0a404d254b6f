// The document of `libretto review --json`.

import { z } from 'zod';
import { findingKinds } from '../../build/review/lock-review.ts';
import { flag, name, orNull, text, texts } from './parts.ts';

export const lockReview = z
  .object({
    packages: z
      .array(
        z.object({
          name,
          change: z
            .enum(['added', 'removed', 'updated', 'downgraded', 'changed'])
            .describe('`changed`: the same version with other bytes, addresses or abilities'),
          from: orNull(z.string(), 'the version before; null: added'),
          to: orNull(z.string(), 'the new version; null: removed'),
          age_days: orNull(z.number().int(), 'days since the release of the new version; null: unknown'),
          remarkable: flag('true: a finding is a warning or an error'),
          findings: z
            .array(
              z.object({
                kind: z.enum(findingKinds).describe('what it concerns'),
                level: z.enum(['error', 'warning', 'note']).describe('`note`: ordinary'),
                message: text('the finding'),
              }),
            )
            .describe('what is new, the gravest first'),
          lost: texts('what it can no longer do'),
          advisories_gone: texts('ids of advisories that only the version before has'),
        }),
      )
      .describe('packages that differ, remarkable ones first'),
  })
  .describe('the review of two lock files');
