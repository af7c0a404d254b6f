// The audit log: every change of the state appends one event to a hash chain, in the same commit (I8). Either both are
// stored, or neither. `verifyAudit` finds an event that was edited, removed or moved, and a truncated log. Only a copy
// of its head from another place proves a rewritten chain; `verifyAudit` accepts such a copy too.

import { createHash } from 'node:crypto';
import { isJsonObject, type JsonObject, type JsonValue } from '../../build/contract/json.ts';
import type { RandomBytes } from '../../build/shared/text/base62.ts';
import { malformedRecord } from '../core/state/state-error.ts';
import type { StateChange, StateEntry, StateStore } from '../core/state/state-store.ts';

/**
 * The author: a person at the command line, a user with a session, the holder of a token, a CI job of a trusted
 * publisher, or the service itself.
 */
export type Actor = `cli:${string}` | `user:${string}` | `token:${string}` | `publisher:${string}` | `system:${string}`;

export interface AuditDraft {
  readonly actor: Actor;
  /** `token.create`, `token.revoke`, … */
  readonly action: string;
  /** the id of the changed object */
  readonly subject: string;
  /** never a secret */
  readonly details: JsonObject;
}

export interface AuditEvent extends AuditDraft {
  /** 1, 2, 3, … without a gap */
  readonly seq: number;
  /** RFC 3339 UTC */
  readonly time: string;
  /** hash of the event before, hex SHA-256; 64 zeros for the first */
  readonly previous: string;
  /** hex SHA-256 of all of the above */
  readonly hash: string;
}

export interface AuditHead {
  readonly seq: number;
  readonly hash: string;
}

/** A store in which every commit names its action. */
export interface AuditedStore extends Pick<StateStore, 'get' | 'range' | 'generation'> {
  /**
   * As StateStore.commit; false means that one of the change's own conditions failed. A concurrent event never causes
   * it.
   */
  readonly commit: (change: StateChange, event: AuditDraft) => Promise<boolean>;
}

/** The parts that every service needs to change the state. */
export interface ChangeParts {
  readonly store: AuditedStore;
  /** epoch milliseconds */
  readonly now: () => number;
  readonly randomBytes: RandomBytes;
  /** the author of the changes, for `created_by` and every event */
  readonly actor: Actor;
}

export type AuditVerdict =
  | { readonly sound: true; readonly head: AuditHead }
  /** `seq`: the first event that was changed */
  | { readonly sound: false; readonly seq: number; readonly reason: string };

export const auditHeadKey = 'audit/head';
export const auditEventPrefix = 'audit/event/';
const noEvent: AuditHead = { seq: 0, hash: '0'.repeat(64) };

/** The key of event `seq`: padded, so that keys sort as numbers. */
export function auditEventKey(seq: number): string {
  return `${auditEventPrefix}${String(seq).padStart(12, '0')}`;
}

/** `now`: epoch milliseconds. */
export function createAuditedStore({
  store,
  now,
}: {
  readonly store: StateStore;
  readonly now: () => number;
}): AuditedStore {
  const commit = async (change: StateChange, draft: AuditDraft): Promise<boolean> => {
    for (;;) {
      const head = await store.get(auditHeadKey);
      const done = await store.commit(withEvent(change, head, sealEvent(draft, headOf(head), now())));
      if (done) return true;
      const latest = await store.get(auditHeadKey);
      // the head is unchanged, so the caller's own condition failed
      if (latest?.revision === head?.revision) return false;
    }
  };
  return { get: store.get, range: store.range, generation: store.generation, commit };
}

function withEvent(change: StateChange, head: StateEntry | undefined, event: AuditEvent): StateChange {
  const key = auditEventKey(event.seq);
  return {
    conditions: [...change.conditions, { key: auditHeadKey, revision: head?.revision ?? null }],
    puts: [
      ...change.puts,
      { key, value: { ...event } },
      { key: auditHeadKey, value: { seq: event.seq, hash: event.hash } },
    ],
    deletes: change.deletes,
  };
}

function sealEvent({ actor, action, subject, details }: AuditDraft, head: AuditHead, nowMs: number): AuditEvent {
  const event = {
    seq: head.seq + 1,
    time: new Date(nowMs).toISOString(),
    actor,
    action,
    subject,
    details,
    previous: head.hash,
  };
  return { ...event, hash: hashEvent(event) };
}

function headOf(entry: StateEntry | undefined): AuditHead {
  return entry === undefined ? noEvent : parseAuditHead(entry.value);
}

/** The row as stored. Throws StateError for a malformed row: then no event can be appended to the log. */
export function parseAuditHead(value: JsonValue): AuditHead {
  if (isJsonObject(value) && typeof value['seq'] === 'number' && typeof value['hash'] === 'string')
    return { seq: value['seq'], hash: value['hash'] };
  throw malformedRecord("The audit log's head");
}

/** Walks the whole chain. `expected` is a head that was copied out of reach earlier: the chain must still hold it. */
export async function verifyAudit(
  store: Pick<StateStore, 'get' | 'range'>,
  expected: AuditHead = noEvent,
): Promise<AuditVerdict> {
  let last = noEvent;
  for (;;) {
    const before = last.seq;
    for await (const { key, value } of walk(store, last)) {
      const seq = last.seq + 1;
      const reason = key === auditEventKey(seq) ? findEventFault(value, last) : 'the event is missing';
      if (reason !== undefined) return { sound: false, seq, reason };
      last = { seq, hash: hashEvent(value as JsonObject) };
      if (seq === expected.seq && last.hash !== expected.hash)
        return { sound: false, seq, reason: 'it is not the event that the copy of the head was taken from' };
    }
    // read after the events, so its number covers all of them, and also events appended in between: the loop continues
    // with those
    const head = headOf(await store.get(auditHeadKey));
    const missing = Math.max(head.seq, expected.seq) > last.seq;
    if (missing && last.seq === before)
      return {
        sound: false,
        seq: last.seq + 1,
        reason: `the event is missing: the log once reached ${Math.max(head.seq, expected.seq)}`,
      };
    if (missing) continue;
    if (head.seq < last.seq)
      return { sound: false, seq: head.seq + 1, reason: 'the head of the log does not know the event' };
    return head.hash === last.hash
      ? { sound: true, head: last }
      : { sound: false, seq: last.seq, reason: 'it is not the event the head names' };
  }
}

function findEventFault(value: JsonValue, last: AuditHead): string | undefined {
  if (!isJsonObject(value) || value['seq'] !== last.seq + 1) return 'the event is malformed or is in the wrong place';
  if (hashEvent(value) !== value['hash']) return 'the event was changed after it was written';
  return value['previous'] === last.hash ? undefined : 'the event does not follow from the one before';
}

/** All events after `last`, read in pages. */
async function* walk(store: Pick<StateStore, 'range'>, last: AuditHead): AsyncGenerator<StateEntry> {
  let after = auditEventKey(last.seq);
  for (;;) {
    const page = await store.range(auditEventPrefix, { limit: 1000, after });
    yield* page;
    const end = page.at(-1);
    if (end === undefined) return;
    after = end.key;
  }
}

function hashEvent(event: JsonObject): string {
  const { hash: _hash, ...signed } = event;
  return createHash('sha256').update(canonicalJson(signed)).digest('hex');
}

/** Keys sorted, no blanks, undefined left out: equal values give equal text in every store. */
function canonicalJson(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.keys(value)
    .sort()
    .flatMap((key) => {
      const member = value[key];
      return member === undefined ? [] : [`${JSON.stringify(key)}:${canonicalJson(member)}`];
    });
  return `{${members.join(',')}}`;
}
