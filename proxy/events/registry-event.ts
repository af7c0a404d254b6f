// What happened in the registry, as people and other programs are notified of it. Pure.

import { createHash } from 'node:crypto';
import type { Branded } from '../../build/contract/brand.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../build/contract/json.ts';
import { malformedRecord } from '../core/state/state-error.ts';

/** Every type of event, with its meaning for people. */
export const eventMeanings = {
  'package.version.published': 'a version was published, or got other contents',
  'package.version.withdrawn': 'a version is no longer offered',
  'package.version.refused': 'a build left a version out, with the reason',
  'package.abandoned': 'a package was marked as abandoned',
  'repository.sync.failed': 'the sync of a repository failed for the first time',
  'repository.sync.recovered': 'the sync of a repository succeeded after failures',
  'advisory.published': 'there is a new security advisory for a published package',
  'policy.blocked': 'a rule of the policy refused a version, or a version of Composer, for the first time',
  'review.waiting': 'the policy holds a release until time or a person decides',
  'token.expiring': 'a token ends in 14 days, or in 2 days',
  'audit.event': 'an event of the audit log',
} as const;

export type EventType = keyof typeof eventMeanings;
export const eventTypes = Object.keys(eventMeanings) as readonly EventType[];

/** Sent by the test of an endpoint; no endpoint selects it. */
export const testType = 'endpoint.test';

/** `evt_` and 22 characters: the same over retries, over hosts, and after a restart. */
export type EventId = Branded<string, 'EventId'>;

/** The package that an event tells about, for filters and views. */
export interface EventSubject {
  readonly name: string;
  /** null: the event is about the package as a whole */
  readonly version_normalized: string | null;
  /** when the version was released, epoch milliseconds; null: unknown, or the package as a whole */
  readonly released_ms: number | null;
}

export interface RegistryEvent {
  readonly id: EventId;
  readonly type: EventType | typeof testType;
  /** when it happened, RFC 3339 UTC */
  readonly at: string;
  /** what receivers get; never a secret */
  readonly data: JsonObject;
  /** null: the event is about no single package */
  readonly subject: EventSubject | null;
}

/** `parts` name the event: equal parts give the same id. */
export function eventId(...parts: readonly (string | number)[]): EventId {
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
  // `-` and `_` would break the selection of an id by double click
  return `evt_${digest.replaceAll(/[-_]/g, '0').slice(0, 22)}` as EventId;
}

/** Ids of the audit log sort as its numbers do: events of one millisecond keep their order. */
export function auditEventId(seq: number, hash: string): EventId {
  return `evt_${String(seq).padStart(12, '0')}${eventId(seq, hash).slice(-10)}` as EventId;
}

export function parseEventId(text: string): EventId | undefined {
  return /^evt_[0-9A-Za-z]{22}$/.test(text) ? (text as EventId) : undefined;
}

export function isEventType(value: unknown): value is EventType {
  return typeof value === 'string' && Object.hasOwn(eventMeanings, value);
}

/** The event as the state stores it. Throws StateError for any other value. */
export function parseEvent(value: JsonValue | undefined): RegistryEvent {
  if (
    isJsonObject(value) &&
    typeof value['id'] === 'string' &&
    parseEventId(value['id']) !== undefined &&
    (isEventType(value['type']) || value['type'] === testType) &&
    typeof value['at'] === 'string' &&
    isJsonObject(value['data']) &&
    isSubject(value['subject'])
  )
    return value as unknown as RegistryEvent;
  throw malformedRecord('The record of an event');
}

function isSubject(value: JsonValue | undefined): boolean {
  if (value === null) return true;
  return (
    isJsonObject(value) &&
    typeof value['name'] === 'string' &&
    (value['version_normalized'] === null || typeof value['version_normalized'] === 'string') &&
    (value['released_ms'] === null || typeof value['released_ms'] === 'number')
  );
}
