// `libretto team remove`: its members no longer see its packages.

import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { counted, printJson, printLines } from '../../io/output.ts';
import { tokensStay } from '../../text/team-text.ts';
import { UsageError } from '../../io/usage-error.ts';
import { runTeamCommand } from './team-command.ts';

export function run(context: Context, given: CommandInput): Promise<number> {
  return runTeamCommand(
    context,
    given,
    async ({ teams, operands: [team = ''], json }) => {
      const { id, name, members } = await teams.get(team);
      if (given.flags['yes'] !== true)
        throw new UsageError(
          `Removing ${id} (${name}) takes its packages away from ${counted(members.length, 'member')} at once, unless ` +
            `another team has them. ${tokensStay} Add --yes to remove it.`,
        );
      await teams.remove(id);
      if (json) printJson(context.stdout, { id });
      else printLines(context.summary, [`Removed the team ${id} (${name}).`, tokensStay]);
    },
    { changes: true },
  );
}
