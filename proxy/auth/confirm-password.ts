// Asks a person who is signed in for the password again. Wrong passwords count in the same budget as those of a login
// from this address.

import type { AuditedStore } from '../state/audit.ts';
import { pairBudget } from './attempt-budgets.ts';
import { WrongGuess, type Attempts } from './attempts.ts';
import type { Passwords } from './password.ts';
import { refuseLogin } from './refused-login.ts';
import { readUser, unknownUser } from './user-records.ts';
import type { UserRecord } from './user.ts';

export interface ConfirmPasswordOptions {
  readonly store: AuditedStore;
  readonly passwords: Passwords;
  readonly attempts: Attempts;
}

/**
 * The user, and the encoded password that this one was found to be. `address`: of the client. Throws
 * INVALID_CREDENTIALS, TOO_MANY_ATTEMPTS, NOT_FOUND.
 */
export async function confirmPassword(
  { store, passwords, attempts }: ConfirmPasswordOptions,
  { userId, address }: { readonly userId: string; readonly address: string },
  password: string,
): Promise<{ readonly user: UserRecord; readonly encoded: string | null }> {
  const user = (await readUser(store, userId))?.record;
  if (user === undefined) throw unknownUser();
  const pair = pairBudget(user.email, address);
  const refuse = () => refuseLogin(store, { userId, actor: `user:${userId}`, address, reason: 'wrong password' });
  await attempts.judge(
    [pair],
    async () => {
      if (!(await passwords.verify(password, user.password ?? undefined))) throw new WrongGuess();
      return true;
    },
    { refuse, cleared: [pair] },
  );
  return { user, encoded: user.password };
}
