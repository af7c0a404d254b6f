// `libretto user create`: with a password that is typed or piped in, or with an invitation.

import type { Role } from '../../../proxy/auth/policy.ts';
import { checkedEmail } from '../../../proxy/auth/user-fields.ts';
import type { Given } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { readPassword } from '../../io/password-input.ts';
import { UsageError } from '../../io/usage-error.ts';
import { runUserCommand, showChange } from './user-command.ts';

export function run(context: Context, given: Given): Promise<number> {
  const { email, name, role, admin, invite, passwordStdin } = given.flags as {
    readonly email: string;
    readonly name?: string;
    readonly role?: Role;
    readonly admin?: true;
    readonly invite?: true;
    readonly passwordStdin?: true;
  };
  if (invite && passwordStdin)
    throw new UsageError(
      'With --invite the user chooses the password; with --password-stdin you choose it. Use one of them.',
    );
  if (admin && role !== undefined && role !== 'admin')
    throw new UsageError(`--admin and --role ${role} contradict each other. Use one of them.`);
  return runUserCommand(
    context,
    given,
    async (command) => {
      checkedEmail(email); // a typed password would be in vain
      const password = invite ? undefined : await readPassword(context, passwordStdin === true);
      const draft = {
        email,
        role: admin ? ('admin' as const) : (role ?? 'viewer'),
        name: name ?? null,
        ...(password === undefined ? {} : { password }),
      };
      await showChange(command, await command.users.create(draft));
    },
    true,
  );
}
