// Signing in with a passkey: instead of the password, or as the second factor after the password. The authenticator
// itself asked for the person's finger, face or PIN, so a passkey alone is two factors.

import { RegistryError } from '../../build/contract/errors.ts';
import { addressBudget, codeBudget } from '../auth/attempt-budgets.ts';
import { letIn, type LoggedIn } from '../auth/login.ts';
import { passkeyKey } from '../auth/passkey.ts';
import type { SessionService } from '../auth/sessions.ts';
import type { TwoStepLogin } from '../auth/two-step-login.ts';
import { readUserBehind } from '../auth/user-records.ts';
import type { UserRecord } from '../auth/user.ts';
import type { PasskeyAnswer } from './answer.ts';
import type { ChallengeUse } from './challenges.ts';
import { passkeyOptions, userHandleOf, type PasskeyPrompt } from './options.ts';
import type { PasskeySite } from './site.ts';
import { usePasskey, type UseParts } from './use-passkey.ts';

export interface SignInParts extends UseParts {
  readonly sessions: SessionService;
  readonly twoStepLogin: Pick<TwoStepLogin, 'personOf'>;
  /** false: this person does not sign in here without a password, but at an identity provider */
  readonly maySignIn: (user: UserRecord) => boolean;
}

/** Where an answer came from. */
export interface AnswerPlace {
  readonly site: PasskeySite;
  /** of the client */
  readonly address: string;
}

const anybody: ChallengeUse = { ceremony: 'sign-in', subject: 'anybody', context: '' };

export async function createSignInChallenge({ challenges }: SignInParts, site: PasskeySite): Promise<PasskeyPrompt> {
  return passkeyOptions(await challenges.issue(anybody), [], site);
}

/** Throws INVALID_CREDENTIALS, INVALID_INPUT, CONFLICT, TOO_MANY_ATTEMPTS. */
export async function signIn(
  parts: SignInParts,
  answer: PasskeyAnswer,
  { site, address }: AnswerPlace,
): Promise<LoggedIn> {
  const use = {
    answer,
    site,
    challengeUse: anybody,
    budget: addressBudget(address),
    isPersonal: false,
    address,
    owner: async ({ id, response }: { id: string; response: { userHandle?: string | null | undefined } }) => {
      const stored = await readUserBehind(parts.store, passkeyKey(id));
      return response.userHandle === userHandleOf(stored?.record.id ?? '') ? stored : undefined;
    },
  };
  return usePasskey(parts, use, async ({ stored, record, passkey, extras }) => {
    if (!parts.maySignIn(record))
      throw new RegistryError('CONFLICT', {
        message: 'Your account signs in at an identity provider. Your passkeys confirm what you do in the console.',
      });
    return letIn(parts, stored, record, { address, passkey: passkey.id }, extras);
  });
}

/** undefined: the proof has ended. Throws NOT_FOUND if no passkey works at this site. */
export async function createSecondFactorChallenge(
  { twoStepLogin, challenges }: SignInParts,
  proof: string,
  site: PasskeySite,
): Promise<PasskeyPrompt | undefined> {
  const stored = await twoStepLogin.personOf(proof);
  if (stored === undefined) return undefined;
  const { id, passkeys = [] } = stored.record;
  assertSomeAt(site, passkeys);
  return passkeyOptions(await challenges.issue(secondStep(id, proof)), passkeys, site);
}

/** undefined: the proof has ended. Throws INVALID_CREDENTIALS, INVALID_INPUT, TOO_MANY_ATTEMPTS. */
export async function finishSignIn(
  parts: SignInParts,
  proof: string,
  answer: PasskeyAnswer,
  { site, address }: AnswerPlace,
): Promise<LoggedIn | undefined> {
  const person = (await parts.twoStepLogin.personOf(proof))?.record;
  if (person === undefined) return undefined;
  const use = {
    answer,
    site,
    challengeUse: secondStep(person.id, proof),
    budget: codeBudget(person.id),
    isPersonal: true,
    address,
    owner: () => parts.twoStepLogin.personOf(proof),
  };
  return usePasskey(parts, use, ({ stored, record, passkey, extras }) =>
    letIn(parts, stored, record, { address, passkey: passkey.id }, extras),
  );
}

function secondStep(subject: string, proof: string): ChallengeUse {
  return { ceremony: 'second-step', subject, context: proof };
}

/** Throws NOT_FOUND. */
export function assertSomeAt({ rpId }: PasskeySite, passkeys: UserRecord['passkeys'] = []): void {
  if (passkeys.some(({ rp_id }) => rp_id === rpId)) return;
  const hosts = [...new Set(passkeys.map(({ rp_id }) => rp_id))].join(', ');
  throw new RegistryError('NOT_FOUND', {
    message:
      hosts === ''
        ? 'You have no passkey.'
        : `None of your passkeys works at ${rpId}. Open the console at ${hosts}, or use another way.`,
  });
}
