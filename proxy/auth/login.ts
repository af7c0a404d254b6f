// Login with email, password and, with two-factor authentication, a code. An unknown user and a wrong password cost the
// same time and get the same answer.

import { RegistryError } from '../../build/contract/errors.ts';
import type { JsonObject } from '../../build/contract/json.ts';
import type { Sealer } from '../keys/sealer.ts';
import type { ChangeParts } from '../state/audit.ts';
import { accountBudget, addressBudget, codeBudget, pairBudget, type Budget } from './attempt-budgets.ts';
import { WrongGuess, type Attempts } from './attempts.ts';
import { maySignInHere, refusedHere, type LocalSignInRule } from './local-sign-in.ts';
import type { Passwords } from './password.ts';
import { refuseLogin } from './refused-login.ts';
import type { Secret } from '../../build/shared/text/secret.ts';
import type { SessionOrigin, SessionService } from './sessions.ts';
import { useCode } from './two-factor-code.ts';
import type { PasskeyId } from './passkey.ts';
import { commitUser, readUserByEmail, type StoredUser, type UserEditExtras } from './user-records.ts';
import { hasTwoFactor, type UserRecord } from './user.ts';

export interface Credentials {
  readonly email: string;
  readonly password: string;
  /** a code of the authenticator, or a recovery code */
  readonly code?: string | undefined;
}

export interface LoggedIn {
  readonly token: Secret;
  /** `ses_…`, not secret */
  readonly sessionId: string;
  readonly expires_at: string;
  readonly user: UserRecord;
}

export interface LoginOptions extends Pick<ChangeParts, 'store' | 'now'> {
  readonly sessions: SessionService;
  readonly passwords: Passwords;
  readonly attempts: Attempts;
  readonly sealer: Sealer;
  readonly localSignIn?: LocalSignInRule;
}

/** The password was right, and the account requires a code that was not given. */
export interface LacksCode {
  readonly lacksCode: UserRecord;
}

/** Throws INVALID_CREDENTIALS, TWO_FACTOR_REQUIRED (only after the right password), TOO_MANY_ATTEMPTS. */
export async function login(options: LoginOptions, credentials: Credentials, address: string): Promise<LoggedIn> {
  const reached = await tryLogin(options, credentials, address);
  if ('lacksCode' in reached) throw new RegistryError('TWO_FACTOR_REQUIRED');
  return reached;
}

/** Throws INVALID_CREDENTIALS, TOO_MANY_ATTEMPTS. */
export async function tryLogin(
  options: LoginOptions,
  { email, password, code }: Credentials,
  address: string,
): Promise<LoggedIn | LacksCode> {
  const { store, localSignIn } = options;
  const isKnown = (await readUserByEmail(store, email))?.record.known_addresses.includes(address) === true;
  const pair = pairBudget(email, address);
  const budgets = [addressBudget(address), pair, ...(isKnown ? [] : [accountBudget(email)])];
  for (let checked: string | undefined; ;) {
    const stored = await readUserByEmail(store, email);
    const isOpen = stored?.record.status === 'active' && maySignInHere(localSignIn, stored.record);
    const encoded = isOpen ? (stored.record.password ?? undefined) : undefined;
    if (checked === undefined || checked !== encoded)
      await assertRight(options, stored, { encoded, password, address, budgets, pair });
    if (stored === undefined) throw refusedHere(localSignIn);
    checked = encoded;
    if (code === undefined && hasTwoFactor(stored.record)) return { lacksCode: stored.record };
    const loggedIn = await afterPassword(options, stored, code ?? '', address);
    if (loggedIn !== undefined) return loggedIn;
  }
}

/**
 * Logs in a person whose password was right. undefined: the user was changed since `stored` was read. Throws
 * INVALID_CREDENTIALS for a wrong code, TOO_MANY_ATTEMPTS.
 */
export function afterPassword(
  options: LoginOptions,
  stored: StoredUser,
  code: string,
  address: string,
): Promise<LoggedIn | undefined> {
  return hasTwoFactor(stored.record)
    ? withCode(options, stored, code, address)
    : letIn(options, stored, stored.record, { address });
}

interface TriedPassword {
  readonly encoded: string | undefined;
  readonly password: string;
  readonly address: string;
  readonly budgets: readonly Budget[];
  readonly pair: Budget;
}

/**
 * A right password returns its reservation before the check of any code. Wrong codes have a separate budget, whose wait
 * is then the only one.
 */
async function assertRight(
  { store, passwords, attempts, localSignIn: rule }: LoginOptions,
  stored: StoredUser | undefined,
  { encoded, password, address, budgets, pair }: TriedPassword,
): Promise<void> {
  const reason = reasonOf(stored?.record, encoded, rule);
  await attempts.judge(
    budgets,
    async () => {
      if (!(await passwords.verify(password, encoded))) throw new WrongGuess();
      return true;
    },
    { refuse: () => refuseLogin(store, { userId: stored?.record.id, address, reason, rule }), cleared: [pair] },
  );
}

/** `encoded`: the password that was compared; undefined: none could be right. */
function reasonOf(
  record: UserRecord | undefined,
  encoded: string | undefined,
  rule: LocalSignInRule,
): 'unknown user' | 'local sign-in off' | 'not active' | 'wrong password' {
  if (record === undefined) return 'unknown user';
  if (encoded !== undefined) return 'wrong password';
  return record.status === 'active' && !maySignInHere(rule, record) ? 'local sign-in off' : 'not active';
}

/** undefined: the user was changed since `stored` was read. */
async function withCode(
  options: LoginOptions,
  stored: StoredUser,
  code: string,
  address: string,
): Promise<LoggedIn | undefined> {
  const { store, attempts, sealer, now } = options;
  const { record } = stored;
  const codes = codeBudget(record.id);
  const refuse = () => refuseLogin(store, { userId: record.id, address, reason: 'wrong code' });
  return attempts.judge(
    [codes],
    async () => {
      const two_factor = useCode(record, code, sealer, now());
      if (two_factor === undefined) throw new WrongGuess();
      return letIn(options, stored, { ...record, two_factor }, { address });
    },
    { refuse, cleared: [codes] },
  );
}

const mostAddresses = 5;

export interface SessionDetails {
  /** of the client */
  readonly address: string;
  /** absent: the person signed in here */
  readonly origin?: SessionOrigin;
  /** the one that the person used */
  readonly passkey?: PasskeyId;
  /** for the audit event, instead of the recovery codes that are left */
  readonly details?: JsonObject;
}

/**
 * Begins a session of a person whose proofs were all right. `changed`: the user after them. undefined: the user, or a
 * row of `extras`, was changed since `stored` was read. Throws LAST_ADMIN.
 */
export async function letIn(
  { store, sessions, now }: Pick<LoginOptions, 'store' | 'sessions' | 'now'>,
  stored: StoredUser,
  changed: UserRecord,
  { address, origin, passkey, details }: SessionDetails,
  extras: UserEditExtras = {},
): Promise<LoggedIn | undefined> {
  const user: UserRecord = {
    ...changed,
    last_login_at: new Date(now()).toISOString(),
    known_addresses: [address, ...changed.known_addresses.filter((known) => known !== address)].slice(0, mostAddresses),
  };
  const { token, expires_at, row } = await sessions.begin(user, address, origin);
  const done = await commitUser(store, stored, {
    record: user,
    puts: [row, ...(extras.puts ?? [])],
    deletes: [...(await sessions.spentKeysOf(user)), ...(extras.deletes ?? [])],
    conditions: extras.conditions ?? [],
    event: {
      actor: `user:${user.id}`,
      action: 'login',
      subject: row.value.id,
      details: {
        address,
        ...(passkey === undefined ? {} : { passkey }),
        ...(details ?? {
          recovery_codes_left: hasTwoFactor(user) ? (user.two_factor?.recovery_codes.length ?? 0) : null,
        }),
      },
    },
  });
  return done ? { token, sessionId: row.value.id, expires_at, user } : undefined;
}
