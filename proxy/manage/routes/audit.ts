// The audit log over HTTP: the same reader as `libretto audit list`.

import { RegistryError } from '../../../build/contract/errors.ts';
import { readAuditLog } from '../../state/audit-log.ts';
import type { StateStore } from '../../core/state/state-store.ts';
import { operation, type Api } from '../frame/api.ts';
import { pageOf, readCursor, writeCursor } from '../../registry/page.ts';
import { auditEventSchema, auditQuery, showAuditEvent } from '../schemas/audit-event.ts';

export interface AuditServices {
  readonly state: Pick<StateStore, 'get' | 'range'>;
}

const listAuditEvents = operation({
  operationId: 'listAuditEvents',
  method: 'get',
  path: '/api/audit',
  tags: ['Audit'],
  summary: 'List events of the audit log',
  description:
    'Newest first. Every change and every refused login is one event, in one chain of hashes. `libretto audit ' +
    'verify` checks the chain. With a narrow filter, pages can be short or empty; more events can follow until ' +
    '`next_cursor` is null.',
  request: { query: auditQuery },
  responses: {
    200: { description: 'a page of events', content: { 'application/json': { schema: pageOf(auditEventSchema) } } },
  },
});

export function registerAudit(api: Api, { state }: AuditServices): void {
  api.openapi(listAuditEvents, async (context) => {
    const { limit, cursor, since, until, ...filter } = context.req.valid('query');
    const page = await readAuditLog(
      state,
      { ...filter, sinceMs: instant(since), untilMs: instant(until) },
      { limit, before: cursor === undefined ? undefined : sequence(readCursor(cursor)) },
    );
    return context.json(
      {
        data: page.events.map(showAuditEvent),
        next_cursor: page.before === undefined ? null : writeCursor(String(page.before)),
      },
      200,
    );
  });
}

function instant(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text);
}

function sequence(key: string): number {
  if (/^[1-9]\d{0,11}$/.test(key)) return Number(key);
  throw new RegistryError('INVALID_INPUT', {
    details: { issues: [{ path: 'cursor', message: 'is not a cursor that this list gave out' }] },
  });
}
