// `libretto team create`: its members see its packages. The first team also sets people.packages to `teams`.

import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { printWarnings } from '../../io/output.ts';
import { UsageError } from '../../io/usage-error.ts';
import { tokensStay } from '../../text/team-text.ts';
import { printTeam, runTeamCommand } from './team-command.ts';

export function run(context: Context, given: CommandInput): Promise<number> {
  const { package: packages = [], member: members = [] } = given.flags as {
    readonly package?: readonly string[];
    readonly member?: readonly string[];
  };
  if (packages.length === 0)
    throw new UsageError('A team needs packages: add --package, such as --package "acme/*". `*` means all packages.');
  return runTeamCommand(
    context,
    given,
    async (command) => {
      const [name = ''] = command.operands;
      const { record, closes } = await command.teams.create({ name, packages, members });
      await printTeam(command, record);
      if (closes)
        printWarnings(context.stderr, [
          'This is the first team, so the setting people.packages is now `teams`: people without a team see no packages, ' +
            'except admins. To let them see all packages again, run `libretto settings set people.packages all`.',
          tokensStay,
        ]);
    },
    { makes: true },
  );
}
