// `libretto repository list`: all registered repositories and how it stands with them.

import type { Given } from '../command.ts';
import type { Context } from '../context.ts';
import { printJson, printLines } from '../output.ts';
import { runRepositoryCommand } from '../repository-command.ts';
import { describeRepositories } from '../repository-text.ts';

export function run(context: Context, given: Given): Promise<number> {
  return runRepositoryCommand(context, given, async ({ repositories, show, json }) => {
    const documents = await Promise.all((await repositories.list()).map(show));
    if (json) printJson(context.stdout, { repositories: documents });
    else if (documents.length > 0) printLines(context.stdout, describeRepositories(documents));
    else printLines(context.stderr, ['No repository is registered. Register one with `libretto repository add URL`.']);
    return 0;
  });
}
