// `libretto publisher update`: changes the rules of a trusted publisher, or what its jobs get.

import type { Given } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { printPublisher } from './print-publisher.ts';
import { runPublisherCommand } from './publisher-command.ts';
import { publisherPatch } from './publisher-flags.ts';

export function run(context: Context, given: Given): Promise<number> {
  const patch = publisherPatch(given.flags);
  return runPublisherCommand(
    context,
    given,
    async (command) => {
      await printPublisher(command, await command.publishers.update(command.id, patch));
      return 0;
    },
    { changes: true },
  );
}
