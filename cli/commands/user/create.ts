// `libretto user create`: with a password that is typed or piped in, or with an invitation.

import { RegistryError } from '../../../build/contract/errors.ts';
import type { Email } from '../../../proxy/auth/email.ts';
import type { Role } from '../../../proxy/core/tokens/person.ts';
import { checkedEmail } from '../../../proxy/auth/user-fields.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { printLines } from '../../io/output.ts';
import { readPassword } from '../../io/password-input.ts';
import { openQuestions, QuestionsCancelled } from '../../io/questions.ts';
import { UsageError } from '../../io/usage-error.ts';
import { runUserCommand, showChange } from './user-command.ts';

export function run(context: Context, command: CommandInput): Promise<number> {
  const {
    email: given,
    name,
    role,
    admin,
    invite,
    passwordStdin,
  } = command.flags as {
    readonly email?: string;
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
    command,
    async (opened) => {
      // first: a typed password for an unusable email would be in vain
      const email = given === undefined ? await askForEmail(context) : checkedEmail(given);
      const password = invite ? undefined : await readPassword(context, passwordStdin === true);
      const draft = {
        email,
        role: admin ? ('admin' as const) : (role ?? 'viewer'),
        name: name ?? null,
        ...(password === undefined ? {} : { password }),
      };
      await showChange(opened, await opened.users.create(draft), true);
    },
    { makes: true },
  );
}

/** Asks again until the answer is an email. Throws UsageError without a terminal, and if the person gives none. */
async function askForEmail(context: Context): Promise<Email> {
  const { stdin, stderr } = context;
  if (stdin.isTTY !== true)
    throw new UsageError('There is no terminal to ask for the email. Name it with --email, such as ada@example.org.');
  const questions = openQuestions(context);
  try {
    for (;;) {
      const typed = await questions.ask('Email: ');
      const fault = emailFault(typed);
      if (fault === undefined) return checkedEmail(typed);
      printLines(stderr, [`  ${fault}`]);
    }
  } catch (error) {
    if (!(error instanceof QuestionsCancelled)) throw error;
    throw new UsageError('No email was given. Nothing was changed.', { cause: error });
  } finally {
    await questions.close();
  }
}

function emailFault(text: string): string | undefined {
  try {
    checkedEmail(text);
    return undefined;
  } catch (error) {
    if (error instanceof RegistryError) return error.message;
    throw error;
  }
}
