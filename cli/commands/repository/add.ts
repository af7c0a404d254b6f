// `libretto repository add`: registers a repository. The next sync or build reads it.

import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { printJson, printLines } from '../../io/output.ts';
import { runRepositoryCommand } from './repository-command.ts';
import { repositoryDraft } from './repository-flags.ts';
import { describeRepository } from '../../text/repository-text.ts';

export function run(context: Context, given: CommandInput): Promise<number> {
  const draft = repositoryDraft(given.operands[0] ?? '', given.flags, context.workingDirectory);
  return runRepositoryCommand(
    context,
    given,
    async ({ repositories, show, json }) => {
      const document = await show(await repositories.create(draft));
      if (json) printJson(context.stdout, document);
      else
        printLines(context.summary, [
          ...describeRepository(document),
          '',
          document.interval === null
            ? `Read it with \`libretto repository sync ${document.id}\`.`
            : `A running server reads it within seconds. Without one: \`libretto repository sync ${document.id}\`.`,
        ]);
      return 0;
    },
    { makes: true },
  );
}
