// A person's own passkeys: the list, their names, and their removal, which asks for another factor.

import { RegistryError } from '../../build/contract/errors.ts';
import { codeBudget } from '../auth/attempt-budgets.ts';
import type { SessionCaller } from '../auth/caller.ts';
import { confirmPassword, type ConfirmPasswordOptions } from '../auth/confirm-password.ts';
import { judgeCode } from '../auth/judge-code.ts';
import type { LocalSignInRule } from '../auth/local-sign-in.ts';
import { keepNamedAdmin } from '../auth/named-admins.ts';
import type { Passkey } from '../auth/passkey.ts';
import type { SessionService } from '../auth/sessions.ts';
import { changeUser, commitUser, readUser, unknownUser, type UserEdit } from '../auth/user-records.ts';
import { hasAuthenticator, type UserRecord } from '../auth/user.ts';
import type { Sealer } from '../keys/sealer.ts';
import type { PasskeyAnswer } from './answer.ts';
import type { ChallengeUse } from './challenges.ts';
import { assertDistinct, checkedPasskeyName } from './name.ts';
import { passkeyOptions, type PasskeyPrompt } from './options.ts';
import { assertSomeAt, type AnswerPlace } from './sign-in.ts';
import type { PasskeySite } from './site.ts';
import { usePasskey, type UseParts } from './use-passkey.ts';

export interface OwnParts extends UseParts, ConfirmPasswordOptions {
  readonly sealer: Sealer;
  readonly sessions: SessionService;
  readonly localSignIn?: LocalSignInRule;
}

/** How a person proves that they may remove a passkey. */
export type RemovalProof =
  | { readonly password: string; readonly code: string }
  /** of another passkey */
  | (AnswerPlace & { readonly answer: PasskeyAnswer })
  /** only of a person without a password, who confirmed a short time ago */
  | { readonly isFresh: true };

export async function listPasskeys({ store }: Pick<OwnParts, 'store'>, userId: string): Promise<readonly Passkey[]> {
  return [...((await readUser(store, userId))?.record.passkeys ?? [])];
}

/** Throws NOT_FOUND, INVALID_INPUT. */
export async function renamePasskey({ store }: OwnParts, userId: string, id: string, text: string): Promise<Passkey> {
  const name = checkedPasskeyName(text);
  const changed = await changeUser(store, userId, (current) => {
    find(current, id);
    assertDistinct(
      name,
      (current.passkeys ?? []).filter((one) => one.id !== id),
    );
    return {
      record: {
        ...current,
        passkeys: (current.passkeys ?? []).map((one) => (one.id === id ? { ...one, name } : one)),
      },
      event: {
        actor: `user:${userId}`,
        action: 'user.rename_passkey',
        subject: userId,
        details: { passkey: id, name },
      },
    };
  });
  return find(changed, id);
}

/** The question for another passkey, which allows the removal of this one. Throws NOT_FOUND. */
export async function createRemovalChallenge(
  { store, challenges }: OwnParts,
  caller: SessionCaller,
  id: string,
  site: PasskeySite,
): Promise<PasskeyPrompt> {
  const user = (await readUser(store, caller.userId))?.record;
  if (user === undefined) throw unknownUser();
  find(user, id);
  const others = (user.passkeys ?? []).filter((one) => one.id !== id);
  assertSomeAt(site, others);
  return passkeyOptions(await challenges.issue(removalOf(caller, id)), others, site);
}

/** Ends the person's other sessions. Throws NOT_FOUND, INVALID_CREDENTIALS, INVALID_INPUT, TOO_MANY_ATTEMPTS. */
export async function removePasskey(
  parts: OwnParts,
  caller: SessionCaller,
  id: string,
  proof: RemovalProof & { readonly address: string },
): Promise<Passkey> {
  const { userId } = caller;
  const user = (await readUser(parts.store, userId))?.record;
  if (user === undefined) throw unknownUser();
  const removed = find(user, id);
  if ('answer' in proof) await removeByAnother(parts, caller, id, proof);
  else if ('code' in proof) {
    const desk = { ...parts, userId, address: proof.address };
    await confirmPassword(parts, desk, proof.password);
    await judgeCode(desk, proof.code, (take) =>
      changeUser(parts.store, userId, (current) =>
        removal(parts, caller, id, { ...current, two_factor: current.two_factor && take(current) }),
      ),
    );
  } else {
    if (user.password !== null) throw new RegistryError('INVALID_CREDENTIALS');
    await changeUser(parts.store, userId, (current) => removal(parts, caller, id, current));
  }
  return removed;
}

async function removeByAnother(
  parts: OwnParts,
  caller: SessionCaller,
  id: string,
  { answer, site, address }: AnswerPlace & { readonly answer: PasskeyAnswer },
): Promise<void> {
  const { userId } = caller;
  const use = {
    answer,
    site,
    address,
    challengeUse: removalOf(caller, id),
    budget: codeBudget(userId),
    isPersonal: true,
    actor: `user:${userId}` as const,
    owner: async (assertion: { readonly id: string }) => {
      const stored = await readUser(parts.store, userId);
      const isSame = stored?.record.passkeys?.some((one) => one.id === id && one.credential_id === assertion.id);
      return isSame === true ? undefined : stored;
    },
  };
  await usePasskey(parts, use, async ({ stored, record, extras }) => {
    const edit = await removal(parts, caller, id, record);
    const { conditions, puts } = extras;
    const deletes = [...extras.deletes, ...(edit.deletes ?? [])];
    const all = [...conditions, ...(edit.conditions ?? [])];
    return (await commitUser(parts.store, stored, { ...edit, conditions: all, puts, deletes })) || undefined;
  });
}

/** Without passkeys and authenticator the second factor is off, and the recovery codes end. Throws NOT_FOUND. */
async function removal(
  { store, sessions, localSignIn }: OwnParts,
  { userId, sessionId }: SessionCaller,
  id: string,
  current: UserRecord,
): Promise<UserEdit> {
  const { name } = find(current, id);
  const passkeys = (current.passkeys ?? []).filter((one) => one.id !== id);
  const isOff = passkeys.length === 0 && !hasAuthenticator(current) && current.two_factor?.enabled_at !== null;
  const record: UserRecord = { ...current, passkeys, ...(isOff ? { two_factor: null } : {}) };
  return {
    record,
    conditions: await keepNamedAdmin(store, localSignIn, current, record),
    deletes: await sessions.keysOf(current, sessionId),
    event: {
      actor: `user:${userId}`,
      action: 'user.remove_passkey',
      subject: userId,
      details: { passkey: id, name, passkeys_left: passkeys.length },
    },
  };
}

function removalOf({ userId, sessionId }: SessionCaller, id: string): ChallengeUse {
  return { ceremony: 'remove', subject: userId, context: `${sessionId} ${id}` };
}

/** Throws NOT_FOUND. */
function find({ passkeys = [] }: UserRecord, id: string): Passkey {
  const found = passkeys.find((one) => one.id === id);
  if (found === undefined) throw new RegistryError('NOT_FOUND', { message: 'You have no passkey with this id.' });
  return found;
}
