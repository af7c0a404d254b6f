// Creates the first admin of a new registry with the code that the server printed at its start. The code works once,
// for an hour, and only while no user exists.

import { z } from 'zod';
import { RegistryError } from '../../build/contract/errors.ts';
import type { JsonValue } from '../../build/contract/json.ts';
import type { MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import type { ChangeParts } from '../state/audit.ts';
import { parseRow } from '../state/rows.ts';
import { addressBudget } from './attempt-budgets.ts';
import { WrongGuess, type Attempts } from './attempts.ts';
import { isNamed, type LocalSignInRule } from './local-sign-in.ts';
import type { LoggedIn } from './login.ts';
import { hashCode, mintCode } from './one-time-code.ts';
import { assertPassword, type Passwords } from './password.ts';
import { setupCodeMs, type PeopleRules } from './people-rules.ts';
import { refuseCode } from './refused-login.ts';
import type { Secret } from '../../build/shared/text/secret.ts';
import type { SessionService } from './sessions.ts';
import { insertUser } from './user-records.ts';
import { readRoster } from './user-roster.ts';
import type { UserRecord } from './user.ts';
import { mintUserId } from '../core/tokens/person.ts';
import { checkedEmail, checkedName } from './user-fields.ts';

export interface SetupDraft {
  readonly code: string;
  readonly email: string;
  readonly name?: string | undefined;
  readonly password: string;
}

export interface SetupOptions extends Omit<ChangeParts, 'actor'> {
  readonly sessions: SessionService;
  readonly passwords: Passwords;
  readonly attempts: Attempts;
  readonly rules: () => MaybeAsync<PeopleRules>;
  readonly localSignIn?: LocalSignInRule;
}

const codePrefix = 'setup-code/';
const codeRecord = z.strictObject({ expires_at: z.iso.datetime() });

/** The row of a code as stored. Throws StateError when it is malformed. */
export function parseSetupCode(value: JsonValue): { readonly expires_at: string } {
  return parseRow(codeRecord, value, 'The row of a setup code');
}

/**
 * A setup code for the output of the server; undefined: a user exists. Codes of earlier starts stay valid for an hour.
 */
export async function offerSetup({
  store,
  now,
  randomBytes,
}: Pick<SetupOptions, 'store' | 'now' | 'randomBytes'>): Promise<Secret | undefined> {
  if ((await readRoster(store)).roster.users > 0) return undefined;
  const { secret, hash } = mintCode('set', randomBytes);
  const nowMs = now();
  const expires_at = new Date(nowMs + setupCodeMs).toISOString();
  const over = (await store.range(codePrefix))
    .filter(({ value }) => nowMs >= Date.parse(parseSetupCode(value).expires_at))
    .map(({ key }) => key);
  await store.commit(
    { conditions: [], puts: [{ key: `${codePrefix}${hash}`, value: { expires_at } }], deletes: over },
    { actor: 'system:serve', action: 'setup.offer', subject: 'setup', details: { expires_at } },
  );
  return secret;
}

/** The first admin, logged in. Throws SETUP_DONE, SETUP_CODE_INVALID, INVALID_INPUT, TOO_MANY_ATTEMPTS. */
export async function setUp(
  options: SetupOptions,
  { code, email, name, password }: SetupDraft,
  address: string,
): Promise<LoggedIn> {
  const { store, sessions, passwords, now, randomBytes, rules } = options;
  if ((await readRoster(store)).roster.users > 0) throw new RegistryError('SETUP_DONE');
  await assertAllowed(options, { code, email }, address);
  assertPassword(password, await rules());
  const created_at = new Date(now()).toISOString();
  const id = mintUserId(randomBytes);
  const user: UserRecord = {
    id,
    email: checkedEmail(email),
    name: checkedName(name ?? null),
    role: 'admin',
    status: 'active',
    password: await passwords.hash(password),
    two_factor: null,
    invitation: null,
    created_at,
    created_by: 'system:setup',
    last_login_at: created_at,
    known_addresses: [address],
  };
  const { token, expires_at, row } = await sessions.begin(user, address);
  const deletes = (await store.range(codePrefix)).map(({ key }) => key);
  const isFirst = await insertUser(
    store,
    user,
    {
      puts: [row],
      deletes,
      event: { actor: `user:${id}`, action: 'setup', subject: id, details: { email: user.email, address } },
    },
    true,
  );
  if (!isFirst) throw new RegistryError('SETUP_DONE');
  return { token, sessionId: row.value.id, expires_at, user };
}

/** The session of anybody else would end at once. */
function assertNamedAdmin(rule: LocalSignInRule, email: string): void {
  if (isNamed(rule, email)) return;
  const message = 'must be an address that the setting localSignIn names: only those sign in with a password here';
  throw new RegistryError('INVALID_INPUT', {
    message: `The email of the first admin ${message}.`,
    details: { issues: [{ path: 'email', message }] },
  });
}

/**
 * True for a code that `setUp` takes now. Not counted as an attempt: nobody finds a code of 190 random bits by trying.
 */
export async function isSetupCode({ store, now }: Pick<SetupOptions, 'store' | 'now'>, code: string): Promise<boolean> {
  const offered = await store.get(`${codePrefix}${hashCode(code)}`);
  return offered !== undefined && now() < Date.parse(parseSetupCode(offered.value).expires_at);
}

async function assertAllowed(
  { store, attempts, now, localSignIn }: SetupOptions,
  { code, email }: Pick<SetupDraft, 'code' | 'email'>,
  address: string,
): Promise<void> {
  await attempts.judge(
    [addressBudget(address)],
    async () => {
      if (!(await isSetupCode({ store, now }, code))) throw new WrongGuess();
    },
    { refuse: () => refuseCode(store, 'SETUP_CODE_INVALID', address) },
  );
  assertNamedAdmin(localSignIn, email);
}
