// An event of the audit log as the management API shows it, and what it can be searched by.

import { z } from '@hono/zod-openapi';
import type { AuditEvent } from '../../state/audit.ts';
import { pageQuery } from '../frame/page.ts';
import { time, timeWhen } from './time.ts';

const text = z.string().min(1).max(200).optional();

export const auditQuery = pageQuery.extend({
  actor: text.openapi({ description: 'of this actor only', example: 'user:usr_9QwErTy04fHj2kLm' }),
  action: text.openapi({ description: 'of this action only', example: 'token.create' }),
  subject: text.openapi({ description: 'about this only', example: 'tok_4fHj2kLm9QwErTy0' }),
  since: time
    .optional()
    .openapi({ maxLength: 40, description: 'from this instant on', example: '2026-11-01T00:00:00Z' }),
  until: time
    .optional()
    .openapi({ maxLength: 40, description: 'before this instant', example: '2026-12-01T00:00:00Z' }),
});

export const auditEventSchema = z
  .object({
    seq: z.number().int().openapi({ description: '1, 2, 3, … without a gap' }),
    time: timeWhen('the change was made'),
    actor: z.string().openapi({
      description: '`cli:`, `user:`, `token:` or `system:`, and who',
      example: 'user:usr_9QwErTy04fHj2kLm',
    }),
    action: z
      .string()
      .openapi({ description: 'the kind of change: the kind of subject, a dot, and a verb', example: 'token.create' }),
    subject: z.string().openapi({ description: 'what was changed', example: 'tok_4fHj2kLm9QwErTy0' }),
    details: z.record(z.string(), z.any()).openapi({ description: 'what was changed, by field; never a secret' }),
    previous: z.string().openapi({ description: 'the hash of the event before; 64 zeros for the first' }),
    hash: z.string().openapi({ description: 'SHA-256 over all of the above' }),
  })
  .openapi('AuditEvent');

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
