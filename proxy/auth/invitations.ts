// Invitations: a code, shown once to its creator, with which a person chooses a password. The code ends after its use,
// after a newer invitation, and after seven days. The code also ends when its user is disabled or chooses another
// password.

import { RegistryError } from '../../build/contract/errors.ts';
import type { MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import type { AuditedStore } from '../state/audit.ts';
import { WrongGuess, type Attempts } from './attempts.ts';
import { addressBudget } from './attempt-budgets.ts';
import type { RandomBytes } from '../../build/shared/text/base62.ts';
import { hashCode, mintCode } from './one-time-code.ts';
import { assertPassword, type Passwords } from './password.ts';
import { invitationMs, type PeopleRules } from './people-rules.ts';
import { refuseCode } from './refused-login.ts';
import type { Secret } from '../../build/shared/text/secret.ts';
import type { SessionService } from './sessions.ts';
import { changeUser, readUserBehind } from './user-records.ts';
import { invitationKey, type UserRecord } from './user.ts';
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

export interface InvitationsOptions {
  readonly store: AuditedStore;
  readonly sessions: SessionService;
  readonly passwords: Passwords;
  readonly attempts: Attempts;
  readonly now: () => number;
  readonly rules: () => MaybeAsync<PeopleRules>;
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
 * Returns the user with the new password, and ends all earlier sessions. Throws INVITATION_INVALID, TOO_MANY_ATTEMPTS,
 * INVALID_INPUT.
 */
export async function acceptInvitation(
  options: InvitationsOptions,
  { code, password, name }: Acceptance,
  address: string,
): Promise<UserRecord> {
  const { store, sessions, passwords, attempts, now, rules } = options;
  const hash = hashCode(code);
  const isGood = (user: UserRecord): boolean => isInvited(user, hash, now());
  const stored = await attempts.judge(
    [addressBudget(address)],
    async () => {
      const found = await readUserBehind(store, invitationKey(hash));
      if (found === undefined || !isGood(found.record)) throw new WrongGuess();
      return found;
    },
    { refuse: () => refuseCode(store, 'INVITATION_INVALID', address) },
  );
  assertPassword(password, await rules());
  const encoded = await passwords.hash(password);
  return changeUser(store, stored.record.id, async (current) => {
    if (!isGood(current)) throw new RegistryError('INVITATION_INVALID');
    return {
      record: {
        ...current,
        ...(name === undefined ? {} : { name: checkedName(name) }),
        status: 'active',
        password: encoded,
        invitation: null,
      },
      deletes: await sessions.keysOf(current),
      event: {
        actor: `user:${current.id}`,
        action: 'user.accept_invitation',
        subject: current.id,
        details: { address },
      },
    };
  });
}
