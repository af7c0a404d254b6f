// The events of the audit log, for endpoints that ask for them. A cursor in the state says how far the log was handed
// over; it exists only while such an endpoint does.

import { auditEventId, type RegistryEvent } from '../../events/registry-event.ts';
import { auditEventKey, auditEventPrefix, type AuditEvent } from '../../state/audit.ts';
import type { StateStore } from '../../core/state/state-store.ts';
import { isJsonObject, type JsonValue } from '../../../build/contract/json.ts';
import { listEndpoints } from '../endpoints/list-endpoints.ts';
import { commitEvents, cursorPrefix, numberIn, type Collecting } from './collecting.ts';

export const auditCursorKey = `${cursorPrefix}audit`;
const eventsAtOnce = 200;

export async function collectAudit(collecting: Collecting): Promise<void> {
  const { state } = collecting;
  const asking = (await listEndpoints(state)).filter(({ events }) => events.includes('audit.event'));
  const [first] = asking;
  for (;;) {
    const entry = await state.get(auditCursorKey);
    const revision = entry?.revision ?? null;
    if (first === undefined) {
      if (entry === undefined) return;
      const conditions = [{ key: auditCursorKey, revision: entry.revision }];
      if (await state.commit({ conditions, puts: [], deletes: [auditCursorKey], quiet: true })) return;
      continue;
    }
    const done = numberIn(entry?.value, 'done') ?? (await lastBefore(state, first.created_at));
    const rows = await state.range(auditEventPrefix, { after: auditEventKey(done), limit: eventsAtOnce });
    const events = rows.flatMap(({ value }) => eventIn(value) ?? []);
    const last = events.at(-1);
    if (last === undefined && entry !== undefined) return;
    const moved = await commitEvents(
      collecting,
      events.map(auditEvent),
      { key: auditCursorKey, revision },
      { done: last?.seq ?? done },
    );
    if (!moved || last === undefined) return;
  }
}

/** The number of the last event before this time. */
async function lastBefore(state: Pick<StateStore, 'range'>, time: string): Promise<number> {
  let after: string | undefined;
  for (;;) {
    const rows = await state.range(auditEventPrefix, {
      reverse: true,
      limit: eventsAtOnce,
      ...(after === undefined ? {} : { after }),
    });
    const old = rows.flatMap(({ value }) => eventIn(value) ?? []).find((event) => event.time < time);
    if (old !== undefined) return old.seq;
    after = rows.at(-1)?.key;
    if (after === undefined) return 0;
  }
}

/** A malformed row is reported by `libretto audit verify`. */
function eventIn(value: JsonValue): AuditEvent | undefined {
  const isEvent = isJsonObject(value) && typeof value['seq'] === 'number' && typeof value['time'] === 'string';
  return isEvent ? (value as unknown as AuditEvent) : undefined;
}

function auditEvent({ seq, time, actor, action, subject, details, hash }: AuditEvent): RegistryEvent {
  return {
    id: auditEventId(seq, hash),
    type: 'audit.event',
    at: time,
    data: { event: { seq, time, actor, action, subject, details, hash } },
    subject: null,
  };
}
