// Parts of the documents that commands print with --json.

import { z } from 'zod';

export const text = (description: string) => z.string().describe(description);
export const flag = (description: string) => z.boolean().describe(description);
export const count = (description: string) => z.number().int().describe(description);
export const time = (description: string) => z.iso.datetime().describe(description);
export const texts = (description: string) => z.array(z.string()).describe(description);
export const orNull = <Type extends z.ZodType>(type: Type, meaning: string) => type.nullable().describe(meaning);

export const name = text('the name of the package, such as acme/hello');
export const version = text('the version, as published');
export const normalized = text('the normalized version, as Composer compares it');
export const reference = text('`dist.reference` of the content');
export const source = text('the source');
export const message = text('what was found, and what to do');

/** A version that a report lists. */
export const versionLine = z.object({ name, version, source });

/** A content that a tombstone names. */
export const tombstoneLabel = z.object({ name, version, version_normalized: normalized, reference });

/** Versions that a change of tombstones purges. */
export const purgedVersions = z
  .array(
    tombstoneLabel.extend({
      state: z
        .enum(['published', 'superseded', 'withdrawn', 'mirrored', 'unknown'])
        .describe('the state before; `unknown`: no intact record has it'),
    }),
  )
  .describe('the versions of this registry that are purged');
export const tombstones = z.array(tombstoneLabel).describe('the added tombstones');

/** The plan that a command prints when it needs --yes; the exit code is 2. */
export const unconfirmedPurge = z
  .object({
    confirmed: z.literal(false).describe('nothing was changed; --yes confirms'),
    tombstones,
    purged_versions: purgedVersions,
  })
  .describe('without --yes: the versions that --yes would purge');

/** What a change of a remote registry prints that needs a session; the exit code is 2. */
export const inConsole = z
  .object({
    confirmed: z.literal(false).describe('nothing was changed; the person confirms it in the console'),
    form: text('the address of the form in the console, with its fields filled in'),
  })
  .describe('with --url: the form that confirms the change');

export const auditVerdict = z.union([
  z.object({
    sound: z.literal(true).describe('no event was changed or removed'),
    head: z
      .object({ seq: count('the number of the last event'), hash: text('the hash of the last event') })
      .describe('the head of the log, to be kept elsewhere'),
  }),
  z.object({
    sound: z.literal(false).describe('an event was changed or removed'),
    seq: count('the first such event'),
    reason: text('what is wrong with it'),
  }),
]);
