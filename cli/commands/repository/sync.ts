// `libretto repository sync`: reads one registered repository and publishes its versions, here or on a remote registry.
// With --child the command runs the build in its own process, which opens the credentials and passes none of them on.

import { constants } from 'node:os';

import { RegistryError } from '../../../build/contract/errors.ts';
import { jobDocument, type JobDocument } from '../../../proxy/sync/repository-document.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { printChanges, printJson, printLines, printProblems } from '../../io/output.ts';
import { remoteOf } from '../../remote/remote.ts';
import { syncRemotely } from '../../remote/remote-repositories.ts';
import { runRepositoryCommand, type RepositoryCommand } from './repository-command.ts';
import { describeJob, describeLeftOut } from '../../text/repository-text.ts';
import { syncBuild } from '../../sync/sync-build.ts';

export const publishes = true;

export async function run(context: Context, given: CommandInput): Promise<number> {
  const remote = await remoteOf(given.flags, context);
  if (remote !== undefined)
    return print(context, given.flags['json'] === true, await syncRemotely(remote, given.operands[0] ?? ''));
  return runRepositoryCommand(context, given, given.flags['child'] === true ? buildOnly : syncAndWait, {
    changes: true,
  });
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

async function syncAndWait({ context, repositories, syncing, id, json }: RepositoryCommand): Promise<number> {
  const { id: repository } = await repositories.get(id);
  const begun = await syncing.syncer.sync(repository, { trigger: 'request', actor: context.actor });
  let interrupted: number | undefined;
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    context.onSignal(name, () => {
      interrupted ??= 128 + constants.signals[name];
      void syncing.close();
    });
  }
  await syncing.syncer.idle();
  const exitCode = print(context, json, jobDocument(await syncing.jobs.get(repository, begun.id)));
  return interrupted ?? exitCode;
}

/** Gives the exit code. */
function print(context: Context, json: boolean, job: JobDocument): number {
  if (json) printJson(context.stdout, job);
  else if (job.state === 'failed') printProblems(context.stderr, describeJob(job));
  else printChanges(context.summary, describeJob(job));
  printProblems(context.stderr, describeLeftOut(job));
  return job.error?.code === 'BUILD_BUSY'
    ? 75
    : job.state === 'failed' || (job.report?.counts.quarantined ?? 0) > 0
      ? 1
      : 0;
}
