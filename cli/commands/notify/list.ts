// `libretto notify list`: all endpoints and how they do.

import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { printJson, printLines } from '../../io/output.ts';
import { describeEndpoints } from '../../text/endpoint-text.ts';
import { runNotifyCommand } from './notify-command.ts';

export function run(context: Context, given: CommandInput): Promise<number> {
  return runNotifyCommand(context, given, async ({ endpoints, show, json }) => {
    const documents = await Promise.all((await endpoints.list()).map(show));
    if (json) printJson(context.stdout, { endpoints: documents });
    else if (documents.length > 0) printLines(context.stdout, describeEndpoints(documents));
    else
      printLines(context.remarks, [
        'No address is notified of events. `libretto notify add --help` shows how to add one.',
      ]);
    return 0;
  });
}
