// Purges published versions. The builder removes them and stores the tombstones for later builds. The admin's note, the
// end of artifact records and the audit event follow in one commit (I8). The purge is acknowledged after this commit.
// Repeating a purge completes an interrupted one.

import { createHash } from 'node:crypto';
import { z } from 'zod';
import { RegistryError } from '../../build/contract/errors.ts';
import type { JsonValue } from '../../build/contract/json.ts';
import { parsePackageName } from '../../build/contract/name.ts';
import { parsePurgeReason, purgedKey, purgedPath, type PurgedVersion } from '../../build/contract/purged.ts';
import { normalizeVersion, type NormalizedVersion } from '../../build/contract/version.ts';
import { endedArtifacts } from '../artifacts/ended-artifacts.ts';
import { compareText } from '../../build/shared/text/compare-text.ts';
import type { Actor, AuditedStore, ChangeParts } from '../state/audit.ts';
import { parseRow, type RowOf } from '../state/rows.ts';
import type { PurgeRequest, PurgeResult, VersionPurger } from './version-purger.ts';

const purgeRecord = z.object({
  name: z.string(),
  version: z.string(),
  reason: z.string(),
  /** the admin's words; null for none */
  note: z.string().nullable(),
  /** RFC 3339 UTC */
  purged_at: z.string(),
  purged_by: z.string(),
  /** `purgedKey` of each tombstone */
  tombstones: z.array(z.string()),
});
export type PurgeRecord = RowOf<typeof purgeRecord>;

/** A tombstone with the state's note; both fields are null if it came from elsewhere. */
export type NotedTombstone = PurgedVersion & { readonly note: string | null; readonly purged_by: string | null };

export interface Purges {
  /** The effects of a purge. Throws NOT_FOUND. */
  readonly plan: (order: PurgeRequest) => Promise<PurgeResult>;
  /** `confirm`: `confirmationOf` the version. Throws CONFIRMATION_REQUIRED with the plan, NOT_FOUND and BUILD_BUSY. */
  readonly purge: (
    order: PurgeRequest & { readonly note: string | null },
    confirm: string | undefined,
  ) => Promise<PurgeResult>;
}

export interface PurgesOptions extends Pick<ChangeParts, 'store' | 'actor'> {
  readonly purger: VersionPurger;
}

export function createPurges(options: PurgesOptions): Purges {
  return { plan: options.purger.plan, purge: (order, confirm) => purge(options, order, confirm) };
}

/** The text that a person repeats to confirm this version. */
export function confirmationOf({ name, version }: Pick<PurgeResult, 'name' | 'version'>): string {
  return `${name} ${version}`;
}

async function purge(
  { store, actor, purger }: PurgesOptions,
  { note, ...order }: PurgeRequest & { readonly note: string | null },
  confirm: string | undefined,
): Promise<PurgeResult> {
  const plan = await purger.plan(order);
  if (confirm !== confirmationOf(plan)) {
    const { contents, alike, files, sources } = plan;
    const details = {
      confirm: confirmationOf(plan),
      contents: contents.map((content) => ({ ...content })),
      alike: alike.map((one) => ({ ...one })),
      files: [...files],
      sources: [...sources],
    };
    throw new RegistryError('CONFIRMATION_REQUIRED', { details });
  }
  const outcome = await purger.purge(order);
  await record(store, actor, outcome, note);
  return outcome;
}

async function record(store: AuditedStore, actor: Actor, outcome: PurgeResult, note: string | null): Promise<void> {
  const { name, version, reason, since, contents, serial } = outcome;
  const tombstones = contents.map(
    ({ name: of, version_normalized: normalized, reference }) => `${of} ${normalized} ${reference}`,
  );
  const key = `${purgePrefix}${createHash('sha256').update(`${name}\0${version}\0${since}`).digest('hex')}`;
  const value: PurgeRecord = { name, version, reason, note, purged_at: since, purged_by: actor, tombstones };
  for (;;) {
    const known = await store.get(key);
    const artifacts = await endedArtifacts(store, contents);
    if (known !== undefined && artifacts.deletes.length === 0) return;
    const done = await store.commit(
      {
        conditions: [{ key, revision: known?.revision ?? null }, ...artifacts.conditions],
        puts: known === undefined ? [{ key, value: { ...value, tombstones: [...tombstones] } }] : [],
        deletes: artifacts.deletes,
      },
      {
        actor,
        action: 'package.purge',
        subject: name,
        details: {
          version,
          reason,
          ...(note === null ? {} : { note }),
          serial,
          contents: contents.map((one) => ({ name: one.name, version: one.version, reference: one.reference })),
          artifacts: [...artifacts.ids],
        },
      },
    );
    if (done) return;
  }
}

const purgePrefix = 'purge/';

/** The tombstones that purges on record made; their digests are in the tree alone. */
export async function recordedTombstones(store: Pick<AuditedStore, 'range'>): Promise<readonly PurgedVersion[]> {
  const records = await store.range(purgePrefix);
  return records.flatMap(({ value }) => tombstonesOf(parsePurgeRecord(value)));
}

/** A record names each tombstone by its `purgedKey`. */
function tombstonesOf({ version, reason, purged_at: since, tombstones }: PurgeRecord): readonly PurgedVersion[] {
  return tombstones.flatMap((key) => {
    const [, of = '', normalized = '', reference = ''] = /^(\S+) (.+) (\S*)$/.exec(key) ?? [];
    const name = parsePackageName(of);
    if (name === undefined) return [];
    return [
      {
        name,
        version: normalizeVersion(version) === normalized ? version : normalized,
        version_normalized: normalized as NormalizedVersion,
        reference,
        sha1: null,
        sha256: null,
        content: null,
        released: null,
        source: null,
        reason: parsePurgeReason(reason) ?? 'other',
        since,
      },
    ];
  });
}

/** The changes of a recovery of the list of tombstones, or of an import of tombstones. */
export interface RecoveredTombstones {
  /** rows that the list has again, or has now */
  readonly added: readonly TombstoneEntry[];
  /** versions of this registry that the added rows purged */
  readonly purged: readonly (TombstoneEntry & { readonly state: string })[];
  readonly replaced?: readonly TombstoneEntry[];
  readonly dropped?: readonly TombstoneEntry[];
}

interface TombstoneEntry {
  readonly name: string;
  readonly version: string;
  readonly reference: string;
}

/** Writes only the event: the list itself is in the tree. */
export async function auditRecovery(
  store: AuditedStore,
  actor: Actor,
  { added, purged, replaced = [], dropped = [] }: RecoveredTombstones,
): Promise<void> {
  await store.commit(
    { conditions: [], puts: [], deletes: [] },
    {
      actor,
      action: 'package.recover_purged',
      subject: purgedPath,
      details: {
        added: added.length,
        tombstones: added.map(named),
        purged: purged.map((one) => ({
          name: one.name,
          version: one.version,
          reference: one.reference,
          state: one.state,
        })),
        replaced: replaced.map(named),
        dropped: dropped.map(named),
      },
    },
  );
}

function named({ name, version, reference }: TombstoneEntry): JsonValue {
  return { name, version, reference };
}

/** Newest first. */
export async function noteTombstones(
  store: Pick<AuditedStore, 'range'> | undefined,
  rows: readonly PurgedVersion[],
): Promise<readonly NotedTombstone[]> {
  const records = new Map<string, PurgeRecord>();
  for (const { value } of (await store?.range(purgePrefix)) ?? []) {
    const found = parsePurgeRecord(value);
    for (const tombstone of found.tombstones) records.set(tombstone, found);
  }
  const noted = rows.map((row) => {
    const known = records.get(purgedKey(row));
    return { ...row, note: known?.note ?? null, purged_by: known?.purged_by ?? null };
  });
  return noted.toSorted((one, other) => compareText(orderOfTombstone(other), orderOfTombstone(one)));
}

/** Orders tombstones by the time of their purge. */
export function orderOfTombstone(row: PurgedVersion): string {
  return `${row.since} ${purgedKey(row)}`;
}

/** A record as stored. Throws StateError when it is not one. */
export function parsePurgeRecord(value: JsonValue): PurgeRecord {
  return parseRow(purgeRecord, value, 'The record of a purged version');
}
