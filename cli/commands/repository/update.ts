// `libretto repository update`: changes the credentials, filters or interval of a repository. Values that are not
// given stay.

import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { printJson, printLines } from '../../io/output.ts';
import { runRepositoryCommand } from './repository-command.ts';
import { repositoryPatch } from './repository-flags.ts';
import { describeRepository } from '../../text/repository-text.ts';

export function run(context: Context, given: CommandInput): Promise<number> {
  const patch = repositoryPatch(given.flags, context.workingDirectory);
  return runRepositoryCommand(
    context,
    given,
    async ({ repositories, show, id, json }) => {
      const document = await show(await repositories.update(id, patch));
      if (json) printJson(context.stdout, document);
      else printLines(context.summary, describeRepository(document));
      return 0;
    },
    { changes: true },
  );
}
