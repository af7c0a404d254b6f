// `libretto package recover-purged`: rebuilds a damaged or lost list of the tombstones of purged versions.

import { resolve } from 'node:path';

import type { JsonObject } from '../../../build/contract/json.ts';
import type { Recovery } from '../../../build/purge/adopt-tombstones.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Config } from '../../config/config.ts';
import { readDataFolder } from '../../data-folder/open-data-folder.ts';
import type { Context } from '../../io/context.ts';
import { printJson, printLines } from '../../io/output.ts';
import { withStateSettings } from '../../state/state-settings.ts';
import { describeRecovery, describeRecoveryPlan, labelOf } from '../../purge/recovery-lines.ts';
import { planRecoveryLocally, readTombstones, recoverLocally } from '../../purge/tombstone-file.ts';
import { withRefusedPlan } from '../../purge/unconfirmed-purge.ts';
import { localTombstones } from './purged-versions.ts';

export const publishes = true;

export async function run(context: Context, { flags, operands }: CommandInput): Promise<number> {
  const { stdout, summary } = context;
  const config = await readDataFolder(context, flags, 'all', 'change');
  const plan = recover(operands[0], flags, config, context);
  const recovery = await withRefusedPlan(plan, flags, context);
  if (flags['dryRun'] === true) {
    if (flags['json'] === true) printJson(stdout, { format: 1, dry_run: true, recovery: shown(recovery) });
    else printLines(stdout, describeRecoveryPlan(recovery));
    return 0;
  }
  const versions = await localTombstones(config);
  if (flags['json'] === true) printJson(stdout, { format: 1, versions, recovery: shown(recovery) });
  else printLines(summary, describeRecovery(recovery, versions.length));
  return recovery.damage === undefined ? 0 : 1;
}

/** `from`: a file with tombstones. Throws UsageError. */
async function recover(
  from: string | undefined,
  { yes, dryRun }: CommandInput['flags'],
  config: Config,
  context: Context,
): Promise<Recovery> {
  const rows = from === undefined ? [] : readTombstones(resolve(context.workingDirectory, from));
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
