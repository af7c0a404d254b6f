// Reads tombstones from a file: the output of `libretto package list --purged --json`, or the list of another
// data folder.
// They purge versions here, or rebuild a lost list.

import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { parsePurged, purgedPath, type PurgedVersion } from '../../build/contract/purged.ts';
import { hasWrongChecksum } from '../../build/contract/checksum.ts';
import {
  adoptTombstones,
  planAdoption,
  planRecovery,
  recoverTombstones,
  type Adoption,
  type Recovery,
} from '../../build/purge/adopt-tombstones.ts';
import type { RecoveredPurge } from '../../build/purge/recovered-purges.ts';
import { listPurged } from '../../build/package/purged.ts';
import { createDiskOutput } from '../../build/output/disk-output.ts';
import type { ArchiveRecord } from '../../proxy/mirror/archives/archive-record.ts';
import { purgedCopies, removePurged } from '../../proxy/mirror/archives/remove-purged.ts';
import { auditRecovery, recordedTombstones } from '../../proxy/packages/purges.ts';
import { recordedWithdrawals } from '../../proxy/packages/withdrawals.ts';
import { createAuditedStore, type AuditedStore } from '../../proxy/state/audit.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';
import { mirrorFolder } from '../mirror/compose-mirror.ts';
import { readLastPublication } from '../tree/published-tree.ts';
import { openState, openStateIfAny } from '../state/open-state.ts';
import { purgeBuild } from './local-purge.ts';
import { refuseUnconfirmed } from './unconfirmed-purge.ts';
import { UsageError } from '../io/usage-error.ts';
import type { GuardedLists } from '../../build/contract/announced-lists.ts';

/** `path`: of such a file, or of a data folder that has the list. Throws UsageError. */
export function readTombstones(path: string): readonly PurgedVersion[] {
  const isFolder = existsSync(path) && statSync(path).isDirectory();
  const file = isFolder ? join(path, 'index', purgedPath) : path;
  if (isFolder && !existsSync(file))
    throw new UsageError(
      `${path} has no list of purged versions: it contains no index/${purgedPath}. Name a file from \`libretto ` +
        `package list --purged --json\`, or a data folder with that list.`,
    );
  try {
    const text = readFileSync(file, 'utf8');
    const rows = parsePurged(text);
    if (hasWrongChecksum(text)) throw new Error('its checksum is wrong, so that it was changed after it was written');
    return rows;
  } catch (error) {
    throw new UsageError(
      `${file} contains no list of purged versions: ${error instanceof Error ? error.message : String(error)}. ` +
        `Name a file from \`package list --purged --json\`, or a data folder.`,
      { cause: error },
    );
  }
}

/**
 * As `readTombstones`, but returns an empty list for a data folder without purges, whose announcement names no
 * tombstone either.
 */
export function readTombstonesIfAny(path: string): readonly PurgedVersion[] {
  const publication = existsSync(join(path, 'index', purgedPath)) ? undefined : readLastPublication(path);
  return publication !== undefined && publication.purged === undefined ? [] : readTombstones(path);
}

/** Plans the effect of these tombstones on a data folder, or on a backup of one. */
export async function planLocally(
  rows: readonly PurgedVersion[],
  config: Pick<Config, 'data'>,
  now: Date,
): Promise<Adoption> {
  return withMirrored(await planAdoption(rows, createDiskOutput(config.data.value), now), mirrorFolder(config));
}

/**
 * Purges the contents of these tombstones on this host, and blocks them from then on. `confirm` sees the plan and
 * completes it; its rejection changes nothing. No build publishes between `confirm` and the purge.
 */
export async function adoptLocally<Plan extends Adoption>(
  rows: readonly PurgedVersion[],
  confirm: (plan: Adoption) => Promise<Plan>,
  config: Config,
  context: Context,
): Promise<Plan> {
  const folder = mirrorFolder(config);
  const build = purgeBuild(config, context);
  const adoption = await adoptTombstones(rows, build, async (plan) => confirm(await withMirrored(plan, folder)));
  if (adoption.added.length > 0) await removePurged(folder, await listPurged(createDiskOutput(config.data.value)));
  return adoption;
}

/** The mirror's copies go as well. */
async function withMirrored<Plan extends Adoption>(plan: Plan, folder: string): Promise<Plan> {
  const mirrored = (await purgedCopies(folder, plan.added)).map(mirroredPurge);
  return { ...plan, purged: [...plan.purged, ...mirrored] };
}

/**
 * Rebuilds the list of tombstones from its readable rows, these rows, and the announcement. Writes an audit event.
 * `confirmed`: the recovery may purge versions of this registry; otherwise it throws UsageError and changes nothing.
 */
export async function recoverLocally(
  rows: readonly PurgedVersion[],
  confirmed: boolean,
  config: Config,
  context: Context,
): Promise<Recovery> {
  const folder = mirrorFolder(config);
  const confirm = async (plan: Recovery): Promise<Recovery> => {
    const whole = await withMirrored(plan, folder);
    if (!confirmed)
      refuseUnconfirmed(whole, { by: 'The recovery', where: 'on this registry', hasFile: rows.length > 0 });
    return whole;
  };
  const state = await openState(config);
  try {
    const store = createAuditedStore({ store: state, now: () => context.now().getTime() });
    const recorded = await recordedChanges(store);
    const recovery = await recoverTombstones(rows, recorded, purgeBuild(config, context), confirm);
    await removePurged(folder, await listPurged(createDiskOutput(config.data.value)));
    await auditRecovery(store, context.actor, recovery);
    return recovery;
  } finally {
    await state.close();
  }
}

/** Plans the recovery, and changes nothing. */
export async function planRecoveryLocally(
  rows: readonly PurgedVersion[],
  config: Config,
  now: Date,
): Promise<Recovery> {
  const state = await openStateIfAny(config);
  const recorded =
    state === undefined
      ? { purged: [], withheld: [] }
      : await recordedChanges(createAuditedStore({ store: state, now: () => now.getTime() })).finally(() =>
          state.close(),
        );
  const { recovery } = await planRecovery(rows, recorded, createDiskOutput(config.data.value), now);
  return withMirrored(recovery, mirrorFolder(config));
}

async function recordedChanges(store: AuditedStore): Promise<GuardedLists> {
  return { purged: await recordedTombstones(store), withheld: await recordedWithdrawals(store) };
}

function mirroredPurge({ name, version, normalized, reference }: ArchiveRecord): RecoveredPurge {
  return { name, version, version_normalized: normalized, reference, state: 'mirrored' };
}
