// `libretto user disable`: ends the sessions of a user immediately.

import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { runUserCommand, showChange } from './user-command.ts';

export function run(context: Context, given: CommandInput): Promise<number> {
  return runUserCommand(
    context,
    given,
    async (command) => {
      const { id } = await command.find();
      await showChange(command, await command.users.update(id, { status: 'disabled' }));
    },
    { changes: true },
  );
}
