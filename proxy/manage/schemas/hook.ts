// The shapes of webhooks in requests and responses of the management API.

import { z } from '@hono/zod-openapi';
import { deliveryOutcomes, providerNames } from '../../hooks/inbox.ts';
import { refusalReasons } from '../../hooks/refusal.ts';
import { actorSchema, idSchema } from './id.ts';
import { jobSchema } from './job.ts';
import { time, timeSchema } from './time.ts';

const sync = z.object({
  repository_id: idSchema('repo', 'the repository'),
  job_id: z.string().nullable().openapi({
    description: 'the sync that answers the delivery; null while it waits, and when the job is no longer kept',
    example: 'job_4fHj2kLm9QwErTy0',
  }),
  state: z
    .enum(['waiting', 'queued', 'running', 'succeeded', 'failed'])
    .nullable()
    .openapi({ description: '`waiting`: for another sync. null: the job is no longer kept' }),
});

const delivery = z
  .object({
    id: idSchema('dlv', 'the delivery'),
    hook: z.enum(['repository', 'registry']).openapi({
      description: '`registry`: it was sent to the address for all repositories',
    }),
    provider: z.enum(providerNames).openapi({ description: 'who sent it' }),
    provider_id: z.string().openapi({
      description: "the id in the provider's list of deliveries",
      example: '72d3162e-cc78-11e3-81ab-4c9367dc0958',
    }),
    event: z.string().openapi({ description: "the provider's name of the event", example: 'push' }),
    outcome: z.enum(deliveryOutcomes).openapi({ description: '`sync`: it asked for syncs' }),
    received_at: timeSchema('it was received'),
    syncs: z.array(sync).openapi({ description: 'the syncs that it asked for' }),
  })
  .openapi('HookDelivery');

const hook = {
  url: z.string().nullable().openapi({
    description:
      'the address of the webhook for the provider; null: `publicUrl` is not set, so that only `path` is known',
    example: 'https://packages.example.org/hooks/repo_4fHj2kLm9QwErTy0',
  }),
  path: z.string().openapi({
    description: 'the path of the webhook, below the address of the registry',
    example: '/hooks/repo_4fHj2kLm9QwErTy0',
  }),
  secrets: z
    .array(
      z.object({
        id: idSchema('whs', 'the secret'),
        created_at: timeSchema('it was made'),
        ends_at: time.nullable().openapi({ description: 'when it ends; null: it is the current secret' }),
      }),
    )
    .openapi({ description: 'the valid secrets without their text, newest first; `[]`: there is no webhook' }),
  created_at: time.nullable().openapi({ description: 'when the webhook was made; null: there is none' }),
  created_by: actorSchema('made it; null: there is no webhook').nullable(),
  refused: z
    .object({
      count: z.int().openapi({ description: 'the number of such requests' }),
      last_at: timeSchema('the last one came'),
      reason: z.enum(refusalReasons).openapi({ description: 'why the last one was refused' }),
      remedy: z.string().openapi({ description: 'what helps most likely, for a person' }),
    })
    .nullable()
    .openapi({
      description: 'requests without a right proof since the current secret was made, up to a minute old; null: none',
    }),
  deliveries: z.array(delivery).openapi({
    description: 'the last 20, newest first; those to the address for all repositories that concern it are included',
  }),
};

export const hookSchema = z.object(hook).openapi('Hook');

export const issuedHook = z
  .object({
    ...hook,
    secret: z.string().openapi({
      description: 'the text of the new secret. No other answer shows it',
      example: `whsec_${'A'.repeat(43)}=`,
    }),
  })
  .openapi('IssuedHook');

export const hookIssue = z
  .strictObject({
    drop_old: z.boolean().default(false).openapi({
      description: 'true: the former secret ends at once. false: it stays valid for 24 hours',
    }),
  })
  .openapi('HookIssue');

export const replayedJobs = z
  .object({ data: z.array(jobSchema).openapi({ description: 'the sync of each repository' }) })
  .openapi('ReplayedJobs');
