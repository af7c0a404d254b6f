// The parts of the documents about the data folder, purges and the mirror.

import { z } from 'zod';
import { purgeSchema, tombstoneSchema } from '../../proxy/packages/purge-schema.ts';
import { connectionSchema, refreshStep } from '../../proxy/forges/connection-schema.ts';
import * as part from './parts.ts';

const { count, flag, name, orNull, text, time, version } = part;

export const tombstone = tombstoneSchema.omit({ note: true, purged_at: true, purged_by: true });

export const format = z.literal(1).describe('the version of this document, for --recover and --purged');

export const recovery = z
  .object({
    added: count('the number of added tombstones'),
    tombstones: part.tombstones,
    purged: part.purgedVersions,
    replaced: z.array(part.tombstoneLabel).describe('lost rows, of which only these fields are known'),
    dropped: z.array(tombstone).describe('rows that no other record confirms'),
    doubtful: z.array(part.tombstoneLabel).describe('rows whose digests no other record confirms'),
    unproven_withdrawals: z.literal(true).optional().describe('nothing proves that no version was withdrawn by hand'),
    damage: text('a damaged package that keeps purged versions until the next build').optional(),
  })
  .describe('with --recover: the recovery');

export const restored = z.object({
  directory: text('the backup'),
  data: orNull(z.string(), 'the restored data folder; null with --dry-run'),
  created_at: time('when the backup was made'),
  serial: count('the number of its publication'),
  files: count('the number of files'),
  bytes: count('their size'),
  audit: orNull(part.auditVerdict, 'the check of the audit log; null without a state'),
  tombstones: part.tombstones.optional(),
  purged_versions: part.purgedVersions.optional(),
});

export const changedRelease = z.object({ name, version, message: part.message });

export const purge = purgeSchema.omit({ purged_at: true }).extend({
  dry_run: flag('whether --dry-run was given'),
  since: time('when it was purged'),
});

export const refreshed = z.object({
  dry_run: flag('whether --dry-run was given'),
  finished: flag('false: the refresh did not come to its end, or a remote registry begins it'),
  message: orNull(z.string(), 'why not; null: it did'),
  connection: connectionSchema.nullable().describe('the connection after it; null: a plan of a remote registry'),
  steps: z.array(refreshStep).describe('what the refresh did, or found'),
});

export const servers = z
  .array(
    z.object({
      host: orNull(part.text('the name of its host'), 'the host; null: unknown'),
      pid: orNull(part.count('its process there'), 'its process there; null: unknown'),
      version: orNull(part.text('of Libretto'), 'the version of Libretto; null: 0.2.0 or before'),
      address: orNull(
        part.text('for clients'),
        'its address for clients; null: unknown, or of use on its own host alone',
      ),
      since: orNull(part.text('RFC 3339'), 'its start; null: unknown'),
      serial: orNull(
        part.count('grows with each publication'),
        'what it serves; null: the publication of the data folder',
      ),
      lag_seconds: orNull(
        z.number(),
        'how old the newest publication is, if it does not serve it yet; otherwise 0; null: unknown',
      ),
    }),
  )
  .describe('the running servers with this state; a remote registry does not name them');
