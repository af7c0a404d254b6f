// The schemas of an event of the audit log and of its search filters, in the management API.

import { z } from 'zod';
import type { AuditEvent } from '../../state/audit.ts';
import { pageQuery } from '../../registry/page.ts';
import { time, timeSchema } from '../../registry/fields.ts';

const text = z.string().min(1).max(200).optional();

export const auditQuery = pageQuery.extend({
  actor: text.meta({ description: 'only events of this actor', example: 'user:usr_9QwErTy04fHj2kLm' }),
  action: text.meta({ description: 'only events with this action', example: 'token.create' }),
  subject: text.meta({ description: 'only events about this object', example: 'tok_4fHj2kLm9QwErTy0' }),
  since: time
    .optional()
    .meta({ maxLength: 40, description: 'events since this time', example: '2026-11-01T00:00:00Z' }),
  until: time
    .optional()
    .meta({ maxLength: 40, description: 'events before this time', example: '2026-12-01T00:00:00Z' }),
});

export const auditEventSchema = z
  .object({
    seq: z.number().int().meta({ description: 'the number of the event: 1, 2, 3, … without a gap' }),
    time: timeSchema('the change was made'),
    actor: z.string().meta({
      description: 'the author: `cli:`, `user:`, `token:` or `system:`, and its id',
      example: 'user:usr_9QwErTy04fHj2kLm',
    }),
    action: z
      .string()
      .meta({ description: 'the kind of change: the kind of subject, a dot, and a verb', example: 'token.create' }),
    subject: z.string().meta({ description: 'what was changed', example: 'tok_4fHj2kLm9QwErTy0' }),
    details: z.record(z.string(), z.any()).meta({ description: 'the changes by field, without secrets' }),
    previous: z.string().meta({ description: 'the hash of the previous event; 64 zeros for the first event' }),
    hash: z.string().meta({ description: 'SHA-256 of all fields above' }),
  })
  .meta({ id: 'AuditEvent' });

export function showAuditEvent({
  seq,
  time: at,
  actor,
  action,
  subject,
  details,
  previous,
  hash,
}: AuditEvent): z.infer<typeof auditEventSchema> {
  return { seq, time: at, actor, action, subject, details: { ...details }, previous, hash };
}
