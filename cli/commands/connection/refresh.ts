// `libretto connection refresh`: looks for new, renamed, archived and removed repositories now.

import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { runConnectionCommand } from './connection-command.ts';
import { printRefresh, refreshLocally } from './local-refresh.ts';

export function run(context: Context, given: CommandInput): Promise<number> {
  const isDraft = given.flags['dryRun'] === true;
  return runConnectionCommand(
    context,
    given,
    async (command) => {
      const record = await command.connections.get(command.id);
      const refreshed = await refreshLocally(command, record.id);
      return printRefresh(command, record, refreshed, isDraft);
    },
    { changes: true, isDraft },
  );
}
