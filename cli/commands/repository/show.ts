// `libretto repository show`: one repository, and its last syncs, here or on a remote registry. Never its credentials.

import { jobDocument, type JobDocument, type RepositoryDocument } from '../../../proxy/sync/repository-document.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { printJson, printLines } from '../../io/output.ts';
import { remoteOf } from '../../remote/remote.ts';
import { showRemotely } from '../../remote/remote-repositories.ts';
import { runRepositoryCommand } from './repository-command.ts';
import { describeJob, describeLeftOut, describeRepository } from '../../text/repository-text.ts';

export async function run(context: Context, given: CommandInput): Promise<number> {
  const remote = await remoteOf(given.flags, context);
  if (remote !== undefined) return print(context, given, await showRemotely(remote, given.operands[0] ?? ''));
  return runRepositoryCommand(context, given, async ({ repositories, syncing, show, id }) => {
    const record = await repositories.get(id);
    return print(context, given, {
      document: await show(record),
      jobs: (await syncing.jobs.list(record.id)).map(jobDocument),
    });
  });
}

function print(
  { stdout }: Context,
  { flags }: CommandInput,
  { document, jobs }: { readonly document: RepositoryDocument; readonly jobs: readonly JobDocument[] },
): number {
  if (flags['json'] === true) printJson(stdout, { ...document, jobs });
  else
    printLines(stdout, [
      ...describeRepository(document),
      ...jobs.slice(0, 1).flatMap((job) => ['', ...describeJob(job), ...leftOutLines(job)]),
    ]);
  return 0;
}

function leftOutLines(job: JobDocument): readonly string[] {
  const lines = describeLeftOut(job);
  return lines.length === 0 ? [] : ['Left out:', ...lines];
}
