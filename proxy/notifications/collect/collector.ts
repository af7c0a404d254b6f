// Looks for new events, and hands them to their receivers. Publications are noticed by the stamp of one file; the rest
// is looked at less often.

import type { Catalogue } from '../../packages/catalogue.ts';
import type { PublishedAdvisories } from '../../core/tree/published-advisories.ts';
import type { PublishedFiles } from '../../core/tree/published-files.ts';
import { collectPublications, type PublicationParts } from './publication-events.ts';
import { collectAdvisories, collectExpiring, collectHeld, collectOutbox, collectRefused } from './registry-events.ts';
import { auditEventId, type RegistryEvent } from '../../events/registry-event.ts';
import { auditEventKey, auditEventPrefix, type AuditEvent } from '../../state/audit.ts';
import type { StateStore } from '../../core/state/state-store.ts';
import { isJsonObject, type JsonValue } from '../../../build/contract/json.ts';
import { listEndpoints } from '../model/endpoint.ts';
import { commitEvents, cursorPrefix, numberIn, type Collecting } from './collecting.ts';

/**
 * The events of the audit log, for endpoints that ask for them. A cursor in the state says how far the log was handed
 * over; it exists only while such an endpoint does.
 */
const auditCursorKey = `${cursorPrefix}audit`;
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

export interface CollectorParts extends PublicationParts {
  readonly files: PublishedFiles;
  readonly catalogue: Pick<Catalogue, 'read'>;
  readonly advisories: PublishedAdvisories;
  readonly onError: (error: unknown) => void;
}

/**
 * Errors of one source of events go to `onError`, and do not stop the others. Each look gives false if a source could
 * not be read.
 */
export type Collector = ReturnType<typeof createCollector>;

/** Tokens end by days, and mirrored documents come at any time: a look a minute is enough. */
const everyMs = 60_000;

type Attempt = (collect: () => Promise<unknown>) => Promise<boolean>;

function attempting(onError: (error: unknown) => void): Attempt {
  return async (collect) => {
    try {
      return (await collect()) !== false;
    } catch (error) {
      onError(error);
      return false;
    }
  };
}

/** The packages that were published since `serial`; undefined: more than one publication, or not all are known. */
async function changedSince(
  { publications }: CollectorParts,
  serial: number,
): Promise<{ readonly serial: number; readonly only: readonly string[] | undefined }> {
  const [present] = (await publications.list({ limit: 1 })).publications;
  if (present?.serial === serial) return { serial, only: [] };
  const isWhole = present?.previous === serial && present.counts.packages === present.names.length;
  const only = isWhole ? present.names : undefined;
  return { serial: present?.serial ?? 0, only };
}

/**
 * Time releases a held one, and holds one of another registry: all are looked at once a minute. In between, a
 * publication is looked at.
 */
function lookingAtHeld(parts: CollectorParts, attempt: ReturnType<typeof attempting>) {
  let lookedMs = Number.NEGATIVE_INFINITY;
  let seen: number | undefined;
  return async (isNew: boolean): Promise<boolean> => {
    const isDue = parts.now() - lookedMs >= everyMs;
    if (!isNew && !isDue) return true;
    return attempt(async () => {
      const { serial, only } = await changedSince(parts, seen ?? -1);
      const asked = isDue ? undefined : only;
      await collectHeld(parts, await parts.held(asked), parts.pageOf);
      seen = serial;
      if (asked === undefined) lookedMs = parts.now();
    });
  };
}

export function createCollector(parts: CollectorParts) {
  const { files, onError, now } = parts;
  let seenEpoch: number | undefined;
  let tokensAtMs = Number.NEGATIVE_INFINITY;
  const attempt = attempting(onError);
  const lookAtHeld = lookingAtHeld(parts, attempt);
  const lookAtTree = async (): Promise<boolean> => {
    const epoch = await files.epoch(now());
    const isHeldRead = await lookAtHeld(epoch !== seenEpoch);
    if (epoch === seenEpoch) return isHeldRead;
    const done = [
      isHeldRead,
      // false: another process moved the cursor, or an endpoint was removed; the next look goes on
      await attempt(() => collectPublications(parts)),
      await attempt(() => collectRefused(parts, files)),
      await attempt(async () =>
        collectAdvisories(parts, await parts.advisories.read(now()), parts.catalogue, parts.pageOf),
      ),
    ];
    if (done.every(Boolean)) seenEpoch = epoch;
    return done.every(Boolean);
  };
  const lookAtState = async (): Promise<boolean> => {
    const done = [await attempt(() => collectOutbox(parts)), await attempt(() => collectAudit(parts))];
    if (now() - tokensAtMs < everyMs) return done.every(Boolean);
    const tokens = await attempt(() => collectExpiring(parts));
    if (tokens) tokensAtMs = now();
    return tokens && done.every(Boolean);
  };
  return {
    /** Everything, once. */
    look: async (): Promise<boolean> => {
      const isTreeRead = await attempt(lookAtTree);
      return (await lookAtState()) && isTreeRead;
    },
    /** The published tree and the records of publications, on a host that has them. */
    lookAtTree: () => attempt(lookAtTree),
    /** What the state tells alone. */
    lookAtState,
  };
}
