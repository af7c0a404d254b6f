// Uses a passkey of a known person: verifies the answer, and writes the new count, the time and the used challenge in
// one commit. A wrong answer counts as a wrong code does. A passkey whose count went back is refused: it was copied.

import { RegistryError } from '../../build/contract/errors.ts';
import type { Budget } from '../auth/attempt-budgets.ts';
import { WrongGuess, type Attempts } from '../auth/attempts.ts';
import type { Passkey } from '../auth/passkey.ts';
import { refuseLogin, type Refusal } from '../auth/refused-login.ts';
import type { StoredUser, UserEditExtras } from '../auth/user-records.ts';
import type { UserRecord } from '../auth/user.ts';
import type { Actor, ChangeParts } from '../state/audit.ts';
import { parseAssertion, type PasskeyAnswer, type Assertion } from './answer.ts';
import { type Challenges, type ChallengeUse, useChallenge } from './challenges.ts';
import type { PasskeySite } from './site.ts';
import { verifyAssertion } from './verify.ts';

export interface UseParts extends Pick<ChangeParts, 'store' | 'now'> {
  readonly attempts: Attempts;
  readonly challenges: Challenges;
}

export interface PasskeyUse {
  readonly answer: PasskeyAnswer;
  readonly site: PasskeySite;
  /** what the challenge has to be for */
  readonly challengeUse: ChallengeUse;
  readonly budget: Budget;
  /** true: the budget is of the person alone, so that a right answer clears it */
  readonly isPersonal: boolean;
  /** of the client */
  readonly address: string;
  /** undefined: nobody is signed in */
  readonly actor?: Actor;
  /** The person whose passkey it has to be. undefined: nobody has it. */
  readonly owner: (assertion: Assertion) => Promise<StoredUser | undefined>;
}

/** A right answer, before its commit. */
export interface UsedAnswer {
  readonly stored: StoredUser;
  /** with the new count and time of the passkey */
  readonly record: UserRecord;
  readonly passkey: Passkey;
  /** for the commit: the challenge is used */
  readonly extras: Required<UserEditExtras>;
}

/**
 * `work` commits; undefined: another commit came first, and the answer is checked again. Throws INVALID_CREDENTIALS,
 * INVALID_INPUT, TOO_MANY_ATTEMPTS.
 */
export async function usePasskey<Result>(
  parts: UseParts,
  use: PasskeyUse,
  work: (used: UsedAnswer) => Promise<Result | undefined>,
): Promise<Result> {
  const assertion = parseAssertion(use.answer.credential);
  const challenge = await parts.challenges.open(use.answer.token, use.challengeUse);
  if (challenge === undefined) throw lateAnswer();
  const refusal: { userId: string | undefined; reason: Refusal['reason'] } = {
    userId: undefined,
    reason: 'wrong passkey',
  };
  const refuse = async (): Promise<never> => {
    const told = { ...refusal, address: use.address, ...(use.actor && { actor: use.actor }) };
    const cause = await refuseLogin(parts.store, told).catch((error: unknown) => error);
    if (!(cause instanceof RegistryError)) throw cause;
    throw new RegistryError(cause.code, {
      message: wordsOf(refusal.reason),
      cause,
    });
  };
  const check = async (): Promise<Result> => {
    for (;;) {
      const stored = await use.owner(assertion);
      refusal.userId = stored?.record.id;
      const used = await judge(parts, use, { stored, assertion, challenge });
      if (typeof used === 'string') {
        refusal.reason = used;
        throw new WrongGuess();
      }
      const result = await work(used);
      if (result !== undefined) return result;
    }
  };
  return parts.attempts.judge([use.budget], check, { refuse, cleared: use.isPersonal ? [use.budget] : [] });
}

const words = {
  wrong: 'This passkey was not accepted. Try once more, or use another way.',
  copied: 'This passkey was not accepted, because a copy of it was used before. Remove it, and add a new one.',
  used: 'This answer of the passkey was used already. Load the page again, and use the passkey once more.',
};

function wordsOf(reason: Refusal['reason']): string {
  if (reason === 'copied passkey') return words.copied;
  return reason === 'used answer' ? words.used : words.wrong;
}

async function judge(
  { store, now }: UseParts,
  { site }: PasskeyUse,
  given: { readonly stored: StoredUser | undefined; readonly assertion: Assertion; readonly challenge: string },
): Promise<UsedAnswer | 'wrong passkey' | 'copied passkey' | 'used answer' | 'not active'> {
  const { stored, assertion, challenge } = given;
  const passkey = stored?.record.passkeys?.find(({ credential_id }) => credential_id === assertion.id);
  if (stored === undefined || passkey === undefined) return 'wrong passkey';
  const nowMs = now();
  // before the count: an answer that comes twice is no copy of the passkey
  const extras = await useChallenge(store, challenge, nowMs);
  if (extras === undefined) return 'used answer';
  const verified = await verifyAssertion(passkey, assertion, { challenge, site });
  if (typeof verified === 'string') return `${verified} passkey`;
  if (stored.record.status !== 'active') return 'not active';
  const changed: Passkey = { ...passkey, ...verified, last_used_at: new Date(nowMs).toISOString() };
  const passkeys = (stored.record.passkeys ?? []).map((one) => (one.id === passkey.id ? changed : one));
  return { stored, passkey: changed, record: { ...stored.record, passkeys }, extras };
}

/** The answer came too late, or from another page. */
export function lateAnswer(): RegistryError {
  return new RegistryError('INVALID_INPUT', {
    message: 'More than five minutes have passed, or you were signed in anew. Use the passkey once more.',
  });
}
