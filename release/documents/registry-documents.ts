// The documents of the commands for packages, repositories, the mirror and the whole registry.

import { z } from 'zod';
import { errorBody } from '../../proxy/manage/frame/error-responses.ts';
import { statusSchema } from '../../proxy/manage/routes/status.ts';
import { artifactSchema } from '../../proxy/artifacts/artifact-schema.ts';
import { hookSchema } from '../../proxy/hooks/hook-schema.ts';
import { connectedRepository, connectionSchema, removedConnection } from '../../proxy/forges/connection-schema.ts';
import { jobSchema } from '../../proxy/sync/job-schema.ts';
import { reportProject } from '../../proxy/usage/operations.ts';
import { toldSchema, usageSchema } from '../../proxy/usage/usage-schema.ts';
import { packageSummary, statisticsSchema, withdrawalSchema } from '../../proxy/packages/package-schema.ts';
import { removedRepository, repositorySchema, verificationSchema } from '../../proxy/sync/repository-schema.ts';
import { buildReport } from './build-documents.ts';
import { archiveLine } from './why-document.ts';
import * as part from './parts.ts';
import { tombstoneSchema } from '../../proxy/packages/purge-schema.ts';
import { format, recovery, restored, changedRelease, purge, refreshed, servers } from './registry-shapes.ts';

const { count, flag, name, orNull, reference, text, time, version } = part;

/** With --purged. */
const tombstones = z.object({
  format,
  versions: z.array(tombstoneSchema).describe('the tombstones of purged versions, newest first'),
});

export const registryDocuments = {
  publish: z.union([
    artifactSchema,
    z.object({
      dry_run: z.literal(true).describe('--dry-run was given'),
      name,
      version,
      reference,
      sha256: text('SHA-256 of the ZIP, in lower-case hex'),
      size: count('bytes of the ZIP'),
      already_published: flag('true: these bytes are published, and nothing would change'),
    }),
  ]),
  'package list': z.union([
    z.object({
      packages: z
        .array(packageSummary.omit({ keywords: true, downloads: true }))
        .describe('the packages that match, by name'),
    }),
    tombstones,
  ]),
  'package withdraw': z.union([withdrawalSchema, part.inConsole]),
  'package purge': purge,
  'package recover-purged': z.union([
    tombstones.extend({ recovery }),
    z.object({ format, dry_run: z.literal(true).describe('--dry-run was given'), recovery }),
    part.unconfirmedPurge,
  ]),
  usage: usageSchema.extend({ name }),
  report: reportProject.answer,
  tell: toldSchema,
  'package statistics': statisticsSchema.extend({ name }),
  'repository add': repositorySchema,
  'repository update': z.union([repositorySchema, part.inConsole]),
  'repository list': z.object({ repositories: z.array(repositorySchema).describe('oldest first') }),
  'repository show': repositorySchema.extend({ jobs: z.array(jobSchema).describe('the last syncs, newest first') }),
  'repository sync': jobSchema,
  'repository hook': hookSchema.extend({
    secret: orNull(z.string(), 'the new secret, which no other output shows; null: none was made'),
    replayed: z
      .object({
        delivery: text('the delivery that was replayed'),
        jobs: z.array(jobSchema.pick({ id: true, repository_id: true, state: true })).describe('its new syncs'),
      })
      .nullable()
      .describe('null: no delivery was replayed'),
  }),
  'repository verify': z.union([verificationSchema, errorBody]),
  'repository remove': z.union([removedRepository, part.inConsole]),
  'repository withdraw': z.union([
    buildReport,
    z.object({
      published: z.literal(false).describe('nothing changed'),
      withdrawn: z.array(z.never()).describe('nothing was left'),
    }),
  ]),
  'connection add': refreshed,
  'connection refresh': refreshed,
  'connection update': connectionSchema,
  'connection list': z.object({ connections: z.array(connectionSchema).describe('oldest first') }),
  'connection show': connectionSchema.extend({
    repositories: z.array(connectedRepository).describe('the repositories that the forge lists, by name'),
  }),
  'connection remove': removedConnection,
  'mirror list': z.object({
    archives: z.array(archiveLine).describe('the stored archives'),
    unreadable: z.array(z.object({ path: text('the record'), message: part.message })).describe('unreadable records'),
  }),
  'mirror warm': z.object({
    packages: z
      .array(
        z.object({
          name,
          version,
          outcome: z
            .enum(['fetched', 'here', 'not-mirrored', 'missing', 'failed'])
            .describe('`here`: it was stored already. `missing`: the upstream has no such version'),
          reason: orNull(z.string(), 'why it is not stored; null: it is'),
        }),
      )
      .describe('the locked packages'),
  }),
  'mirror verify': z.object({
    ok: flag('whether there is no fault'),
    archives: count('the number of checked archives'),
    faults: z
      .array(
        z.object({
          name,
          version,
          shasum: text('SHA-1 of the accepted archive'),
          found: orNull(z.string(), 'SHA-1 of the present archive; null: it is missing'),
        }),
      )
      .describe('missing and damaged archives'),
    unreadable: z.array(z.object({ path: text('the record'), message: part.message })).describe('unreadable records'),
    changed: orNull(z.array(changedRelease), 'releases that their upstream has changed; null: unknown'),
    without_zip: orNull(
      z.array(
        z.object({
          name,
          version,
          reason: z
            .enum(['dist-type', 'no-dist'])
            .describe('`dist-type`: its archive is no ZIP. `no-dist`: it has none'),
          because: text('the reason in words'),
        }),
      ),
      'versions that are not mirrored, since they have no ZIP archive; null: unknown',
    ),
  }),
  'mirror refresh': z.object({
    name: orNull(z.string(), 'the package that was requested; null: none'),
    problem: orNull(z.string(), 'what keeps it from being mirrored; null: nothing'),
  }),
  'mirror prune': z.object({
    dry_run: flag('whether --dry-run was given'),
    removed: z
      .array(
        z.object({
          path: text('below the folder of the mirror'),
          bytes: count('its size'),
          kind: z.enum(['partial', 'unnamed', 'document']).describe('`partial`: of a killed process'),
        }),
      )
      .describe('the removed files'),
    freed_bytes: count('their size'),
  }),
  'import satis': z.object({
    out: orNull(z.string(), 'the written file; null for standard output'),
    config: z.record(z.string(), z.unknown()).describe('the content of the libretto.json'),
    options: z
      .array(
        z.object({
          option: text('the option of the satis.json'),
          outcome: z.enum(['carried', 'as-is', 'not-carried']).describe('what became of it'),
          detail: text('the new option, or the reason'),
        }),
      )
      .describe('every option of the satis.json'),
  }),
  // a command counts no requests, and older servers know fewer fields
  status: statusSchema.partial({ started_at: true, counters: true, mirror: true, state: true }).extend({
    servers: servers.optional(),
  }),
  doctor: z.object({
    ok: flag('whether no check failed'),
    version: text('the version of Libretto'),
    checks: z
      .array(
        z.object({
          check: text('the name of the check'),
          verdict: z.enum(['ok', 'warning', 'failed', 'skipped']).describe('`skipped`: impossible, or of no use here'),
          message: text('the result'),
          advice: orNull(z.string(), 'the repair; null if nothing is to do'),
        }),
      )
      .describe('the checks, in their order'),
  }),
  'config import': z.union([
    z.object({
      dry_run: flag('whether --dry-run was given'),
      changes: z
        .array(
          z.object({
            what: z
              .enum(['setting', 'repository', 'user', 'team', 'publisher', 'policy'])
              .describe('the kind of the object'),
            name: text('the key, address, email or name'),
            change: z.enum(['create', 'update']).describe('`update`: it existed'),
            fields: z.record(z.string(), z.unknown()).describe('the new values'),
          }),
        )
        .describe('the changes'),
      invitations: z
        .array(
          z.object({
            email: text('the email of the user'),
            token: text('the invitation; shown only once'),
            expires_at: time('when it ends'),
          }),
        )
        .describe('for new users'),
      without_credentials: part.texts('repositories whose credentials are missing'),
      purged: count('the number of tombstones in the file'),
      tombstones: part.tombstones,
      purged_versions: part.purgedVersions,
    }),
    part.unconfirmedPurge,
  ]),
  backup: z.object({
    directory: text('the folder of the backup'),
    created_at: time('when it was made'),
    serial: count('the number of its publication; 0: nothing was published'),
    files: count('the number of files'),
    bytes: count('their size'),
  }),
  restore: z.union([
    restored,
    part.unconfirmedPurge,
    z.object({
      made: flag('with --empty: whether a state was created'),
      place: text('the folder, or the address of the Redis without credentials'),
      identity: text('the identity of the state'),
      set_aside: orNull(z.string(), 'the place of the damaged state; null: there was none'),
    }),
  ]),
};
