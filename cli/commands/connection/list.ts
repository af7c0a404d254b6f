// `libretto connection list`: all connections and their status.

import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { printJson, printLines } from '../../io/output.ts';
import { describeConnections } from '../../text/connection-text.ts';
import { runConnectionCommand } from './connection-command.ts';

export function run(context: Context, given: CommandInput): Promise<number> {
  return runConnectionCommand(context, given, async ({ connections, show, json }) => {
    const documents = await Promise.all((await connections.list()).map(show));
    if (json) printJson(context.stdout, { connections: documents });
    else if (documents.length > 0) printLines(context.stdout, describeConnections(documents));
    else printLines(context.remarks, ['Nothing is connected. Connect an owner with `libretto connect --help`.']);
    return 0;
  });
}
