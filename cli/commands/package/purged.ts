// `libretto package purged`: lists the tombstones of purged versions, with the admin's notes from this registry's
// state. With --recover it rebuilds a damaged or lost list.

import { resolve } from 'node:path';

import type { JsonObject } from '../../../build/contract/json.ts';
import { createDiskOutput } from '../../../build/output/disk-output.ts';
import type { Recovery } from '../../../build/purge/adopt-tombstones.ts';
import { listPurged } from '../../../build/package/purged.ts';
import { listPurgedVersions } from '../../../proxy/packages/purge-operations.ts';
import { showTombstone, type TombstoneDocument } from '../../../proxy/packages/purge-schema.ts';
import { noteTombstones } from '../../../proxy/packages/purges.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Config } from '../../config/config.ts';
import { readDataFolder } from '../../data-folder/open-data-folder.ts';
import type { Context } from '../../io/context.ts';
import { openStateIfAny } from '../../state/open-state.ts';
import { formatTable, printJson, printLines } from '../../io/output.ts';
import { allPages } from '../../remote/all-pages.ts';
import { callRemotely } from '../../remote/call-remotely.ts';
import { remoteOf } from '../../remote/remote.ts';
import { UsageError } from '../../io/usage-error.ts';
import { withStateSettings } from '../../state/state-settings.ts';
import { describeRecovery, describeRecoveryPlan, labelOf } from '../../purge/recovery-lines.ts';
import { planRecoveryLocally, readTombstones, recoverLocally } from '../../purge/tombstone-file.ts';
import { withRefusedPlan } from '../../purge/unconfirmed-purge.ts';

export const publishes = true;

export async function run(context: Context, { flags }: CommandInput): Promise<number> {
  const { stdout } = context;
  if (flags['dryRun'] === true && flags['recover'] === undefined)
    throw new UsageError(
      '--dry-run shows what a recovery would do, and there is no --recover. Add --recover, or leave --dry-run out to ' +
        'list the purged versions.',
    );
  const remote = await remoteOf(flags, context);
  if (remote !== undefined) {
    if (flags['recover'] !== undefined)
      throw new UsageError('--recover works on the host of the registry, not with --url. Nothing was changed.');
    const versions = await allPages((query) => callRemotely(remote, listPurgedVersions, query));
    print(context, flags, versions);
    return 0;
  }
  const config = await readDataFolder(context, flags, 'all', flags['recover'] === undefined ? 'read' : 'change');
  const recovery =
    flags['recover'] === undefined ? undefined : await withRefusedPlan(recover(flags, config, context), flags, context);
  if (recovery !== undefined && flags['dryRun'] === true) {
    if (flags['json'] === true) printJson(stdout, { format: 1, dry_run: true, recovery: shown(recovery) });
    else printLines(stdout, describeRecoveryPlan(recovery));
    return 0;
  }
  const rows = await listPurged(createDiskOutput(config.data.value));
  const state = await openStateIfAny(config);
  const noted = await noteTombstones(state, rows).finally(() => state?.close());
  print(context, flags, noted.map(showTombstone), recovery);
  return recovery?.damage === undefined ? 0 : 1;
}

function print(
  { stdout, summary }: Context,
  flags: CommandInput['flags'],
  versions: readonly TombstoneDocument[],
  recovery?: Recovery,
): void {
  if (flags['json'] === true)
    printJson(stdout, { format: 1, versions, ...(recovery && { recovery: shown(recovery) }) });
  else if (recovery !== undefined) printLines(summary, describeRecovery(recovery, versions.length));
  else printLines(stdout, versions.length === 0 ? ['No version was purged.'] : table(versions));
}

/** The flag `recover`: true, or the file that was named. Throws UsageError. */
async function recover(
  { recover: from, yes, dryRun }: CommandInput['flags'],
  config: Config,
  context: Context,
): Promise<Recovery> {
  const rows = typeof from === 'string' ? readTombstones(resolve(context.workingDirectory, from)) : [];
  if (dryRun === true) return planRecoveryLocally(rows, config, context.now());
  return recoverLocally(rows, yes === true, await withStateSettings(config, context), context);
}

/** Dropped rows are whole: a file of them recovers those that are right. */
function shown({ added, purged, replaced, dropped, unconfirmed, unprovenWithdrawals, damage }: Recovery): JsonObject {
  return {
    added: added.length,
    tombstones: added.map(labelOf),
    purged: purged.map((one) => ({ ...one })),
    replaced: replaced.map((row) => ({ ...row })),
    dropped: dropped.map((row) => ({ ...row, content: row.content === null ? null : { ...row.content } })),
    doubtful: unconfirmed.map(labelOf),
    ...(unprovenWithdrawals ? { unproven_withdrawals: true } : {}),
    ...(damage === undefined ? {} : { damage }),
  };
}

function table(rows: readonly TombstoneDocument[]): readonly string[] {
  return formatTable(
    ['PACKAGE', 'VERSION', 'REFERENCE', 'REASON', 'SINCE', 'BY', 'NOTE'],
    rows.map(({ name, version, reference, reason, since, purged_by: by, note }) => [
      name,
      version,
      reference.slice(0, 12),
      reason,
      since,
      by ?? '',
      note ?? '',
    ]),
  );
}
