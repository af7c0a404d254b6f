// The operations of people on their own account: password and two-factor authentication. A session alone is not enough
// for any of them. Each requires the password again, and a code if two-factor authentication is on and concerned. A
// change of the password or the second factor ends all sessions of the person and begins a new one.

import { RegistryError } from '../../build/contract/errors.ts';
import type { JsonObject } from '../../build/contract/json.ts';
import type { MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import type { Sealer } from '../keys/sealer.ts';
import type { ChangeParts } from '../state/audit.ts';
import type { Attempts } from './attempts.ts';
import { confirmPassword } from './confirm-password.ts';
import { judgeCode } from './judge-code.ts';
import type { LoggedIn } from './login.ts';
import { keepNamedAdmin } from './named-admins.ts';
import type { LocalSignInRule } from './local-sign-in.ts';
import { assertPassword, type Passwords } from './password.ts';
import type { PeopleRules } from './people-rules.ts';
import type { Secret } from '../../build/shared/text/secret.ts';
import type { NewSession, SessionService } from './sessions.ts';
import {
  mintRecoveryCodes,
  mintTwoFactorSecret,
  passkeysAlone,
  twoFactorUri,
  useFirstCode,
} from './two-factor-code.ts';
import { changeUser } from './user-records.ts';
import { hasAuthenticator, hasTwoFactor, type TwoFactor, type UserRecord } from './user.ts';

export type Account = ReturnType<typeof createAccount>;

export interface AccountOptions extends Omit<ChangeParts, 'actor'> {
  readonly sessions: SessionService;
  readonly passwords: Passwords;
  readonly attempts: Attempts;
  readonly sealer: Sealer;
  readonly rules: () => MaybeAsync<PeopleRules>;
  readonly localSignIn?: LocalSignInRule;
}

/**
 * The account of one user, who uses it from `address`. Every call may throw INVALID_CREDENTIALS, TWO_FACTOR_STATE,
 * TOO_MANY_ATTEMPTS.
 */
export function createAccount(options: AccountOptions, userId: string, address: string) {
  const at: Desk = { ...options, userId, address };
  return {
    /** Throws INVALID_CREDENTIALS, INVALID_INPUT. */
    changePassword: ({ current, chosen }: { readonly current: string; readonly chosen: string }) =>
      changePassword(at, current, chosen),
    /** Has no effect until it is enabled; doing it again gives another secret. */
    setUpTwoFactor: (password: string) => setUpTwoFactor(at, password),
    enableTwoFactor: (code: string) => enableTwoFactor(at, code),
    disableTwoFactor: (password: string, code: string) => disableTwoFactor(at, password, code),
    /** Creates ten new codes; the former codes are no longer valid. */
    renewRecoveryCodes: (password: string, code: string) => renewRecoveryCodes(at, password, code),
  };
}

interface Desk extends AccountOptions {
  readonly userId: string;
  readonly address: string;
}

async function changePassword(at: Desk, current: string, chosen: string): Promise<LoggedIn> {
  const { encoded } = await confirmPassword(at, at, current);
  assertPassword(chosen, await at.rules(), 'new_password');
  const password = await at.passwords.hash(chosen);
  return changeWithSession(at, 'user.change_password', (record) => {
    // two concurrent changes: the password of the second one is no longer current
    if (record.password !== encoded) throw new RegistryError('INVALID_CREDENTIALS');
    return { ...record, password, invitation: null };
  });
}

async function setUpTwoFactor(at: Desk, password: string): Promise<{ secret: Secret; uri: Secret }> {
  const { user } = await confirmPassword(at, at, password);
  const secret = mintTwoFactorSecret(at.randomBytes);
  await change(at, 'user.set_up_two_factor', (record) => {
    if (hasAuthenticator(record)) throw inState('Two-factor authentication is on already. Disable it first.');
    const sealed = at.sealer.seal(secret, at.userId);
    const two_factor: TwoFactor = hasTwoFactor(record)
      ? { ...(record.two_factor ?? passkeysAlone([], at.now())), next_secret: sealed }
      : { secret: sealed, enabled_at: null, last_step: 0, recovery_codes: [] };
    return { ...record, two_factor };
  });
  return { secret, uri: twoFactorUri(secret, user.email) };
}

async function enableTwoFactor(at: Desk, code: string): Promise<LoggedIn & { recoveryCodes: readonly Secret[] }> {
  const { codes, hashes } = mintRecoveryCodes(at.randomBytes);
  const loggedIn = await judgeCode(
    at,
    code,
    (take) =>
      changeWithSession(at, 'user.enable_two_factor', (record) => {
        if (record.two_factor === null)
          throw inState('Two-factor authentication is not set up. Begin with POST /api/auth/2fa/setup.');
        if (hasAuthenticator(record)) throw inState('Two-factor authentication is on already.');
        return {
          ...record,
          two_factor: { ...take(record), enabled_at: new Date(at.now()).toISOString(), recovery_codes: hashes },
        };
      }),
    useFirstCode,
  );
  return { ...loggedIn, recoveryCodes: codes };
}

async function disableTwoFactor(at: Desk, password: string, code: string): Promise<LoggedIn> {
  await confirmPassword(at, at, password);
  return judgeCode(at, code, (take) =>
    changeWithSession(at, 'user.disable_two_factor', (record) => {
      assertOn(record);
      if (!hasAuthenticator(record)) throw inState('Your passkeys are the second factor. Remove them instead.');
      const { recovery_codes } = take(record);
      // the second factor of a person with passkeys stays on
      const hasPasskeys = (record.passkeys ?? []).length > 0;
      return { ...record, two_factor: hasPasskeys ? passkeysAlone(recovery_codes, at.now()) : null };
    }),
  );
}

async function renewRecoveryCodes(at: Desk, password: string, code: string): Promise<readonly Secret[]> {
  await confirmPassword(at, at, password);
  const { codes, hashes } = mintRecoveryCodes(at.randomBytes);
  await judgeCode(at, code, (take) =>
    change(at, 'user.renew_recovery_codes', (record) => {
      assertOn(record);
      return { ...record, two_factor: { ...take(record), recovery_codes: hashes } };
    }),
  );
  return codes;
}

function change(
  { store, userId }: Desk,
  action: string,
  edit: (record: UserRecord) => UserRecord,
  details: JsonObject = {},
): Promise<UserRecord> {
  return changeUser(store, userId, (current) => ({
    record: edit(current),
    event: { actor: `user:${userId}`, action, subject: userId, details },
  }));
}

/** Ends all earlier sessions, in the same commit that starts the new one. */
async function changeWithSession(
  { store, sessions, userId, address, localSignIn }: Desk,
  action: string,
  edit: (record: UserRecord) => UserRecord,
): Promise<LoggedIn> {
  let session: NewSession | undefined;
  const user = await changeUser(store, userId, async (current) => {
    const record = edit(current);
    session = await sessions.begin(record, address);
    return {
      record,
      puts: [session.row],
      deletes: await sessions.keysOf(current),
      conditions: await keepNamedAdmin(store, localSignIn, current, record),
      event: { actor: `user:${userId}`, action, subject: userId, details: { session: session.row.value.id } },
    };
  });
  if (session === undefined) throw new Error('a user was changed without a session');
  const { token, expires_at, row } = session;
  return { token, sessionId: row.value.id, expires_at, user };
}

function assertOn(record: UserRecord): void {
  if (!hasTwoFactor(record)) throw inState('Two-factor authentication is off.');
}

function inState(message: string): RegistryError {
  return new RegistryError('TWO_FACTOR_STATE', { message });
}
