// `libretto user list`: all of them, the disabled and invited ones too.

import { showUser } from '../../../proxy/auth/user.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { formatTable, printJson, printLines } from '../../io/output.ts';
import { runUserCommand } from './user-command.ts';

export function run(context: Context, given: CommandInput): Promise<number> {
  return runUserCommand(context, given, async ({ users, json }) => {
    const all = (await users.list()).map(showUser);
    const rows = all.map((user) => [
      user.id,
      user.role,
      user.status,
      user.two_factor_enabled ? 'on' : 'off',
      user.last_login_at ?? 'never',
      user.email,
    ]);
    if (json) printJson(context.stdout, { users: all });
    else if (all.length > 0)
      printLines(context.stdout, formatTable(['ID', 'ROLE', 'STATUS', 'TWO-FACTOR', 'LAST LOGIN', 'EMAIL'], rows));
    else
      printLines(context.remarks, [
        'There is no user yet. Create one with `libretto user create --admin --email EMAIL`.',
      ]);
  });
}
