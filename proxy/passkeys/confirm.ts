// Confirms with a passkey that the person of a session is there, as the password does: dangerous posts ask for it.

import type { Secret } from '../../build/shared/text/secret.ts';
import { codeBudget } from '../auth/attempt-budgets.ts';
import type { SessionCaller } from '../auth/caller.ts';
import type { Confirmations } from '../auth/confirmations.ts';
import { commitUser, readUser, unknownUser } from '../auth/user-records.ts';
import type { Answer } from './answer.ts';
import type { ChallengeUse } from './challenges.ts';
import { passkeyOptions, type AskedPasskey } from './options.ts';
import { assertSomeAt, type AnswerPlace } from './sign-in.ts';
import type { PasskeySite } from './site.ts';
import { usePasskey, type UseParts } from './use-passkey.ts';

export interface ConfirmParts extends UseParts {
  readonly confirmations: Pick<Confirmations, 'prove'>;
}

/** Throws NOT_FOUND if no passkey of the person works at this site. */
export async function askConfirmation(
  { store, challenges }: ConfirmParts,
  caller: SessionCaller,
  site: PasskeySite,
): Promise<AskedPasskey> {
  const user = (await readUser(store, caller.userId))?.record;
  if (user === undefined) throw unknownUser();
  assertSomeAt(site, user.passkeys);
  return passkeyOptions(await challenges.issue(confirmationBy(caller)), user.passkeys ?? [], site);
}

/** A proof, as after the password. Throws INVALID_CREDENTIALS, INVALID_INPUT, TOO_MANY_ATTEMPTS. */
export async function confirmWithPasskey(
  parts: ConfirmParts,
  caller: SessionCaller,
  answer: Answer,
  { site, address }: AnswerPlace,
): Promise<Secret> {
  const { userId } = caller;
  const actor = `user:${userId}` as const;
  const use = {
    answer,
    site,
    address,
    actor,
    challengeUse: confirmationBy(caller),
    budget: codeBudget(userId),
    isPersonal: true,
    owner: () => readUser(parts.store, userId),
  };
  await usePasskey(parts, use, async ({ stored, record, passkey, extras }) => {
    const details = { passkey: passkey.id, session: caller.sessionId };
    const event = { actor, action: 'user.confirm', subject: userId, details };
    return (await commitUser(parts.store, stored, { record, event, ...extras })) || undefined;
  });
  return parts.confirmations.prove(caller);
}

function confirmationBy({ userId, sessionId }: SessionCaller): ChallengeUse {
  return { ceremony: 'confirm', subject: userId, context: sessionId };
}
