// Invitations: a code, shown once to its creator, with which a person chooses a password. The code ends after its use,
// after a newer invitation, and after seven days. The code also ends when its user is disabled or chooses another
// password.

import { RegistryError } from '../../build/contract/errors.ts';
import type { MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import type { ChangeParts } from '../state/audit.ts';
import { WrongGuess, type Attempts } from './attempts.ts';
import { addressBudget } from './attempt-budgets.ts';
import type { RandomBytes } from '../../build/shared/text/base62.ts';
import { hashCode, mintCode } from './one-time-code.ts';
import { assertNamed, type LocalSignInRule } from './local-sign-in.ts';
import { assertPassword, type Passwords } from './password.ts';
import { invitationMs, type PeopleRules } from './people-rules.ts';
import { refuseCode } from './refused-login.ts';
import type { Secret } from '../../build/shared/text/secret.ts';
import type { SessionService } from './sessions.ts';
import { endTerminals, type PendingTerminals } from './end-terminals.ts';
import { changeUser, readUserBehind, type StoredUser } from './user-records.ts';
import { invitationKey, isMadeByProvider, type UserRecord } from './user.ts';
import { checkedName } from './user-fields.ts';

export interface Invitation {
  readonly code: Secret;
  readonly expires_at: string;
}

export function mintInvitation(
  nowMs: number,
  randomBytes: RandomBytes,
  lifetimeMs = invitationMs,
): { readonly shown: Invitation; readonly stored: { readonly hash: string; readonly expires_at: string } } {
  const { secret, hash } = mintCode('inv', randomBytes);
  const expires_at = new Date(nowMs + lifetimeMs).toISOString();
  return { shown: { code: secret, expires_at }, stored: { hash, expires_at } };
}

export interface Acceptance {
  readonly code: string;
  readonly password: string;
  readonly name?: string;
}

export interface InvitationsOptions extends Pick<ChangeParts, 'store' | 'now'> {
  readonly sessions: SessionService;
  readonly passwords: Passwords;
  readonly attempts: Attempts;
  readonly rules: () => MaybeAsync<PeopleRules>;
  readonly localSignIn?: LocalSignInRule;
  readonly pendingTerminals?: PendingTerminals | undefined;
}

/** True for a code that `acceptInvitation` takes now. Not counted as an attempt, like the look at a setup code. */
export async function isInvitationCode(
  { store, now }: Pick<InvitationsOptions, 'store' | 'now'>,
  code: string,
): Promise<boolean> {
  const hash = hashCode(code);
  const found = await readUserBehind(store, invitationKey(hash));
  return found !== undefined && isInvited(found.record, hash, now());
}

function isInvited({ invitation, status }: UserRecord, hash: string, nowMs: number): boolean {
  return status !== 'disabled' && invitation?.hash === hash && nowMs < Date.parse(invitation.expires_at);
}

/**
 * Returns the user with the new password, and ends all earlier sessions and terminals. Throws INVITATION_INVALID,
 * TOO_MANY_ATTEMPTS, INVALID_INPUT.
 */
export async function acceptInvitation(
  options: InvitationsOptions,
  { code, password, name }: Acceptance,
  address: string,
): Promise<UserRecord> {
  const { store, sessions, passwords, now, rules, localSignIn } = options;
  const hash = hashCode(code);
  const stored = await findInvited(options, hash, address);
  assertNamed(localSignIn, stored.record, 'INVITATION_INVALID');
  assertPassword(password, await rules());
  const encoded = await passwords.hash(password);
  return changeUser(store, stored.record.id, async (current) => {
    if (!isInvited(current, hash, now())) throw new RegistryError('INVITATION_INVALID');
    const ended = await endTerminals(options, current.id);
    return {
      record: {
        ...current,
        ...(name === undefined ? {} : { name: checkedName(name) }),
        ...withoutMaker(current),
        status: 'active',
        password: encoded,
        invitation: null,
      },
      puts: ended.puts,
      deletes: [...ended.deletes, ...(await sessions.keysOf(current))],
      event: {
        actor: `user:${current.id}`,
        action: 'user.accept_invitation',
        subject: current.id,
        details: { address, ...leftProviders(current), ...ended.details },
      },
    };
  });
}

/**
 * Who made the account by a sign-in at a provider may have entered the address of somebody else there. The link reached
 * its owner, so that the account is theirs alone from now on.
 */
function withoutMaker(user: UserRecord): Partial<UserRecord> {
  return isMadeByProvider(user) ? { identities: [], passkeys: [], two_factor: null } : {};
}

function leftProviders(user: UserRecord): { readonly left_providers?: readonly string[] } {
  return isMadeByProvider(user) ? { left_providers: (user.identities ?? []).map(({ issuer }) => issuer) } : {};
}

/** Throws INVITATION_INVALID, TOO_MANY_ATTEMPTS. */
function findInvited({ store, attempts, now }: InvitationsOptions, hash: string, address: string): Promise<StoredUser> {
  return attempts.judge(
    [addressBudget(address)],
    async () => {
      const found = await readUserBehind(store, invitationKey(hash));
      if (found === undefined || !isInvited(found.record, hash, now())) throw new WrongGuess();
      return found;
    },
    { refuse: () => refuseCode(store, 'INVITATION_INVALID', address) },
  );
}
