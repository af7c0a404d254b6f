// `libretto package restore`: publishes a version again that was withdrawn by hand, as its source has it now. With
// --child it runs only the build, and the service reads the outcome as JSON.

import type { RefusedArtifact } from '../../../build/artifacts/outcome.ts';
import type { BuildReport } from '../../../build/contract/build-report.ts';
import { restoringRequest } from '../../../build/withdraw/withhold-version.ts';
import { normalizeVersion } from '../../../build/contract/version.ts';
import { createChildWithdrawer } from '../../../proxy/packages/version-withdrawer.ts';
import { createWithdrawals } from '../../../proxy/packages/withdrawals.ts';
import { createAuditedStore } from '../../../proxy/state/audit.ts';
import { describeOutcome, describeProblems } from '../../text/build-report-text.ts';
import { shownReport } from '../../builds/shown-sources.ts';
import { buildRequest } from '../../builds/build-request.ts';
import { orRefused } from '../../builds/refused-by-builder.ts';
import type { Stopped } from '../../builds/stoppable-build.ts';
import type { CommandInput } from '../../io/command.ts';
import { composeBuilder } from '../../compose/builder.ts';
import { openState } from '../../state/open-state.ts';
import type { Config } from '../../config/config.ts';
import { readDataFolder } from '../../data-folder/open-data-folder.ts';
import type { Context } from '../../io/context.ts';
import { printChanges, printJson, printProblems } from '../../io/output.ts';
import { parseVersionArgument, type VersionArgument } from '../../purge/package-command.ts';
import { buildWithRegistered } from '../../sync/registered-in-state.ts';
import { refuseUnpublished } from '../../tree/damaged-tree.ts';
import { withStateSettings } from '../../state/state-settings.ts';
import { UsageError } from '../../io/usage-error.ts';

export const publishes = true;

export async function run(context: Context, given: CommandInput): Promise<number> {
  const { stdout, summary, stderr } = context;
  if (given.flags['child'] === true) return answerServer(context, given);
  const { meant, config, report } = await restoreLocally(context, given);
  if ('outcome' in report) throw new UsageError(report.message);
  if ('exitCode' in report) return report.exitCode;
  await record(meant, config, context);
  const shown = shownReport(report, config.data.value);
  if (given.flags['json'] === true) printJson(stdout, report);
  else printChanges(summary, describeOutcome(shown, false));
  printProblems(stderr, describeProblems(shown));
  return report.quarantined.length + report.failed.length > 0 ? 1 : 0;
}

/** Prints the report of the build, or the refusal. The server removes the record of the withdrawal. */
async function answerServer(context: Context, given: CommandInput): Promise<number> {
  const outcome = await orRefused(restoreShown(context, given));
  if ('exitCode' in outcome) return outcome.exitCode;
  printJson(context.stdout, outcome);
  return 'outcome' in outcome ? 1 : 0;
}

async function restoreShown(context: Context, given: CommandInput): Promise<Restored['report']> {
  const { config, report } = await restoreLocally(context, given);
  return 'serial' in report ? shownReport(report, config.data.value) : report;
}

interface Restored {
  readonly meant: VersionArgument;
  readonly config: Config;
  readonly report: BuildReport | RefusedArtifact | Stopped;
}

async function restoreLocally(context: Context, { flags, operands }: CommandInput): Promise<Restored> {
  const config = await withStateSettings(await readDataFolder(context, flags, 'all', 'change'), context);
  const meant = parseVersionArgument(operands);
  refuseUnpublished(config.data.value);
  const request = await restoringRequest(meant, buildRequest(config, context, { command: 'package restore' }));
  if ('outcome' in request) return { meant, config, report: request };
  return { meant, config, report: await buildWithRegistered(request, config, context) };
}

async function record({ name, version }: VersionArgument, config: Config, context: Context): Promise<void> {
  const now = (): number => context.now().getTime();
  const state = await openState(config);
  try {
    const withdrawals = createWithdrawals({
      store: createAuditedStore({ store: state, now }),
      actor: context.actor,
      withdrawer: createChildWithdrawer(composeBuilder(config, context), context.actor),
    });
    await withdrawals.forget(name, normalizeVersion(version) ?? version);
  } finally {
    await state.close();
  }
}
