// `libretto package restore`: publishes a version again that was withdrawn by hand, as its source has it now.

import { restoringRequest } from '../../../build/withdraw/withhold-version.ts';
import { normalizeVersion } from '../../../build/contract/version.ts';
import { createChildWithdrawer } from '../../../proxy/packages/version-withdrawer.ts';
import { createWithdrawals } from '../../../proxy/packages/withdrawals.ts';
import { createAuditedStore } from '../../../proxy/state/audit.ts';
import { describeOutcome, describeProblems } from '../../text/build-report-text.ts';
import { shownReport } from '../../builds/shown-sources.ts';
import { buildRequest } from '../../builds/build-request.ts';
import type { Given } from '../../io/command.ts';
import { composeBuilder } from '../../compose/builder.ts';
import { openState } from '../../state/open-state.ts';
import type { Config } from '../../config/config.ts';
import { readDataFolder } from '../../data-folder/open-data-folder.ts';
import type { Context } from '../../io/context.ts';
import { printChanges, printJson, printProblems } from '../../io/output.ts';
import { meantVersion, type MeantVersion } from '../../purge/package-command.ts';
import { buildWithRegistered } from '../../sync/registered-in-state.ts';
import { refuseUnpublished } from '../../tree/damaged-tree.ts';
import { withStateSettings } from '../../state/state-settings.ts';
import { UsageError } from '../../io/usage-error.ts';

export async function run(context: Context, { flags, operands }: Given): Promise<number> {
  const { workingDirectory, stdout, summary, stderr } = context;
  const config = await withStateSettings(await readDataFolder(context, flags, 'all'), context);
  const meant = meantVersion(operands);
  refuseUnpublished(config.data.value);
  const request = await restoringRequest(
    meant,
    buildRequest(config, {
      sources: [],
      forget: [],
      strict: false,
      allowRepublish: false,
      workingDirectory,
      by: { actor: context.actor, command: 'package restore' },
    }),
  );
  if ('outcome' in request) throw new UsageError(request.message);
  const report = await buildWithRegistered(request, config, context);
  if ('exitCode' in report) return report.exitCode;
  await record(meant, config, context);
  const shown = shownReport(report, config.data.value);
  if (flags['json'] === true) printJson(stdout, report);
  else printChanges(summary, describeOutcome(shown, false));
  printProblems(stderr, describeProblems(shown));
  return report.quarantined.length + report.failed.length > 0 ? 1 : 0;
}

async function record({ name, version }: MeantVersion, config: Config, context: Context): Promise<void> {
  const now = (): number => context.now().getTime();
  const state = await openState(config);
  try {
    const withdrawals = createWithdrawals({
      store: createAuditedStore({ store: state, now }),
      actor: context.actor,
      withdrawer: createChildWithdrawer(composeBuilder(config, context)),
    });
    await withdrawals.forget(name, normalizeVersion(version) ?? version);
  } finally {
    await state.close();
  }
}
