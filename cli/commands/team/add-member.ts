// `libretto team add-member`: these people see the packages of the team with their next request.

import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { printTeam, runTeamCommand } from './team-command.ts';

export function run(context: Context, given: CommandInput): Promise<number> {
  return runTeamCommand(
    context,
    given,
    async (command) => {
      const [team = '', ...people] = command.operands;
      await printTeam(command, await command.teams.addMembers(team, people));
    },
    { changes: true },
  );
}
