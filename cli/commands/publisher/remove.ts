// `libretto publisher remove`: no job exchanges any more, and the tokens of earlier exchanges end.

import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { printJson, printLines } from '../../io/output.ts';
import { UsageError } from '../../io/usage-error.ts';
import { runPublisherCommand } from './publisher-command.ts';

export function run(context: Context, given: CommandInput): Promise<number> {
  return runPublisherCommand(
    context,
    given,
    async ({ publishers, id, json }) => {
      const { id: known, name } = await publishers.get(id);
      if (given.flags['yes'] !== true)
        throw new UsageError(
          `Removing ${known} (${name}) revokes its tokens at once, and its jobs can no longer publish or read. Add ` +
            '--yes to remove it.',
        );
      await publishers.remove(known);
      if (json) printJson(context.stdout, { id: known });
      else printLines(context.summary, [`Removed the publisher ${known} (${name}). Its tokens are revoked.`]);
      return 0;
    },
    { changes: true },
  );
}
