// Passkeys (WebAuthn): the service behind the pages and the API. Each `ask…` gives the options for the browser, and the
// browser's answer comes back within five minutes. The first passkey of an account turns on two-factor authentication,
// and comes with recovery codes. The person's other sessions end, as with every change of the second factor.

import type { RandomBytes } from '../../build/shared/text/base62.ts';
import type { Secret } from '../../build/shared/text/secret.ts';
import { createAttempts } from '../auth/attempts.ts';
import type { SessionCaller } from '../auth/caller.ts';
import { maySignInHere } from '../auth/local-sign-in.ts';
import type { LoggedIn } from '../auth/login.ts';
import { type Passkey, mintPasskeyId, passkeyKey } from '../auth/passkey.ts';
import type { Passwords } from '../auth/password.ts';
import type { People } from '../auth/people.ts';
import { type UserRecord, hasTwoFactor } from '../auth/user.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import type { Sealer } from '../keys/sealer.ts';
import { createAuditedStore, type ChangeParts } from '../state/audit.ts';
import type { StateStore } from '../core/state/state-store.ts';
import { type PasskeyAnswer, parseAttestation } from './answer.ts';
import { createChallenges, type ChallengeUse, type Challenges, useChallenge } from './challenges.ts';
import { type PasskeyPrompt, passkeyOptions, newPasskeyOptions } from './options.ts';
import {
  createRemovalChallenge,
  listPasskeys,
  removePasskey,
  renamePasskey,
  type RemovalProof,
} from './own-passkeys.ts';
import {
  createSignInChallenge,
  createSecondFactorChallenge,
  finishSignIn,
  signIn,
  type AnswerPlace,
  assertSomeAt,
} from './sign-in.ts';
import type { PasskeySite } from './site.ts';
import { codeBudget } from '../auth/attempt-budgets.ts';
import type { Confirmations } from '../auth/confirmations.ts';
import { commitUser, readUser, unknownUser, changeUser, type UserEdit } from '../auth/user-records.ts';
import { usePasskey, type UseParts, lateAnswer } from './use-passkey.ts';
import { RegistryError } from '../../build/contract/errors.ts';
import type { SessionService } from '../auth/sessions.ts';
import { mintRecoveryCodes, passkeysAlone } from '../auth/two-factor-code.ts';
import { checkedPasskeyName, distinctName } from './name.ts';
import { verifyAttestation } from './verify.ts';

interface AddParts extends Omit<ChangeParts, 'actor'> {
  readonly challenges: Challenges;
  readonly sessions: SessionService;
}

interface AddedPasskey {
  readonly passkey: Passkey;
  /** undefined: the person has some already, or no password */
  readonly recoveryCodes: readonly Secret[] | undefined;
}

const mostPasskeys = 20;

async function createRegistrationChallenge(
  { store, challenges }: AddParts,
  caller: SessionCaller,
  site: PasskeySite,
): Promise<PasskeyPrompt> {
  const user = (await readUser(store, caller.userId))?.record;
  if (user === undefined) throw unknownUser();
  assertRoom(user);
  return newPasskeyOptions(await challenges.issue(useBy(caller)), user, site);
}

/** Throws INVALID_CREDENTIALS, INVALID_INPUT, CONFLICT. */
async function addPasskey(
  parts: AddParts,
  caller: SessionCaller,
  { answer, name, site }: { readonly answer: PasskeyAnswer; readonly name: string; readonly site: PasskeySite },
): Promise<AddedPasskey> {
  const checkedName = checkedPasskeyName(name);
  const attestation = parseAttestation(answer.credential);
  const challenge = await parts.challenges.open(answer.token, useBy(caller));
  if (challenge === undefined) throw lateAnswer();
  const verified = await verifyAttestation(attestation, { challenge, site });
  if (verified === undefined) throw unproven();
  const draft: Passkey = {
    id: mintPasskeyId(parts.randomBytes),
    ...verified,
    transports: attestation.response.transports,
    rp_id: site.rpId,
    name: checkedName,
    created_at: new Date(parts.now()).toISOString(),
    last_used_at: null,
  };
  const { codes, hashes } = mintRecoveryCodes(parts.randomBytes);
  let isFirst = false;
  let passkey = draft;
  await changeUser(parts.store, caller.userId, async (current) => {
    isFirst = !hasTwoFactor(current) && current.password !== null;
    const two_factor = isFirst ? passkeysAlone(hashes, parts.now()) : current.two_factor;
    passkey = { ...draft, name: distinctName(checkedName, current.passkeys ?? []) };
    return edit(parts, caller, { current: { ...current, two_factor }, passkey, challenge });
  });
  return { passkey, recoveryCodes: isFirst ? codes : undefined };
}

async function edit(
  { store, sessions, now }: AddParts,
  { userId, sessionId }: SessionCaller,
  added: { readonly current: UserRecord; readonly passkey: Passkey; readonly challenge: string },
): Promise<UserEdit> {
  const { current, passkey, challenge } = added;
  assertRoom(current);
  if ((await store.get(passkeyKey(passkey.credential_id))) !== undefined)
    throw new RegistryError('CONFLICT', { message: 'This passkey is registered already. Choose another one.' });
  const nowMs = now();
  const use = await useChallenge(store, challenge, nowMs);
  if (use === undefined) throw unproven();
  return {
    ...use,
    record: { ...current, passkeys: [...(current.passkeys ?? []), passkey] },
    deletes: [...use.deletes, ...(await sessions.keysOf(current, sessionId))],
    event: {
      actor: `user:${userId}`,
      action: 'user.add_passkey',
      subject: userId,
      details: { passkey: passkey.id, name: passkey.name, host: passkey.rp_id },
    },
  };
}

function useBy({ userId, sessionId }: SessionCaller): ChallengeUse {
  return { ceremony: 'add', subject: userId, context: sessionId };
}

function assertRoom({ passkeys = [] }: UserRecord): void {
  if (passkeys.length < mostPasskeys) return;
  throw new RegistryError('CONFLICT', {
    message: `You have ${mostPasskeys} passkeys, which is the most. Remove one that you no longer use.`,
  });
}

function unproven(): RegistryError {
  return new RegistryError('INVALID_INPUT', {
    message:
      'The passkey was not added: its answer is not for this page, or your device did not ask for your finger, face or ' +
      'PIN. Load the page again, or use another device.',
  });
}

export interface Passkeys {
  readonly createSignInChallenge: (site: PasskeySite) => Promise<PasskeyPrompt>;
  readonly signIn: (answer: PasskeyAnswer, place: AnswerPlace) => Promise<LoggedIn>;
  readonly createSecondFactorChallenge: (proof: string, site: PasskeySite) => Promise<PasskeyPrompt | undefined>;
  readonly finishSignIn: (proof: string, answer: PasskeyAnswer, place: AnswerPlace) => Promise<LoggedIn | undefined>;
  readonly askConfirmation: (caller: SessionCaller, site: PasskeySite) => Promise<PasskeyPrompt>;
  readonly confirm: (caller: SessionCaller, answer: PasskeyAnswer, place: AnswerPlace) => Promise<Secret>;
  readonly createRegistrationChallenge: (caller: SessionCaller, site: PasskeySite) => Promise<PasskeyPrompt>;
  readonly add: (caller: SessionCaller, added: Parameters<typeof addPasskey>[2]) => Promise<AddedPasskey>;
  /** oldest first */
  readonly list: (userId: string) => Promise<readonly Passkey[]>;
  readonly rename: (userId: string, id: string, name: string) => Promise<Passkey>;
  readonly createRemovalChallenge: (caller: SessionCaller, id: string, site: PasskeySite) => Promise<PasskeyPrompt>;
  readonly remove: (
    caller: SessionCaller,
    id: string,
    proof: RemovalProof & { readonly address: string },
  ) => Promise<Passkey>;
}

export interface PasskeysOptions {
  readonly state: StateStore;
  readonly keys: KeyRing;
  readonly sealer: Sealer;
  readonly passwords: Passwords;
  readonly people: Pick<People, 'sessions' | 'twoStepLogin' | 'confirmations' | 'localSignIn'>;
  /** epoch milliseconds */
  readonly now: () => number;
  readonly randomBytes: RandomBytes;
}

export function createPasskeys(options: PasskeysOptions): Passkeys {
  const { state, people, now } = options;
  /** A passkey replaces the password of those who could sign in with one. */
  const maySignIn = (user: UserRecord): boolean => user.password !== null && maySignInHere(people.localSignIn, user);
  const store = createAuditedStore({ store: state, now });
  const attempts = createAttempts({ ...options, store: state });
  const parts = { ...options, ...people, store, attempts, challenges: createChallenges(options), maySignIn };
  return {
    createSignInChallenge: (site) => createSignInChallenge(parts, site),
    signIn: (answer, place) => signIn(parts, answer, place),
    createSecondFactorChallenge: (proof, site) => createSecondFactorChallenge(parts, proof, site),
    finishSignIn: (proof, answer, place) => finishSignIn(parts, proof, answer, place),
    askConfirmation: (caller, site) => askConfirmation(parts, caller, site),
    confirm: (caller, answer, place) => confirmWithPasskey(parts, caller, answer, place),
    createRegistrationChallenge: (caller, site) => createRegistrationChallenge(parts, caller, site),
    add: (caller, added) => addPasskey(parts, caller, added),
    list: (userId) => listPasskeys(parts, userId),
    rename: (userId, id, name) => renamePasskey(parts, userId, id, name),
    createRemovalChallenge: (caller, id, site) => createRemovalChallenge(parts, caller, id, site),
    remove: (caller, id, proof) => removePasskey(parts, caller, id, proof),
  };
}

// Confirms with a passkey that the person of a session is there, as the password does: dangerous posts ask for it.

interface ConfirmParts extends UseParts {
  readonly confirmations: Pick<Confirmations, 'prove'>;
}

/** Throws NOT_FOUND if no passkey of the person works at this site. */
async function askConfirmation(
  { store, challenges }: ConfirmParts,
  caller: SessionCaller,
  site: PasskeySite,
): Promise<PasskeyPrompt> {
  const user = (await readUser(store, caller.userId))?.record;
  if (user === undefined) throw unknownUser();
  assertSomeAt(site, user.passkeys);
  return passkeyOptions(await challenges.issue(confirmationBy(caller)), user.passkeys ?? [], site);
}

/** A proof, as after the password. Throws INVALID_CREDENTIALS, INVALID_INPUT, TOO_MANY_ATTEMPTS. */
async function confirmWithPasskey(
  parts: ConfirmParts,
  caller: SessionCaller,
  answer: PasskeyAnswer,
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
