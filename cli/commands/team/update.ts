// `libretto team update`: another name, or other packages.

import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { UsageError } from '../../io/usage-error.ts';
import { printTeam, runTeamCommand } from './team-command.ts';

export function run(context: Context, given: CommandInput): Promise<number> {
  const { name, package: packages } = given.flags as {
    readonly name?: string;
    readonly package?: readonly string[];
  };
  if (name === undefined && packages === undefined)
    throw new UsageError('Nothing to change was given: --name or --package.');
  return runTeamCommand(
    context,
    given,
    async (command) => {
      const [team = ''] = command.operands;
      await printTeam(command, await command.teams.update(team, { name, packages }));
    },
    { changes: true },
  );
}
