// The fields of a sync job of a repository, as API, commands and console have them.

import { z } from 'zod';
import { actorSchema, idSchema, time, timeSchema } from '../registry/fields.ts';
import type { Fixed } from '../registry/operation.ts';

const line = z.object({
  name: z.string().nullable().meta({ description: 'the package; null if unknown', example: 'acme/tool' }),
  version: z.string().nullable().meta({ description: 'the version; null if unknown', example: '1.2.0' }),
});
const count = (description: string) => z.number().int().meta({ description });

export const jobSchema = z
  .object({
    id: idSchema('job', 'the sync'),
    repository_id: idSchema('repo', 'the repository that is synced'),
    state: z.enum(['queued', 'running', 'succeeded', 'failed']).meta({ description: 'the progress of the sync' }),
    trigger: z.enum(['request', 'hook', 'interval']).meta({
      description: '`request`: a person or a token asked for it. `hook`: a webhook. `interval`: it was due',
    }),
    created_at: timeSchema('it was requested'),
    created_by: actorSchema('requested it'),
    started_at: time.nullable().meta({ description: 'when it started; null while it waits' }),
    finished_at: time.nullable().meta({ description: 'when it ended; null before the end' }),
    error: z
      .object({
        code: z.string().meta({ description: 'an error code, such as BUILD_BUSY' }),
        message: z.string().meta({ description: 'what went wrong, for a person' }),
      })
      .nullable()
      .meta({ description: 'the reason of the failure; null without a failure' }),
    log: z.array(z.string()).meta({ description: 'lines of a time and a sentence; empty for a read token' }),
    report: z
      .object({
        published: z.boolean().meta({ description: 'false: nothing visible to clients has changed' }),
        serial: z.number().int().meta({ description: 'the number of the publication that was current at the end' }),
        counts: z
          .object({
            added: count('new versions'),
            changed: count('versions with new content'),
            withdrawn: count('versions that are no longer offered'),
            quarantined: count('versions that were left out'),
          })
          .meta({ description: 'the number of versions in each list' }),
        added: z.array(line).meta({ description: 'each list has at most 500 entries; the counts include all' }),
        changed: z.array(line).meta({ description: 'versions with new content' }),
        withdrawn: z.array(line).meta({ description: 'versions that are no longer offered' }),
        quarantined: z
          .array(
            line.extend({
              code: z.string().meta({ description: 'the reason, for a program', example: 'VERSION_CHANGED' }),
              message: z.string().meta({ description: 'what is wrong and what to do' }),
              where: z.string().meta({ description: 'the source, and the place in the source' }),
            }),
          )
          .meta({ description: 'versions that were left out, with the reason' }),
        notices: z.array(z.string()).meta({ description: 'notices for people, one sentence each' }),
      })
      .nullable()
      .meta({ description: 'null while the job runs, after a failure, and for a read token' }),
  })
  .meta({ id: 'Job' });
export type JobDocument = Fixed<z.output<typeof jobSchema>>;
