// Adds a passkey to a person's account. The first one turns on two-factor authentication, and comes with recovery
// codes. The person's other sessions end, as with every change of the second factor.

import { RegistryError } from '../../build/contract/errors.ts';
import type { Secret } from '../../build/shared/text/secret.ts';
import type { SessionCaller } from '../auth/caller.ts';
import { mintPasskeyId, passkeyKey, type Passkey } from '../auth/passkey.ts';
import type { SessionService } from '../auth/sessions.ts';
import { mintRecoveryCodes, passkeysAlone } from '../auth/two-factor-code.ts';
import { changeUser, readUser, unknownUser, type UserEdit } from '../auth/user-records.ts';
import { hasTwoFactor, type UserRecord } from '../auth/user.ts';
import type { ChangeParts } from '../state/audit.ts';
import { parseAttestation, type PasskeyAnswer } from './answer.ts';
import { type Challenges, type ChallengeUse, useChallenge } from './challenges.ts';
import { checkedPasskeyName, distinctName } from './name.ts';
import { newPasskeyOptions, type PasskeyPrompt } from './options.ts';
import type { PasskeySite } from './site.ts';
import { lateAnswer } from './use-passkey.ts';
import { verifyAttestation } from './verify.ts';

export interface AddParts extends Omit<ChangeParts, 'actor'> {
  readonly challenges: Challenges;
  readonly sessions: SessionService;
}

export interface AddedPasskey {
  readonly passkey: Passkey;
  /** undefined: the person has some already, or no password */
  readonly recoveryCodes: readonly Secret[] | undefined;
}

export const mostPasskeys = 20;

export async function createRegistrationChallenge(
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
export async function addPasskey(
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
