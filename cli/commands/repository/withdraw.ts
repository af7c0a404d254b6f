// `libretto repository withdraw`: withdraws the published versions of repositories that are no longer registered.
// Removing a repository does this itself. The command completes a withdrawal that was interrupted. Adding one runs it
// too: it publishes a registry that only mirrors for the first time. Otherwise it does nothing.

import { existsSync } from 'node:fs';
import { join } from 'node:path';

import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { describeOutcome, describeProblems } from '../../text/build-report-text.ts';
import { shownReport } from '../../builds/shown-sources.ts';
import { printChanges, printJson, printLines, printProblems } from '../../io/output.ts';
import { actorOf } from '../command-parts.ts';
import { runRepositoryCommand } from './repository-command.ts';
import { buildRequest } from '../../builds/build-request.ts';
import { createRepositorySources, isBuilt } from '../../builds/repository-sources.ts';
import type { Config } from '../../config/config.ts';
import type { RepositoryRecord } from '../../../proxy/sync/repository.ts';
import { syncBuild } from '../../sync/sync-build.ts';

export const publishes = true;

export function run(context: Context, given: CommandInput): Promise<number> {
  return runRepositoryCommand(
    context,
    given,
    async ({ config, state, sealer, repositories, json }) => {
      const records = await repositories.list();
      const mayBeEmpty = onlyMirrors(records, config, context);
      if (!mayBeEmpty && !(await createRepositorySources(config).hasLeftovers(records))) {
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
        mayBeEmpty,
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

/**
 * True before the first publication of a registry that has nothing to build. A host whose state is elsewhere may wait
 * for a copy of the packages: there, only a person knows whether private names exist (I9).
 */
function onlyMirrors(records: readonly RepositoryRecord[], config: Config, context: Context): boolean {
  const { configured = [], fallback } = buildRequest(config, context, {});
  return (
    records.length > 0 &&
    !records.some(isBuilt) &&
    configured.length === 0 &&
    fallback === undefined &&
    config.state.value === undefined &&
    !['index', 'public'].some((folder) => existsSync(join(config.data.value, folder)))
  );
}
