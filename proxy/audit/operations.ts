// What can be done with the audit log: the fields of an event, and the operation that API and commands call.

import { z } from 'zod';
import { invalidInput } from '../../build/contract/errors.ts';
import type { StateStore } from '../core/state/state-store.ts';
import { time, timeSchema } from '../registry/fields.ts';
import { operation, type Fixed } from '../registry/operation.ts';
import { pageOf, pageQuery, readCursor, writeCursor } from '../registry/page.ts';
import { readAuditLog } from '../state/audit-log.ts';

export interface AuditServices {
  readonly state: Pick<StateStore, 'get' | 'range'>;
}

const text = z.string().min(1).max(200).optional();
const auditQuery = pageQuery.extend({
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
export type AuditEventDocument = Fixed<z.output<typeof auditEventSchema>>;

export const listAuditEvents = operation({
  id: 'listAuditEvents',
  method: 'get',
  path: '/api/audit',
  tag: 'Audit',
  summary: 'List events of the audit log',
  description:
    'Newest first. Every change and every refused login is one event, in one chain of hashes. `libretto audit ' +
    'verify` checks the chain. With a narrow filter, pages can be short or empty; more events can follow until ' +
    '`next_cursor` is null.',
  query: auditQuery,
  answer: pageOf(auditEventSchema),
  answers: 'a page of events',
  run: async ({ state }: AuditServices, { limit, cursor, since, until, ...filter }) => {
    const { events, before } = await readAuditLog(
      state,
      { ...filter, sinceMs: instant(since), untilMs: instant(until) },
      { limit, before: cursor === undefined ? undefined : sequence(readCursor(cursor)) },
    );
    return { data: events, next_cursor: before === undefined ? null : writeCursor(String(before)) };
  },
});

export const auditOperations = [listAuditEvents];

function instant(given: string | undefined): number | undefined {
  return given === undefined ? undefined : Date.parse(given);
}

function sequence(key: string): number {
  if (/^[1-9]\d{0,11}$/.test(key)) return Number(key);
  throw invalidInput({ path: 'cursor', message: 'is not a cursor that this list gave out' });
}
