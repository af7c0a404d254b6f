// Events that no publication record tells: versions that builds left out, security advisories, tokens that end, events
// of the audit log, and the events that other parts of the registry stored in the outbox.

import { parsePackageName } from '../../../build/contract/name.ts';
import { parseQuarantined, quarantinedPath, type QuarantinedVersion } from '../../../build/contract/quarantined.ts';
import type { Advisory, AdvisoryLists } from '../../../build/contract/advisory-lists.ts';
import { normalizeVersion } from '../../../build/contract/version.ts';
import { daysBeforeEnd, parseTokenRecord, tokenKeyPrefix, type TokenRecord } from '../../core/tokens/token.ts';
import { outboxPrefix } from '../../events/outbox.ts';
import { eventId, parseEvent, type RegistryEvent } from '../../events/registry-event.ts';
import type { Catalogue } from '../../packages/catalogue.ts';
import { parsePublished, type PublishedFiles } from '../../core/tree/published-files.ts';
import type { HeldRelease } from '../../policy/admin/held-in-package.ts';
import { endsSoon, type HeldList } from '../../policy/admin/held-list.ts';
import { affectsSome } from '../model/affects.ts';
import type { Collecting } from './collecting.ts';
import { collectNew, type Noticed } from './known-set.ts';

const outboxAtOnce = 100;

/** Hands over the events of the outbox, oldest of each subject first, and removes them. */
export async function collectOutbox({ state, receive }: Collecting): Promise<void> {
  for (;;) {
    const rows = await state.range(outboxPrefix, { limit: outboxAtOnce });
    if (rows.length === 0) return;
    const { conditions, puts } = await receive(rows.map(({ value }) => parseEvent(value)));
    const done = await state.commit({
      conditions: [...rows.map(({ key, revision }) => ({ key, revision })), ...conditions],
      puts,
      deletes: rows.map(({ key }) => key),
    });
    if (!done) return; // another process took some of them
  }
}

/** Versions that builds left out since the last look. */
export async function collectRefused(collecting: Collecting, files: PublishedFiles): Promise<void> {
  const nowMs = collecting.now();
  const versions = await parsePublished(files, `index/${quarantinedPath}`, parseQuarantined);
  const present = versions.map((version): Noticed => {
    const id = eventId(version.source, version.code, version.where, version.name ?? '', version.version ?? '');
    return { id, event: () => refusedEvent(version, id, nowMs) };
  });
  await collectNew(collecting, 'refused', present);
}

function refusedEvent(refused: QuarantinedVersion, id: string, nowMs: number): RegistryEvent {
  const { name, version, code, message, where } = refused;
  const known = name === null ? undefined : parsePackageName(name);
  return {
    id: eventId('package.version.refused', id, nowMs),
    type: 'package.version.refused',
    at: new Date(nowMs).toISOString(),
    data: { package: name, version, code, message, where },
    subject:
      known === undefined
        ? null
        : {
            name: known,
            version_normalized: version === null ? null : (normalizeVersion(version) ?? null),
            released_ms: null,
          },
  };
}

/** Advisories that are new since the last look, and concern a version that is published. */
export async function collectAdvisories(
  collecting: Collecting,
  { packages }: AdvisoryLists,
  catalogue: Pick<Catalogue, 'read'>,
  pageOf: (name: string) => string | null,
): Promise<void> {
  const nowMs = collecting.now();
  const { labelsOf } = packages.size === 0 ? { labelsOf: () => [] } : await catalogue.read(nowMs);
  const present = [...packages].flatMap(([name, { advisories }]) =>
    advisories
      .filter(({ affectedVersions }) => affectsSome(affectedVersions, labelsOf(name)))
      .map((advisory): Noticed => ({
        id: `${name} ${advisory.advisoryId}`,
        event: () => advisoryEvent(advisory, nowMs, pageOf(name)),
      })),
  );
  await collectNew(collecting, 'advisories', present);
}

function advisoryEvent(advisory: Advisory, nowMs: number, page: string | null): RegistryEvent {
  const { advisoryId, packageName: name, affectedVersions, title, reportedAt } = advisory;
  const [cve, severity, link] = ['cve', 'severity', 'link'].map((key) => advisory[key]);
  const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
  return {
    id: eventId('advisory.published', name, advisoryId, nowMs),
    type: 'advisory.published',
    at: new Date(nowMs).toISOString(),
    data: {
      package: name,
      advisory_id: advisoryId,
      title,
      affected_versions: affectedVersions,
      reported_at: reportedAt,
      cve: text(cve),
      severity: text(severity),
      link: text(link),
      url: page,
    },
    subject: { name, version_normalized: null, released_ms: null },
  };
}

/** So many held releases are remembered: others are told of when one of these is no longer held. */
const mostHeld = 2000;

/** Releases that are newly held since the last look. A package that this host did not look at is as it was. */
export async function collectHeld(
  collecting: Collecting,
  { releases, examined }: HeldList,
  pageOf: (name: string, staged?: string) => string | null,
): Promise<void> {
  const nowMs = collecting.now();
  // a staged release is announced again in its last days
  const idOf = ({ name, normalized, reference, staged }: HeldRelease): string =>
    `${name} ${normalized} ${reference}${staged === undefined ? '' : endsSoon(staged, nowMs) ? ' ends' : ' staged'}`;
  const held = new Set(releases.map(idOf));
  const present = releases.slice(0, mostHeld).map((one): Noticed => ({
    id: idOf(one),
    cameMs: one.arrivedMs,
    event: () => heldEvent(one, idOf(one), nowMs, pageOf(one.name, one.staged?.version)),
  }));
  const looked: ReadonlySet<string> = examined;
  await collectNew(
    collecting,
    'held',
    present,
    (id) => !held.has(id) && (/ (?:ends|staged)$/.test(id) || looked.has(id.split(' ', 1)[0] ?? '')),
  );
}

function heldEvent(held: HeldRelease, id: string, nowMs: number, url: string | null): RegistryEvent {
  const { name, origin, version, normalized, release, rule, because } = held;
  return {
    id: eventId('review.waiting', id, nowMs),
    type: 'review.waiting',
    at: new Date(nowMs).toISOString(),
    data: { package: name, version, origin, rule, reason: because, url },
    subject: { name, version_normalized: normalized, released_ms: release.releasedMs ?? null },
  };
}

/** Tokens that come near their end since the last look. */
export async function collectExpiring(collecting: Collecting): Promise<void> {
  const nowMs = collecting.now();
  const records = (await collecting.state.range(tokenKeyPrefix)).map(({ value }) => parseTokenRecord(value));
  const present = records.flatMap((record) => {
    const days = daysBeforeEnd(record, nowMs);
    if (days === undefined) return [];
    // a token that got a later end is announced again
    const id = `${record.id} ${days} ${record.expires_at}`;
    return [{ id, event: () => expiringEvent(record, days, nowMs) }];
  });
  await collectNew(collecting, 'tokens', present);
}

function expiringEvent(record: TokenRecord, days: number, nowMs: number): RegistryEvent {
  const { id, description, kind, expires_at: end, created_by: by } = record;
  return {
    id: eventId('token.expiring', id, days, end ?? ''),
    type: 'token.expiring',
    at: new Date(nowMs).toISOString(),
    data: { token_id: id, description, kind, expires_at: end, created_by: by, days },
    subject: null,
  };
}
