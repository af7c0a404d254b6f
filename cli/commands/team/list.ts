// `libretto team list`: all teams.

import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { printJson, printLines } from '../../io/output.ts';
import { describeTeams } from '../../text/team-text.ts';
import { runTeamCommand } from './team-command.ts';

export function run(context: Context, given: CommandInput): Promise<number> {
  return runTeamCommand(context, given, async ({ teams, show, json }) => {
    const documents = await show(await teams.list());
    if (json) printJson(context.stdout, { teams: documents });
    else if (documents.length > 0) printLines(context.stdout, describeTeams(documents));
    else printLines(context.remarks, ['There is no team. `libretto team create --help` shows how to make one.']);
  });
}
