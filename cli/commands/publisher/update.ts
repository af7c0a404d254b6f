// `libretto publisher update`: changes the rules of a trusted publisher, or what its jobs get.

import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { counted, printLines } from '../../io/output.ts';
import { printPublisher } from './print-publisher.ts';
import { runPublisherCommand } from './publisher-command.ts';
import { publisherPatch } from './publisher-flags.ts';

export function run(context: Context, given: CommandInput): Promise<number> {
  const patch = publisherPatch(given.flags);
  return runPublisherCommand(
    context,
    given,
    async (command) => {
      const { record, revoked } = await command.publishers.update(command.id, patch);
      await printPublisher(command, record, { revoked_tokens: revoked });
      if (revoked > 0 && !command.json)
        printLines(context.summary, ['', `Revoked ${counted(revoked, 'token')} that it had given out.`]);
      return 0;
    },
    { changes: true },
  );
}
