// The documents of the commands for notifications.

import { z } from 'zod';
import { deliverySchema, endpointSchema, issuedEndpoint } from '../../proxy/notifications/endpoints/endpoint-schema.ts';
import * as part from './parts.ts';

const { count, flag, orNull, text, time } = part;

const endpointId = text('the id of the endpoint');
const deliveries = z.array(deliverySchema).describe('newest first');

export const notifyDocuments = {
  'notify add': issuedEndpoint,
  'notify list': z.object({ endpoints: z.array(endpointSchema).describe('oldest first') }),
  'notify show': endpointSchema.extend({ deliveries }),
  'notify update': z.union([endpointSchema, issuedEndpoint]).describe('`secret`: with --rotate alone'),
  'notify remove': z.object({ id: endpointId }),
  'notify test': z.union([
    deliverySchema.describe('the test of an endpoint'),
    z
      .object({
        to: text('the address of the mail'),
        sent: flag('whether the mail server took it'),
        error: orNull(z.string(), 'why not; null: it did'),
      })
      .describe('with --mail'),
  ]),
  'notify deliveries': z.object({
    endpoint: endpointId,
    replayed: orNull(z.number().int(), 'with --replay: the number of deliveries that are due again; null: without'),
    deliveries,
  }),
  'notify mail': z.object({
    server: orNull(z.string(), 'the address without the password; null: the registry sends no mail'),
    from: orNull(z.string(), 'the sender; null: none is known'),
    password: z
      .enum(['configuration', 'stored', 'unreadable'])
      .nullable()
      .describe('where the password is; `unreadable`: its key is gone; null: there is none'),
    password_note: text('the same in words'),
    last_sent_at: orNull(time('the last success'), 'when the mail server took the last mail; null: never'),
    last_failed_at: orNull(time('the last failure'), 'when a mail failed last; null: never'),
    last_error: orNull(z.string(), 'why it failed; null: none failed'),
    waiting: count('the number of mails that wait'),
    oldest_waiting_at: orNull(time('the oldest'), 'when the oldest of them was made; null: none waits'),
  }),
};
