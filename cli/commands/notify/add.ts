// `libretto notify add`: an address that is notified of events. Its secret is printed once, alone on standard output.

import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { endpointDraft } from './endpoint-flags.ts';
import { runNotifyCommand } from './notify-command.ts';
import { printIssued, warnOf } from './print-endpoint.ts';

export function run(context: Context, given: CommandInput): Promise<number> {
  const draft = endpointDraft(given, context.workingDirectory);
  return runNotifyCommand(
    context,
    given,
    async (command) => {
      const issued = await command.endpoints.create(draft);
      await printIssued(command, issued, true);
      await warnOf(command, issued.record, given.operands[0]);
      return 0;
    },
    { makes: true },
  );
}
