// Asks for the email of a new user at a terminal.

import { RegistryError } from '../../../build/contract/errors.ts';
import type { Email } from '../../../proxy/auth/email.ts';
import { checkedEmail } from '../../../proxy/auth/user-fields.ts';
import type { Context } from '../../io/context.ts';
import { printLines } from '../../io/output.ts';
import { openQuestions, QuestionsCancelled } from '../../io/questions.ts';
import { UsageError } from '../../io/usage-error.ts';

/** Asks again until the answer is an email. Throws UsageError without a terminal, and if the person gives none. */
export async function askForEmail(context: Context): Promise<Email> {
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
