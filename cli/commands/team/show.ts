// `libretto team show`: the packages and the members of one team.

import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { printJson, printLines } from '../../io/output.ts';
import { describeTeam } from '../../text/team-text.ts';
import { runTeamCommand } from './team-command.ts';

export function run(context: Context, given: CommandInput): Promise<number> {
  return runTeamCommand(context, given, async ({ teams, operands: [team = ''], show, json }) => {
    for (const document of await show([await teams.get(team)])) {
      if (json) printJson(context.stdout, { ...document });
      else printLines(context.stdout, describeTeam(document));
    }
  });
}
