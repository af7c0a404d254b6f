// Reads the audit log, newest event first. One call reads a limited number of events. A filter with few matches gives
// short pages, and `before` marks the start of the next page.

import { isJsonObject, type JsonValue } from '../../build/contract/json.ts';
import {
  auditEventKey,
  auditEventPrefix,
  auditHeadKey,
  parseAuditHead,
  type AuditEvent,
  type AuditHead,
} from './audit.ts';
import { malformedRecord } from '../core/state/state-error.ts';
import type { StateStore } from '../core/state/state-store.ts';
import { readRow } from './rows.ts';

export interface AuditFilter {
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly subject?: string | undefined;
  /** earliest time of an event (inclusive), epoch milliseconds */
  readonly sinceMs?: number | undefined;
  /** before this instant */
  readonly untilMs?: number | undefined;
}

export interface AuditPage {
  readonly events: readonly AuditEvent[];
  /** the following page has the events before this number; undefined: there are none */
  readonly before: number | undefined;
}

const atOnce = 500;
const lookedAtMost = 20_000;
/**
 * Events are in the order they were written, and a clock may have been set back: this much after `since` the reading
 * ends.
 */
const clockSlackMs = 24 * 3_600_000;

type Store = Pick<StateStore, 'get' | 'range'>;

/** Up to `limit` events that fit, older than the event `before`. */
export async function readAuditLog(
  store: Store,
  filter: AuditFilter,
  { limit, before }: { readonly limit: number; readonly before?: number | undefined },
): Promise<AuditPage> {
  const events: AuditEvent[] = [];
  let after = before === undefined ? undefined : auditEventKey(before);
  for (let looked = 0; looked < lookedAtMost; looked += atOnce) {
    const rows = await store.range(auditEventPrefix, {
      reverse: true,
      limit: atOnce,
      ...(after === undefined ? {} : { after }),
    });
    for (const { key, value } of rows) {
      const event = parseEvent(value);
      if (Date.parse(event.time) < (filter.sinceMs ?? Number.NEGATIVE_INFINITY) - clockSlackMs)
        return { events, before: undefined };
      if (fits(event, filter)) {
        // one event more than requested: another page exists
        if (events.length === limit) return { events, before: events.at(-1)?.seq };
        events.push(event);
      }
      after = key;
    }
    if (rows.length < atOnce) return { events, before: undefined };
  }
  return { events, before: after === undefined ? undefined : Number(after.slice(auditEventPrefix.length)) };
}

/** The head of the log: its newest event, for copies elsewhere; undefined for an empty log. */
export async function readAuditHead(store: Pick<StateStore, 'get'>): Promise<AuditHead | undefined> {
  return readRow(store, auditHeadKey, parseAuditHead);
}

function fits({ actor, action, subject, time }: AuditEvent, filter: AuditFilter): boolean {
  const timeMs = Date.parse(time);
  return (
    (filter.actor === undefined || filter.actor === actor) &&
    (filter.action === undefined || filter.action === action) &&
    (filter.subject === undefined || filter.subject === subject) &&
    (filter.sinceMs === undefined || timeMs >= filter.sinceMs) &&
    (filter.untilMs === undefined || timeMs < filter.untilMs)
  );
}

function parseEvent(value: JsonValue): AuditEvent {
  if (
    isJsonObject(value) &&
    typeof value['seq'] === 'number' &&
    isJsonObject(value['details']) &&
    ['time', 'actor', 'action', 'subject', 'previous', 'hash'].every((field) => typeof value[field] === 'string')
  ) {
    return value as unknown as AuditEvent;
  }
  throw malformedRecord('An event of the audit log');
}

// Copies the head of the audit log to a place outside the state. The copy reveals a person who can write the state and
// rewrites the whole chain.

export interface AuditCopiesOptions {
  readonly store: Pick<StateStore, 'get'>;
  readonly copy: (head: AuditHead) => void;
  readonly onError: (error: unknown) => void;
  readonly everyMs?: number;
}

/** Now, then every so often, and at the end, whenever the head has moved. */
export function startAuditCopies({ store, copy, onError, everyMs = 600_000 }: AuditCopiesOptions) {
  let copied = 0;
  const look = async (): Promise<void> => {
    try {
      const head = await readAuditHead(store);
      if (head === undefined || head.seq === copied) return;
      copied = head.seq;
      copy(head);
    } catch (error) {
      onError(error);
    }
  };
  const timer = setInterval(() => void look(), everyMs).unref();
  const first = look();
  return {
    /** Copies once more, and ends. */
    close: async (): Promise<void> => {
      clearInterval(timer);
      await first;
      await look();
    },
  };
}
