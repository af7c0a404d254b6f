// The fields of webhooks, as API, commands and console have them.

import { z } from 'zod';
import { actorSchema, idSchema, time, timeSchema } from '../registry/fields.ts';
import type { Fixed } from '../registry/operation.ts';
import { jobSchema } from '../sync/job-schema.ts';
import { deliveryOutcomes, providerNames } from './inbox.ts';
import { refusalReasons } from './refusal.ts';

const sync = z.object({
  repository_id: idSchema('repo', 'the repository'),
  job_id: z.string().nullable().meta({
    description: 'the sync that answers the delivery; null while it waits, and when the job is no longer kept',
    example: 'job_4fHj2kLm9QwErTy0',
  }),
  state: z
    .enum(['waiting', 'queued', 'running', 'succeeded', 'failed'])
    .nullable()
    .meta({ description: '`waiting`: for another sync. null: the job is no longer kept' }),
});

const delivery = z
  .object({
    id: idSchema('dlv', 'the delivery'),
    hook: z.enum(['repository', 'registry']).meta({
      description: '`registry`: it was sent to the address for all repositories',
    }),
    provider: z.enum(providerNames).meta({ description: 'who sent it' }),
    provider_id: z.string().meta({
      description: "the id in the provider's list of deliveries",
      example: '72d3162e-cc78-11e3-81ab-4c9367dc0958',
    }),
    event: z.string().meta({ description: "the provider's name of the event", example: 'push' }),
    outcome: z.enum(deliveryOutcomes).meta({ description: '`sync`: it asked for syncs' }),
    received_at: timeSchema('it was received'),
    syncs: z.array(sync).meta({ description: 'the syncs that it asked for' }),
  })
  .meta({ id: 'HookDelivery' });
export type HookDeliveryDocument = Fixed<z.output<typeof delivery>>;

export const hookSchema = z
  .object({
    url: z.string().nullable().meta({
      description:
        'the address of the webhook for the provider; null: `publicUrl` is not set, so that only `path` is known',
      example: 'https://packages.example.org/hooks/repo_4fHj2kLm9QwErTy0',
    }),
    path: z.string().meta({
      description: 'the path of the webhook, below the address of the registry',
      example: '/hooks/repo_4fHj2kLm9QwErTy0',
    }),
    secrets: z
      .array(
        z.object({
          id: idSchema('whs', 'the secret'),
          created_at: timeSchema('it was made'),
          ends_at: time.nullable().meta({ description: 'when it ends; null: it is the current secret' }),
        }),
      )
      .meta({ description: 'the valid secrets without their text, newest first; `[]`: there is no webhook' }),
    created_at: time.nullable().meta({ description: 'when the webhook was made; null: there is none' }),
    created_by: actorSchema('made it; null: there is no webhook').nullable(),
    refused: z
      .object({
        count: z.int().meta({ description: 'the number of such requests' }),
        last_at: timeSchema('the last one came'),
        reason: z.enum(refusalReasons).meta({ description: 'why the last one was refused' }),
        remedy: z.string().meta({ description: 'what helps most likely, for a person' }),
      })
      .nullable()
      .meta({
        description: 'requests without a right proof since the current secret was made, up to a minute old; null: none',
      }),
    deliveries: z.array(delivery).meta({
      description: 'the last 20, newest first; those to the address for all repositories that concern it are included',
    }),
  })
  .meta({ id: 'Hook' });
export type HookDocument = Fixed<z.output<typeof hookSchema>>;

export const issuedHook = hookSchema
  .extend({
    secret: z.string().meta({
      description: 'the text of the new secret. No other answer shows it',
      example: `whsec_${'A'.repeat(43)}=`,
    }),
  })
  .meta({ id: 'IssuedHook' });

export const hookIssue = z
  .strictObject({
    drop_old: z.boolean().default(false).meta({
      description: 'true: the former secret ends at once. false: it stays valid for 24 hours',
    }),
  })
  .meta({ id: 'HookIssue' });

export const replayedJobs = z
  .object({ data: z.array(jobSchema).meta({ description: 'the sync of each repository' }) })
  .meta({ id: 'ReplayedJobs' });
export type ReplayedDocument = Fixed<z.output<typeof replayedJobs>>;
