// The schemas of a webhook that Libretto receives: the part of its payload that is read, and the answer.

import { z } from '@hono/zod-openapi';
import { deliveryOutcomes } from '../../hooks/inbox.ts';
import { idSchema } from './id.ts';

const address = z.string().max(2048);

export const receivedHookSchema = z
  .looseObject({
    repository: z
      .union([address, z.looseObject({ clone_url: address.openapi({ description: 'the address that git clones' }) })])
      .optional()
      .openapi({
        description: 'the repository that changed: its clone address, or an object as GitHub sends it',
        example: 'https://git.example.org/acme/tool.git',
      }),
  })
  .openapi('ReceivedWebhook');

export const hookAnswerSchema = z
  .object({
    status: z.enum(['accepted', 'repeated']).openapi({
      description: '`repeated`: this delivery was received in the last 24 hours, and asks for nothing again',
    }),
    outcome: z.enum(deliveryOutcomes).openapi({ description: 'what the webhook asks for' }),
    repositories: z
      .array(idSchema('repo', 'a repository'))
      .openapi({ description: 'the repositories that are synced; for a ping, those that a push syncs' }),
    message: z.string().openapi({
      description: 'the outcome, for a person',
      example: 'A sync of each listed repository follows.',
    }),
  })
  .openapi('WebhookAnswer');
