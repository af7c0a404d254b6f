// Takes a code of the second factor within a session. Wrong codes count in the budget of the person, and are refused.

import type { Sealer } from '../keys/sealer.ts';
import type { ChangeParts } from '../state/audit.ts';
import { codeBudget } from './attempt-budgets.ts';
import { WrongGuess, type Attempts } from './attempts.ts';
import { refuseLogin } from './refused-login.ts';
import { useCode } from './two-factor-code.ts';
import type { TwoFactor, UserRecord } from './user.ts';

export interface CodeDesk extends Pick<ChangeParts, 'store' | 'now'> {
  readonly attempts: Attempts;
  readonly sealer: Sealer;
  readonly userId: string;
  /** of the client */
  readonly address: string;
}

/**
 * `work` takes the code from the record that it then commits. Throws INVALID_CREDENTIALS for a wrong code,
 * TOO_MANY_ATTEMPTS. `use`: default `useCode`.
 */
export async function judgeCode<Result>(
  { store, attempts, sealer, now, userId, address }: CodeDesk,
  code: string,
  work: (take: (record: UserRecord) => TwoFactor) => Promise<Result>,
  use: typeof useCode = useCode,
): Promise<Result> {
  const codes = codeBudget(userId);
  const take = (record: UserRecord): TwoFactor => {
    const left = use(record, code, sealer, now());
    if (left === undefined) throw new WrongGuess();
    return left;
  };
  const refuse = () => refuseLogin(store, { userId, actor: `user:${userId}`, address, reason: 'wrong code' });
  return attempts.judge([codes], () => work(take), { refuse, cleared: [codes] });
}
