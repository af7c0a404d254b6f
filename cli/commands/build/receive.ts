// `libretto receive`: exit codes as of `build`; 2, without any change, for an incomplete tree.

import { basename, resolve } from 'node:path';

import { createDiskOutput } from '../../../build/output/disk-output.ts';
import { listPurged } from '../../../build/package/purged.ts';
import { receiveTree } from '../../../build/receive/receive.ts';
import { removePurged } from '../../../proxy/mirror/archives/remove-purged.ts';
import { describeOutcome, describeProblems } from '../../text/build-report-text.ts';
import { shownReport } from '../../builds/shown-sources.ts';
import { buildRequest } from '../../builds/build-request.ts';
import type { CommandInput } from '../../io/command.ts';
import { bindFolder } from '../../compose/bind-folder.ts';
import { makeOrReadDataFolder } from '../../data-folder/open-data-folder.ts';
import type { Context } from '../../io/context.ts';
import { mirrorFolder } from '../../mirror/compose-mirror.ts';
import { printChanges, printJson, printProblems } from '../../io/output.ts';
import { withStateSettings } from '../../state/state-settings.ts';
import { stoppableBuild } from '../../builds/stoppable-build.ts';

export const publishes = true;

export async function run(context: Context, { flags, operands }: CommandInput): Promise<number> {
  const { workingDirectory, stdout, summary, stderr } = context;
  const { config: configured, announceNew } = await makeOrReadDataFolder(context, flags, 'tree');
  const config = await withStateSettings(configured, context);
  const tree = resolve(workingDirectory, operands[0] ?? '.');
  const [strict, dryRun] = [flags['strict'] === true, flags['dryRun'] === true];
  const allowRepublish = flags['allowRepublish'] === true;
  const allowWithdraw = flags['allowWithdraw'] === true;
  const request = {
    ...buildRequest(config, context, { strict, allowRepublish, allowWithdraw, command: 'receive' }),
    dryRun,
  };
  const name = typeof flags['as'] === 'string' ? flags['as'] : basename(tree);
  const report = await stoppableBuild(request, context, (asked, effects) =>
    receiveTree({ name, tree }, asked, effects),
  );
  announceNew();
  if (!dryRun) await bindFolder(config);
  if ('exitCode' in report) return report.exitCode;
  // the tree may have brought tombstones
  if (report.published) await removePurged(mirrorFolder(config), await listPurged(createDiskOutput(config.data.value)));
  const shown = shownReport(report, config.data.value);
  if (flags['json'] === true) printJson(stdout, report);
  else printChanges(dryRun ? stdout : summary, describeOutcome(shown, strict, dryRun));
  printProblems(stderr, describeProblems(shown));
  return report.quarantined.length + report.failed.length > 0 ? 1 : 0;
}
