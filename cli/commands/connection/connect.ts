// `libretto connect`: connects the repositories of an owner at a forge, and registers them. With --dry-run it shows what
// it would register, on a draft of the state that is dropped.

import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { printLines } from '../../io/output.ts';
import { connectionDraft } from './connection-flags.ts';
import { runConnectionCommand } from './connection-command.ts';
import { printRefresh, refreshLocally } from './local-refresh.ts';

export function run(context: Context, given: CommandInput): Promise<number> {
  const draft = connectionDraft(given, context.workingDirectory);
  const isDraft = given.flags['dryRun'] === true;
  return runConnectionCommand(
    context,
    given,
    async (command) => {
      const record = await command.connections.create(draft);
      const refreshed = await refreshLocally(command, record.id);
      const exitCode = await printRefresh(command, record, refreshed, isDraft);
      if (!isDraft)
        printLines(context.remarks, [
          `Connected as ${record.id}. A server reads new repositories within seconds, and looks for more every ` +
            `${record.interval} seconds. Without one, run \`libretto build\`.`,
        ]);
      return exitCode;
    },
    { makes: !isDraft, isDraft },
  );
}
