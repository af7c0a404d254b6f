// `libretto repository sync --child`: the build of a sync in a process of its own, which opens the credentials and
// passes none of them on.

import { RegistryError } from '../../../build/contract/errors.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { printJson, printLines } from '../../io/output.ts';
import { syncBuild } from '../../sync/sync-build.ts';
import { runRepositoryCommand, type RepositoryCommand } from './repository-command.ts';

export function run(context: Context, given: CommandInput): Promise<number> {
  return runRepositoryCommand(context, given, buildOnly, { changes: true });
}

/** Ends in order after the end of its service: the result would have no reader, and the next sync needs the lock. */
async function buildOnly({ context, config, state, sealer, repositories, id }: RepositoryCommand): Promise<number> {
  context.onInputEnd(() => process.kill(process.pid, 'SIGTERM'));
  try {
    const record = (await repositories.list()).find((one) => one.id === id);
    if (record?.type === 'composer') {
      const { syncMirrored } = await import('../../mirror/sync-mirrored.ts');
      const report = await syncMirrored({ context, config, state, sealer, record });
      printLines(
        context.stderr,
        report.failed.map(({ reason }) => reason),
      );
      printJson(context.stdout, report);
      return report.failed.length > 0 ? 1 : 0;
    }
    const report = await syncBuild({ config, context, sealer, state, list: () => repositories.list(), id });
    if ('exitCode' in report) return report.exitCode;
    printJson(context.stdout, report);
    return report.quarantined.length + report.failed.length > 0 ? 1 : 0;
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    printJson(context.stdout, error.body());
    return 1;
  }
}
