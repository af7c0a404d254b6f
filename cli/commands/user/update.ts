// `libretto user update`: changes the given values of a user. Other values are unchanged.

import type { Role } from '../../../proxy/core/tokens/person.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { UsageError } from '../../io/usage-error.ts';
import { runUserCommand, showChange } from './user-command.ts';

export function run(context: Context, given: CommandInput): Promise<number> {
  const { name, role, policyEditor, enable, invite, resetTwoFactor } = given.flags as {
    readonly name?: string;
    readonly role?: Role;
    readonly policyEditor?: boolean;
    readonly enable?: true;
    readonly invite?: true;
    readonly resetTwoFactor?: true;
  };
  const patch = {
    ...(name === undefined ? {} : { name }),
    ...(role && { role }),
    ...(policyEditor === undefined ? {} : { policyEditor }),
    ...(enable && { status: 'active' as const }),
    ...(invite && { invite }),
    ...(resetTwoFactor && { resetTwoFactor }),
  };
  if (Object.keys(patch).length === 0)
    throw new UsageError(
      'Nothing to change was given: --name, --role, --policy-editor, --no-policy-editor, --enable, --invite or ' +
        '--reset-two-factor.',
    );
  return runUserCommand(
    context,
    given,
    async (command) => {
      const { id } = await command.find();
      await showChange(command, await command.users.update(id, patch));
    },
    { changes: true },
  );
}
