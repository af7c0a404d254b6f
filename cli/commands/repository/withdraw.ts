// `libretto repository withdraw`: withdraws the published versions of repositories that are no longer registered.
// Removing a repository does this itself. The command completes a withdrawal that was interrupted, and otherwise does
// nothing.

import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { describeOutcome, describeProblems } from '../../text/build-report-text.ts';
import { shownReport } from '../../builds/shown-sources.ts';
import { printChanges, printJson, printLines, printProblems } from '../../io/output.ts';
import { actorOf } from '../command-parts.ts';
import { runRepositoryCommand } from './repository-command.ts';
import { createRepositorySources } from '../../builds/repository-sources.ts';
import { syncBuild } from '../../sync/sync-build.ts';

export const publishes = true;

export function run(context: Context, given: CommandInput): Promise<number> {
  return runRepositoryCommand(
    context,
    given,
    async ({ config, state, sealer, repositories, json }) => {
      const records = await repositories.list();
      if (!(await createRepositorySources(config).hasLeftovers(records))) {
        if (json) printJson(context.stdout, { published: false, withdrawn: [] });
        else printLines(context.summary, ['Nothing is left of removed repositories.']);
        return 0;
      }
      const report = await syncBuild({
        config,
        context: { ...context, actor: actorOf(context, given.flags) },
        sealer,
        state,
        list: () => repositories.list(),
        id: undefined,
      });
      if ('exitCode' in report) return report.exitCode;
      const shown = shownReport(report, config.data.value);
      if (json) printJson(context.stdout, report);
      else printChanges(context.summary, describeOutcome(shown, false));
      printProblems(context.stderr, describeProblems(shown));
      return 0;
    },
    { changes: true },
  );
}
