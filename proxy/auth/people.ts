// Combines the parts that concern people: users, logins, sessions and their own accounts.

import type { MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import type { Sealer } from '../keys/sealer.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import { createAuditedStore, type Actor, type ChangeParts } from '../state/audit.ts';
import type { StateStore } from '../core/state/state-store.ts';
import { createAccount, type Account } from './account.ts';
import { countAttempt, createAttempts, type Attempts } from './attempts.ts';
import { createConfirmations, type Confirmations } from './confirmations.ts';
import type { RandomBytes } from '../../build/shared/text/base62.ts';
import { acceptInvitation, isInvitationCode, type Acceptance, mintInvitation } from './invitations.ts';
import { type LocalSignInRule, isNamed } from './local-sign-in.ts';
import { login, type Credentials, type LoggedIn } from './login.ts';
import type { Passwords } from './password.ts';
import { type PeopleRules, resetMs } from './people-rules.ts';
import type { Secret } from '../../build/shared/text/secret.ts';
import type { PeopleMails } from './people-mails.ts';
import { createSessions, type PersonView, type SessionService } from './sessions.ts';
import { isSetupCode, offerSetup, setUp, type SetupDraft } from './setup.ts';
import { createTwoStepLogin, type TwoStepLogin } from './two-step-login.ts';
import { readRoster } from './user-roster.ts';
import { type UserRecord, hasProviderOnly, invitationKey } from './user.ts';
import type { PendingTerminals } from './end-terminals.ts';
import { createUsers, type LeaveTeams, type Users } from './users.ts';
import { resetAccountBudget, resetAddressBudget } from './attempt-budgets.ts';
import { changeUser, readUserByEmail } from './user-records.ts';

// A person who forgot the password asks for a link by mail. The answer, its time and its limits are the same for an
// e-mail address without an account. The link works once, for one hour; until then the old password stays valid.

interface ResetOptions extends Omit<ChangeParts, 'actor'> {
  readonly attempts: Attempts;
  readonly mails: PeopleMails;
  readonly localSignIn?: LocalSignInRule;
  /** receives the errors of links that could not be made */
  readonly onError: (error: unknown) => void;
}

/** Throws TOO_MANY_ATTEMPTS, by the address of the client and by the e-mail address that was entered. */
export type RequestReset = (email: string, address: string) => Promise<void>;

function createRequestReset(options: ResetOptions): RequestReset {
  const { attempts, onError } = options;
  return async (email, address) => {
    // each request counts, whether there is an account or not
    await countAttempt(attempts, [resetAddressBudget(address), resetAccountBudget(email)]);
    // not awaited: the time of the answer must not tell whether there is an account
    void sendLink(options, email, address).catch(onError);
  };
}

async function sendLink(
  { store, mails, now, randomBytes, localSignIn }: ResetOptions,
  email: string,
  address: string,
): Promise<void> {
  // a password would open nothing
  if (!isNamed(localSignIn, email)) return;
  const stored = await readUserByEmail(store, email.trim());
  // a password would open the account without the provider, also after the provider has closed it
  if (stored?.record.status !== 'active' || hasProviderOnly(stored.record)) return;
  const { shown, stored: invitation } = mintInvitation(now(), randomBytes, resetMs);
  await changeUser(store, stored.record.id, async (current) => {
    if (current.status !== 'active') return undefined;
    const record = { ...current, invitation };
    return {
      record,
      puts: [{ key: invitationKey(invitation.hash), value: current.id }, await mails.reset(record, shown)],
      event: { actor: 'system:mail', action: 'user.request_reset', subject: current.id, details: { address } },
    };
  });
}

export interface People {
  readonly usersOf: (actor: Actor) => Users;
  readonly sessions: SessionService;
  readonly login: (credentials: Credentials, address: string) => Promise<LoggedIn>;
  /** the same login, with the code in a second request */
  readonly twoStepLogin: TwoStepLogin;
  readonly account: (userId: string, address: string) => Account;
  /** proofs that the person of a session entered the password a short time ago */
  readonly confirmations: Confirmations;
  readonly acceptInvitation: (acceptance: Acceptance, address: string) => Promise<UserRecord>;
  /** true: the first admin exists */
  readonly isSetUp: () => Promise<boolean>;
  readonly isSetupCode: (code: string) => Promise<boolean>;
  readonly isInvitationCode: (code: string) => Promise<boolean>;
  readonly rules: () => MaybeAsync<PeopleRules>;
  /** who signs in with a password of this registry; undefined: everybody */
  readonly localSignIn: LocalSignInRule;
  readonly offerSetup: () => Promise<Secret | undefined>;
  readonly setUp: (draft: SetupDraft, address: string) => Promise<LoggedIn>;
  /** sends a link for a new password; undefined: the registry sends no mail */
  readonly requestReset: RequestReset | undefined;
}

export interface PeopleOptions {
  readonly state: StateStore;
  readonly keys: KeyRing;
  readonly sealer: Sealer;
  readonly passwords: Passwords;
  /** epoch milliseconds */
  readonly now: () => number;
  readonly randomBytes: RandomBytes;
  /** called for each request, because settings change at run time */
  readonly rules: () => MaybeAsync<PeopleRules>;
  /** undefined: the registry sends no mail */
  readonly mails?: PeopleMails | undefined;
  readonly localSignIn?: LocalSignInRule;
  /** ids of the identity providers; undefined: sessions of any count */
  readonly providers?: readonly string[] | undefined;
  /** the view of a person; undefined: everybody sees all */
  readonly viewOf?: PersonView | undefined;
  /** what a removed user leaves elsewhere */
  readonly leaving?: LeaveTeams | undefined;
  /** terminals whose approval ends with the tokens of the person */
  readonly pendingTerminals?: PendingTerminals | undefined;
  /** receives the errors of mails that were asked for */
  readonly onError?: ((error: unknown) => void) | undefined;
}

export function createPeople(options: PeopleOptions): People {
  const { state, now, randomBytes, mails, onError = () => undefined } = options;
  const store = createAuditedStore({ store: state, now });
  const sessions = createSessions({ ...options, store });
  const parts = { ...options, store, sessions, attempts: createAttempts({ store: state, now, randomBytes }) };
  return {
    usersOf: (actor) => createUsers({ ...parts, actor }),
    sessions,
    login: (credentials, address) => login(parts, credentials, address),
    twoStepLogin: createTwoStepLogin(parts),
    account: (userId, address) => createAccount(parts, userId, address),
    confirmations: createConfirmations(parts),
    acceptInvitation: (acceptance, address) => acceptInvitation(parts, acceptance, address),
    isSetUp: async () => (await readRoster(store)).roster.users > 0,
    isSetupCode: (code) => isSetupCode(parts, code),
    isInvitationCode: (code) => isInvitationCode(parts, code),
    rules: options.rules,
    localSignIn: options.localSignIn,
    offerSetup: () => offerSetup(parts),
    setUp: (draft, address) => setUp(parts, draft, address),
    requestReset: mails === undefined ? undefined : createRequestReset({ ...parts, mails, onError }),
  };
}
