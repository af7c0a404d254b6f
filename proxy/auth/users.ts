// The operations of an admin on users: invite, list, change and remove. The command line and the management API both
// call them.

import { RegistryError } from '../../build/contract/errors.ts';
import type { JsonObject } from '../../build/contract/json.ts';
import type { MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import type { ChangeParts } from '../state/audit.ts';
import { mintInvitation, type Invitation } from './invitations.ts';
import { endTerminals, noneEnded, type PendingTerminals } from './end-terminals.ts';
import { assertPassword, type Passwords } from './password.ts';
import { keepNamedAdmin } from './named-admins.ts';
import { assertNamed, type LocalSignInRule } from './local-sign-in.ts';
import type { MailTopic } from './mail-topic.ts';
import type { PeopleMails } from './people-mails.ts';
import type { PeopleRules } from './people-rules.ts';
import { type Role, type UserId, mintUserId } from '../core/tokens/person.ts';
import type { SessionService } from './sessions.ts';
import { checkedEmail, checkedName } from './user-fields.ts';
import {
  changeUser,
  insertUser,
  readUser,
  readUserByEmail,
  readUsers,
  unknownUser,
  type UserEditExtras,
} from './user-records.ts';
import { hasProviderOnly, invitationKey, userEmailKey, type UserRecord } from './user.ts';

export interface UserDraft {
  readonly email: string;
  readonly name?: string | null | undefined;
  readonly role: Role;
  /** left out: they are invited, and choose one themselves */
  readonly password?: string | undefined;
}

/** An absent field stays unchanged. */
export interface UserPatch {
  readonly name?: string | null | undefined;
  readonly role?: Role | undefined;
  /** may change the policy about versions, whatever the role */
  readonly policyEditor?: boolean | undefined;
  /** `disabled` ends the sessions, the tokens of `libretto login` and the invitation immediately */
  readonly status?: 'active' | 'disabled' | undefined;
  /** makes another invitation, with which the user chooses a new password. An earlier invitation ends. */
  readonly invite?: true | undefined;
  /** for somebody who lost the second factor: removes it and the passkeys, and ends sessions and `libretto login` */
  readonly resetTwoFactor?: true | undefined;
  /** topics of mails that the person does not want; they change it themselves */
  readonly mailOff?: readonly MailTopic[] | undefined;
}

export interface ChangedUser {
  readonly record: UserRecord;
  readonly invitation: Invitation | undefined;
}

export type Users = ReturnType<typeof createUsers>;

export interface UsersOptions extends ChangeParts {
  readonly sessions: SessionService;
  readonly passwords: Passwords;
  readonly rules: () => MaybeAsync<PeopleRules>;
  /** undefined: the registry sends no mail, and admins hand over the links themselves */
  readonly mails?: PeopleMails | undefined;
  readonly localSignIn?: LocalSignInRule;
  /** what a removed user leaves elsewhere, in the same commit */
  readonly leaving?: LeaveTeams | undefined;
  /** terminals whose approval ends with the tokens of the person */
  readonly pendingTerminals?: PendingTerminals | undefined;
}

/** The rows of other parts that forget a removed user, and the names of the teams that the user leaves. */
export type LeaveTeams = (
  id: UserId,
) => Promise<Pick<UserEditExtras, 'conditions' | 'puts'> & { readonly teams: readonly string[] }>;

/** Every call may throw RegistryError: NOT_FOUND, CONFLICT, LAST_ADMIN, INVALID_INPUT. */
export function createUsers(options: UsersOptions) {
  const { store } = options;
  return {
    create: (draft: UserDraft) => create(options, draft),
    /** Oldest first. */
    list: () => readUsers(store),
    /** Finds a user by id or email. */
    get: async (idOrEmail: string): Promise<UserRecord> => {
      const stored = await (idOrEmail.includes('@') ? readUserByEmail(store, idOrEmail) : readUser(store, idOrEmail));
      if (stored === undefined) throw unknownUser();
      return stored.record;
    },
    update: (id: string, patch: UserPatch) => update(options, id, patch),
    remove: (id: string) => remove(options, id),
  };
}

async function create(
  { store, passwords, now, randomBytes, rules, actor, mails, localSignIn }: UsersOptions,
  draft: UserDraft,
): Promise<ChangedUser> {
  const { password, role } = draft;
  const email = checkedEmail(draft.email);
  const name = checkedName(draft.name ?? null);
  if (password !== undefined) assertPassword(password, await rules());
  if ((await store.get(userEmailKey(email))) !== undefined) throw taken(email);
  assertNamed(localSignIn, { email }, 'CONFLICT');
  const nowMs = now();
  const id = mintUserId(randomBytes);
  const invitation = password === undefined ? mintInvitation(nowMs, randomBytes) : undefined;
  const record: UserRecord = {
    id,
    email,
    name,
    role,
    status: invitation === undefined ? 'active' : 'invited',
    password: password === undefined ? null : await passwords.hash(password),
    two_factor: null,
    invitation: invitation?.stored ?? null,
    created_at: new Date(nowMs).toISOString(),
    created_by: actor,
    last_login_at: null,
    known_addresses: [],
  };
  const puts = invitation === undefined ? [] : await invitationRows(record, invitation, mails);
  const done = await insertUser(store, record, {
    puts,
    event: {
      actor,
      action: 'user.create',
      subject: id,
      details: { email, name, role, invited: invitation !== undefined },
    },
  });
  if (!done) throw taken(email);
  return { record, invitation: invitation?.shown };
}

async function update(options: UsersOptions, id: string, patch: UserPatch): Promise<ChangedUser> {
  const { store, sessions, now, randomBytes, actor, mails, localSignIn } = options;
  const { name, role, policyEditor, status, invite, resetTwoFactor, mailOff } = patch;
  const details = detailsOf(patch);
  const invitation = invite ? mintInvitation(now(), randomBytes) : undefined;
  const record = await changeUser(store, id, async (current) => {
    if (invite && (status ?? current.status) === 'disabled')
      throw new RegistryError('CONFLICT', { message: 'A disabled user cannot be invited. Make them active first.' });
    if (invite) assertNamed(localSignIn, current, 'CONFLICT');
    const ends = status === 'disabled' || resetTwoFactor === true;
    const ended = ends ? await endTerminals(options, current.id) : noneEnded;
    const edited: UserRecord = {
      ...current,
      ...(name === undefined ? {} : { name: checkedName(name) }),
      ...(role && { role }),
      ...(policyEditor !== undefined && { policy_editor: policyEditor }),
      ...(status && { status: status === 'active' && lacksPassword(current) ? 'invited' : status }),
      // a disabled user's invitation stays dead when they become active again, also one from before disabling ended it
      ...(status === 'disabled' || current.status === 'disabled' ? { invitation: null } : {}),
      ...(invitation && { invitation: invitation.stored }),
      ...(resetTwoFactor && { two_factor: null, passkeys: [] }),
      ...(mailOff && { mail_off: [...mailOff] }),
    };
    const extras: Required<Pick<UserEditExtras, 'puts' | 'deletes'>> = {
      puts: [...(invitation === undefined ? [] : await invitationRows(edited, invitation, mails)), ...ended.puts],
      deletes: [...ended.deletes, ...(ends ? await sessions.keysOf(current) : [])],
    };
    const conditions = await keepNamedAdmin(store, localSignIn, current, edited);
    const event = { actor, action: 'user.update', subject: current.id, details: { ...details, ...ended.details } };
    return { record: edited, ...extras, conditions, event };
  });
  return { record, invitation: invitation?.shown };
}

/** Somebody who signs in at an identity provider needs none. */
function lacksPassword(record: UserRecord): boolean {
  return record.password === null && !hasProviderOnly(record);
}

/** The row that leads from the code to its user, and the mail with the link. */
async function invitationRows(
  record: UserRecord,
  { shown, stored }: ReturnType<typeof mintInvitation>,
  mails: PeopleMails | undefined,
): Promise<readonly { readonly key: string; readonly value: JsonObject | string }[]> {
  const row = { key: invitationKey(stored.hash), value: record.id };
  return mails === undefined ? [row] : [row, await mails.invitation(record, shown)];
}

/** The details of the audit event. Throws INVALID_INPUT for an empty patch. */
function detailsOf({ name, role, policyEditor, status, invite, resetTwoFactor, mailOff }: UserPatch): JsonObject {
  const details: JsonObject = {
    ...(name === undefined ? {} : { name: checkedName(name) }),
    ...(role && { role }),
    ...(policyEditor !== undefined && { policy_editor: policyEditor }),
    ...(status && { status }),
    ...(invite && { invite }),
    ...(resetTwoFactor && { reset_two_factor: true }),
    ...(mailOff && { mail_off: [...mailOff] }),
  };
  if (Object.keys(details).length > 0) return details;
  throw new RegistryError('INVALID_INPUT', {
    message: 'Nothing to change was given.',
    details: { issues: [{ path: '', message: 'nothing to change was given' }] },
  });
}

async function remove(options: UsersOptions, id: string): Promise<UserRecord> {
  const { store, sessions, actor, leaving, localSignIn } = options;
  return changeUser(store, id, async (current) => {
    const { teams = [], conditions = [], puts = [] } = (await leaving?.(current.id)) ?? {};
    const ended = await endTerminals(options, current.id);
    const details = { email: current.email, ...(teams.length > 0 && { teams: [...teams] }), ...ended.details };
    return {
      record: undefined,
      conditions: [...conditions, ...(await keepNamedAdmin(store, localSignIn, current, undefined))],
      puts: [...puts, ...ended.puts],
      deletes: [...ended.deletes, ...(await sessions.keysOf(current))],
      event: { actor, action: 'user.delete', subject: current.id, details },
    };
  });
}

function taken(email: string): RegistryError {
  return new RegistryError('CONFLICT', { message: `A user with the email ${email} already exists.` });
}
