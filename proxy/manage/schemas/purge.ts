// Purged versions as the management API shows them.

import { z } from '@hono/zod-openapi';
import { purgeReasons } from '../../../build/contract/purged.ts';
import type { NotedTombstone } from '../../packages/purges.ts';
import { remainsOf } from '../../packages/purge-remains.ts';
import type { PurgeOutcome } from '../../packages/version-purger.ts';
import { timeWhen } from './time.ts';

const name = z.string().openapi({ description: 'the name of the package', example: 'acme/hello' });
const version = z.string().openapi({ description: 'the version as it was published', example: '1.2.0' });
const normalized = z.string().openapi({ description: 'the version as Composer compares it', example: '1.2.0.0' });
const reference = z.string().openapi({ description: '`dist.reference` of the content' });
const reason = z
  .enum(purgeReasons)
  .openapi({ description: 'why it was purged: the part of the reason that clients are told' });

export const purgeBody = z
  .strictObject({
    reason,
    note: z.string().max(1000).optional().openapi({
      description: 'the reason in your own words, for the audit log and for admins',
      example: 'a key in config/prod.php',
    }),
    reference: z
      .string()
      .max(64)
      .regex(/^[0-9a-f]{7,64}$/)
      .optional()
      .openapi({
        description:
          'of a dev version this content alone, by its reference or the beginning of it; left out: all contents the version ever had',
        example: '9f8e7d6c5b4a',
      }),
  })
  .openapi('Purge');

const content = z
  .object({
    name,
    version,
    version_normalized: normalized,
    reference,
    state: z
      .enum(['published', 'superseded', 'withdrawn', 'mirrored', 'purged'])
      .openapi({ description: 'what it was before; `purged`: an earlier purge removed it' }),
  })
  .openapi('PurgedContent');

const alike = z
  .object({
    name,
    version,
    version_normalized: normalized,
    reference,
    state: z.enum(['published', 'superseded', 'withdrawn']).openapi({ description: 'what it is' }),
    command: z.string().openapi({
      description: 'the command that purges this content as well, on the host of the registry',
      example: 'libretto package purge acme/hello dev-main --reason secret --reference 4f5e6d7c8b9a',
    }),
  })
  .openapi('AlikeVersion');

export const purgeSchema = z
  .object({
    name,
    version,
    reason,
    purged_at: timeWhen('it was purged'),
    serial: z.number().int().openapi({ description: 'number of the publication without it', example: 42 }),
    contents: z
      .array(content)
      .openapi({ description: 'everything that is gone, the same bytes under other labels included' }),
    alike: z.array(alike).openapi({
      description:
        'contents of the package with the same files in another archive, which stay. If one must go too, run its `command`, or send this request for its `version` (and with its `reference` where the version is a branch)',
    }),
    files: z.array(z.string()).openapi({
      description: 'archives that are gone, below `public/`: a copy of the tree elsewhere has to let go of them too',
    }),
    sources: z.array(z.string()).openapi({ description: 'sources that may still have it' }),
    remains: z
      .array(z.string())
      .openapi({ description: 'what no registry can reach and may still hold it, in sentences' }),
  })
  .openapi('PurgedVersion');

export const tombstoneSchema = z
  .object({
    name,
    version,
    version_normalized: normalized,
    reference,
    reason,
    note: z.string().nullable().openapi({
      description:
        'the reason in the words of who purged it; null where none were given, or the tombstone came from another registry',
    }),
    purged_at: timeWhen('it was purged'),
    purged_by: z.string().nullable().openapi({
      description: 'who purged it; null where the tombstone came from another registry',
      example: 'user:usr_4fHj2kLm9QwErTy0',
    }),
  })
  .openapi('Tombstone');

export function showPurge(outcome: PurgeOutcome): z.infer<typeof purgeSchema> {
  const { name: of, version: label, reason: why, since, serial, contents, alike, files, sources } = outcome;
  return {
    name: of,
    version: label,
    reason: why,
    purged_at: since,
    serial,
    contents: contents.map((one) => ({ ...one })),
    alike: alike.map((one) => ({ ...one })),
    files: [...files],
    sources: [...sources],
    remains: [...remainsOf(outcome)],
  };
}

export function showTombstone({
  name: of,
  version: label,
  version_normalized,
  reference: content,
  reason: why,
  note,
  since,
  purged_by,
}: NotedTombstone): z.infer<typeof tombstoneSchema> {
  return {
    name: of,
    version: label,
    version_normalized,
    reference: content,
    reason: why,
    note,
    purged_at: since,
    purged_by,
  };
}
