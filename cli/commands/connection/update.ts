// `libretto connection update`: changes the filters, the intervals or the credentials of a connection.

import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { printJson, printLines } from '../../io/output.ts';
import { describeConnection } from '../../text/connection-text.ts';
import { runConnectionCommand } from './connection-command.ts';
import { connectionFields } from './connection-flags.ts';

export function run(context: Context, given: CommandInput): Promise<number> {
  const patch = connectionFields(given.flags, context.workingDirectory);
  return runConnectionCommand(
    context,
    given,
    async ({ connections, show, id, json }) => {
      const document = await show(await connections.update(id, patch));
      if (json) printJson(context.stdout, document);
      else printLines(context.summary, describeConnection(document));
      return 0;
    },
    { changes: true },
  );
}
