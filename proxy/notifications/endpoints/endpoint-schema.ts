// The fields of notification endpoints and of their deliveries, as API, commands and console have them.

import { z } from 'zod';
import type { JsonObject } from '../../../build/contract/json.ts';
import { stabilities } from '../../core/views/token-limits.ts';
import { eventMeanings, eventTypes, testType } from '../../events/registry-event.ts';
import { actorSchema, idSchema, time, timeSchema } from '../../registry/fields.ts';
import type { Fixed } from '../../registry/operation.ts';
import { deliveryStates } from '../model/delivery.ts';
import { endpointForms, signatureSchemes } from '../model/endpoint.ts';

const name = z.string().min(1).max(100).meta({ description: 'a name for people', example: 'Deployment' });
const form = z.enum(endpointForms).meta({
  description: '`standard`: a request of Standard Webhooks. The others: a message of this chat service',
});
const meanings = eventTypes.map((type) => `\`${type}\`: ${eventMeanings[type]}`).join('; ');
const events = z
  .array(z.enum(eventTypes))
  .min(1)
  .max(eventTypes.length)
  .meta({
    description: `the events that the endpoint is notified of. ${meanings}`,
    example: ['package.version.published', 'package.version.withdrawn'],
  });
const packages = z
  .array(z.string().min(1).max(201))
  .min(1)
  .max(200)
  .nullable()
  .meta({ description: 'only events of packages with these names; null: of all', example: ['acme/*'] });
const stability = z.enum(stabilities).nullable().meta({
  description: 'only versions of at least this stability; null: of any',
});
const view = idSchema(
  'tok',
  'a token: the endpoint is notified only of what this token sees; null: of everything',
).nullable();
const url = (description: string) =>
  z.string().min(1).max(2000).meta({ description, example: 'https://deploy.example.org/hooks/libretto' });

const fields = {
  name: name.optional(),
  url: url('the address; it is stored encrypted, and its secret part is never shown'),
  events: events.optional(),
  packages: packages.optional(),
  stability: stability.optional(),
  view: view.optional(),
};

const signature = z.enum(signatureSchemes).meta({
  description: '`v1`: HMAC-SHA256 with a shared secret. `v1a`: ed25519, with a public key',
});

export const endpointSchema = z
  .object({
    id: idSchema('ntf', 'the endpoint'),
    name,
    form,
    url: url('the address without its secret part'),
    events,
    packages,
    stability,
    view,
    signature: signature.nullable().meta({ description: 'null: chat messages are not signed' }),
    secrets: z
      .array(
        z.object({
          id: idSchema('whs', 'the secret'),
          created_at: timeSchema('it was made'),
          ends_at: time.nullable().meta({ description: 'when it ends; null: it is the current secret' }),
          public_key: z.string().nullable().meta({ description: 'for `v1a`: `whpk_` and base64' }),
        }),
      )
      .meta({ description: 'the valid secrets without their text, newest first. Each of them signs' }),
    enabled: z.boolean().meta({ description: 'false: nothing is sent, and new events are not kept for it' }),
    disabled_reason: z
      .enum(['by hand', 'gone', 'token ended'])
      .nullable()
      .meta({ description: '`gone`: the receiver answered 410. `token ended`: the token of its view ended' }),
    waiting: z.int().meta({ description: 'deliveries that wait for an attempt, at most 1000 are counted' }),
    failures: z.int().meta({ description: 'failed attempts since the last success' }),
    last_delivered_at: time.nullable().meta({ description: 'the last success; null: none yet' }),
    last_failed_at: time.nullable().meta({ description: 'the last failure; null: none yet' }),
    last_error: z.string().nullable().meta({ description: 'why the last attempt failed; null: it did not' }),
    paused_until: time.nullable().meta({ description: 'after failures: nothing is sent before; null: no pause' }),
    created_at: timeSchema('it was made'),
    created_by: actorSchema('made it'),
    updated_at: timeSchema('it was last changed'),
  })
  .meta({ id: 'NotificationEndpoint' });
export type EndpointDocument = Fixed<z.output<typeof endpointSchema>>;

export const issuedEndpoint = endpointSchema
  .extend({
    secret: z
      .string()
      .nullable()
      .meta({
        description:
          'what the receiver verifies with: the shared secret of `v1`, which no other answer shows, or the public key ' +
          'of `v1a`. null: chat messages are not signed',
        example: `whsec_${'A'.repeat(43)}=`,
      }),
  })
  .meta({ id: 'IssuedNotificationEndpoint' });
export type IssuedEndpointDocument = Fixed<z.output<typeof issuedEndpoint>>;

export const endpointDraft = z
  .strictObject({ ...fields, form: form.optional(), signature: signature.optional() })
  .meta({
    id: 'NotificationEndpointDraft',
    example: { name: 'Deployment', url: 'https://deploy.example.org/hooks/libretto', packages: ['acme/*'] },
  });

export const endpointPatch = z
  .strictObject({
    ...fields,
    url: fields.url.optional(),
    enabled: z.boolean().optional().meta({ description: 'true: sends again, also after an end by 410' }),
  })
  .meta({ id: 'NotificationEndpointPatch', example: { events: ['package.version.published'], stability: 'stable' } });

export const secretRotation = z
  .strictObject({
    drop_old: z.boolean().default(false).meta({
      description: 'true: the former secret ends at once. false: both sign for 24 hours',
    }),
  })
  .meta({ id: 'NotificationSecretRotation' });

export const deliverySchema = z
  .object({
    id: idSchema('evt', 'the event: the header webhook-id, the same in every attempt'),
    type: z.enum([...eventTypes, testType]).meta({ description: 'the type of the event' }),
    at: timeSchema('it happened'),
    state: z.enum(deliveryStates).meta({
      description: '`hidden`: the token of the view does not see it any more. `failed`: there is no further attempt',
    }),
    attempts: z
      .array(
        z.object({
          at: timeSchema('it began'),
          status: z.int().nullable().meta({ description: 'of the answer; null: there was none' }),
          milliseconds: z.int().meta({ description: 'until the answer, or until the failure' }),
          error: z.string().nullable().meta({ description: 'why it failed; null: it was delivered' }),
        }),
      )
      .meta({ description: 'the last attempts, oldest first' }),
    next_at: time.nullable().meta({ description: 'when the next attempt is due; null: none is' }),
    data: (z.record(z.string(), z.unknown()) as z.ZodType<JsonObject>).meta({ description: 'what the receiver gets' }),
  })
  .meta({ id: 'NotificationDelivery' });
export type DeliveryDocument = Fixed<z.output<typeof deliverySchema>>;

export const replayRange = z
  .strictObject({
    event: idSchema('evt', 'the event to send again; without it, `since` is needed').optional(),
    since: time.max(40).optional().meta({ description: 'events from this time on' }),
    until: time.max(40).optional().meta({ description: 'events until this time' }),
  })
  .meta({ id: 'NotificationReplay', example: { since: '2026-11-01T00:00:00Z' } });

export const replayed = z
  .object({ deliveries: z.int().meta({ description: 'the number of deliveries that are sent again' }) })
  .meta({ id: 'ReplayedNotifications' });
