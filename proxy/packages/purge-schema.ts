// Purged versions as API and commands show them.

import { z } from 'zod';
import { purgeReasons } from '../../build/contract/purged.ts';
import { timeSchema } from '../registry/fields.ts';
import type { Fixed } from '../registry/operation.ts';
import { remainsOf } from './purge-remains.ts';
import type { NotedTombstone } from './purges.ts';
import type { PurgeResult } from './version-purger.ts';

const name = z.string().meta({ description: 'the name of the package', example: 'acme/hello' });
const version = z.string().meta({ description: 'the version, as it was published', example: '1.2.0' });
const normalized = z
  .string()
  .meta({ description: 'the normalized version, as Composer compares it', example: '1.2.0.0' });
const reference = z.string().meta({ description: '`dist.reference` of the content' });
const reason = z.enum(purgeReasons).meta({ description: 'the reason that clients see' });

export const purgeBody = z
  .strictObject({
    reason,
    note: z.string().max(1000).optional().meta({
      description: 'an explanation for admins and the audit log',
      example: 'a key in config/prod.php',
    }),
    reference: z
      .string()
      .max(64)
      .regex(/^[0-9a-f]{7,64}$/)
      .optional()
      .meta({
        description:
          'for a dev version: purge only this content, given by its reference or the start of its reference. ' +
          'Default: all contents the version ever had',
        example: '9f8e7d6c5b4a',
      }),
  })
  .meta({ id: 'Purge' });

const content = z
  .object({
    name,
    version,
    version_normalized: normalized,
    reference,
    state: z
      .enum(['published', 'superseded', 'withdrawn', 'mirrored', 'purged'])
      .meta({ description: 'the state before the purge; `purged`: an earlier purge removed it' }),
  })
  .meta({ id: 'PurgedContent' });

const alike = z
  .object({
    name,
    version,
    version_normalized: normalized,
    reference,
    state: z.enum(['published', 'superseded', 'withdrawn']).meta({ description: 'the state of the content' }),
    command: z.string().meta({
      description: 'the command that purges this content too; run it on the host of the registry',
      example: 'libretto package purge acme/hello dev-main --reason secret --reference 4f5e6d7c8b9a',
    }),
  })
  .meta({ id: 'AlikeVersion' });

export const purgeSchema = z
  .object({
    name,
    version,
    reason,
    purged_at: timeSchema('it was purged'),
    serial: z
      .number()
      .int()
      .meta({ description: 'the number of the first publication without the version', example: 42 }),
    contents: z
      .array(content)
      .meta({ description: 'all removed contents, including the same bytes under other versions' }),
    alike: z.array(alike).meta({
      description:
        'other contents of the package with the same files in another archive. They stay. To remove one too, ' +
        'run its `command`, or send this request for its `version` (for a branch, with its `reference`)',
    }),
    files: z.array(z.string()).meta({
      description: 'removed archives below `public/`; remove them from other copies of the tree too',
    }),
    sources: z.array(z.string()).meta({ description: 'sources that may still contain the version' }),
    remains: z
      .array(z.string())
      .meta({ description: 'places outside the registry that may still contain the content, in sentences' }),
  })
  .meta({ id: 'PurgedVersion' });

const maybe = (description: string) => z.string().nullable().meta({ description });

export const tombstoneSchema = z
  .object({
    name,
    version,
    version_normalized: normalized,
    reference,
    sha1: maybe('SHA-1 of the archive; null if unknown'),
    sha256: maybe('SHA-256 of the archive; null if unknown'),
    content: z
      .object({
        files: z.int().meta({ description: 'the number of files' }),
        bytes: z.int().meta({ description: 'their size without composer.json' }),
        digest: z.string().meta({ description: 'SHA-256 over paths and bytes' }),
      })
      .nullable()
      .meta({ description: 'the files of the archive; null if unknown' }),
    released: maybe('when it was released; null if unknown'),
    source: maybe('the id of its source; null: it was mirrored'),
    reason,
    since: timeSchema('it was purged'),
    note: z.string().nullable().meta({
      description: 'the explanation given for the purge; null without one, or for a tombstone from another registry',
    }),
    purged_at: timeSchema('it was purged, as `since`'),
    purged_by: z.string().nullable().meta({
      description: 'who purged it; null for a tombstone from another registry',
      example: 'user:usr_4fHj2kLm9QwErTy0',
    }),
  })
  .meta({ id: 'Tombstone' });

export type TombstoneDocument = Fixed<z.output<typeof tombstoneSchema>>;

export function showPurge(outcome: PurgeResult): Fixed<z.output<typeof purgeSchema>> {
  const { name: of, version: label, reason: why, since, ...rest } = outcome;
  return { name: of, version: label, reason: why, purged_at: since, ...rest, remains: remainsOf(outcome) };
}

export function showTombstone(row: NotedTombstone): TombstoneDocument {
  return { ...row, purged_at: row.since };
}
