// The document of `libretto review`: one form for each way to review.

import { z } from 'zod';
import { capabilityKinds } from '../../build/review/capabilities.ts';
import { findingKinds } from '../../build/review/finding.ts';
import { findingKinds as lockFindingKinds } from '../../build/review/lock-review.ts';
import * as part from './parts.ts';

const { count, flag, name, orNull, text, texts } = part;

const capability = z.object({
  kind: z.enum(capabilityKinds).describe('what a release can do by its composer.json'),
  detail: text('the file, the package or the place that is new'),
});
const capabilities = (description: string) => z.array(capability).describe(description);

const finding = z.object({
  kind: z.enum(findingKinds).describe('what the files or the code can newly do'),
  detail: text('the function, the host, or what was seen'),
  file: orNull(z.string(), 'its path in the package; null: the package as a whole'),
  line: orNull(z.number().int(), 'from 1; null: the file as a whole'),
  loaded: flag('whether autoload or bin reaches the file'),
});

const ofArchives = z.object({
  ok: z.literal(true).describe('the archives were reviewed'),
  rules: count('the version of the rules about files and code'),
  gained: capabilities('what the new composer.json brings'),
  lost: capabilities('what it no longer has'),
  findings: z.array(finding).describe('the gravest first'),
  left: count('findings that are not listed'),
});
const unread = z.object({
  ok: z.literal(false).describe('the archives could not be reviewed'),
  problem: text('why'),
});
const ofRepositories = z.object({
  repositories: count('the named repositories'),
  counts: z
    .array(
      z.object({
        level: z.enum(['patch', 'minor', 'major']).describe('against the release below'),
        releases: count('releases'),
        held: count('releases that gained a decisive capability'),
      }),
    )
    .describe('by kind of release'),
  held: z
    .array(
      z.object({
        folder: text('the repository, as given'),
        version: part.version,
        level: z.enum(['patch', 'minor', 'major']).describe('against the release below'),
        gained: capabilities('what the release brought'),
      }),
    )
    .describe('the releases that gained a decisive capability'),
});

const ofLocks = z
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
                kind: z.enum(lockFindingKinds).describe('what it concerns'),
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

export const reviewDocuments = { review: z.union([ofArchives, unread, ofRepositories, ofLocks]) };
