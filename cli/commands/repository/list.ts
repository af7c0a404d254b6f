// `libretto repository list`: all registered repositories and their status, here or on a remote registry.

import type { RepositoryDocument } from '../../../proxy/sync/repository-document.ts';
import { describeRepositories as describeStandings } from '../../../proxy/sync/describe-repositories.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { printJson, printLines } from '../../io/output.ts';
import { remoteOf } from '../../remote/remote.ts';
import { listRemotely } from '../../remote/remote-repositories.ts';
import { runRepositoryCommand } from './repository-command.ts';
import { repositoryTable } from '../../text/repository-text.ts';

export async function run(context: Context, given: CommandInput): Promise<number> {
  const remote = await remoteOf(given.flags, context);
  if (remote !== undefined) return print(context, given, await listRemotely(remote));
  return runRepositoryCommand(context, given, async ({ repositories, syncing: { jobs } }) => {
    const records = await repositories.list();
    return print(context, given, await describeStandings({ repositories, jobs }, records, records));
  });
}

function print(
  { stdout, remarks }: Context,
  { flags }: CommandInput,
  documents: readonly RepositoryDocument[],
): number {
  if (flags['json'] === true) printJson(stdout, { repositories: documents });
  else if (documents.length > 0) printLines(stdout, repositoryTable(documents));
  else printLines(remarks, ['No repository is registered. Register one with `libretto repository add URL`.']);
  return 0;
}
