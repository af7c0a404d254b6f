// The record of a user in the state, including all credentials. Passwords are stored only as scrypt, recovery codes and
// invitations only as hashes, and the secret of the authenticator sealed.

import { z } from 'zod';
import type { JsonValue } from '../../build/contract/json.ts';
import { malformedRecord } from '../core/state/state-error.ts';
import { identityRecord, type UserIdentity } from './user-identity.ts';
import { randomBase62, type RandomBytes } from '../../build/shared/text/base62.ts';
import { hashEmail, type Email } from './email.ts';
import { mailTopics, type MailTopic } from './mail-topic.ts';
import { passkeySchema, type Passkey } from './passkey.ts';
import { roles } from './permissions.ts';
import { parseUserId, type PersonRight, type Role, type UserId } from '../core/tokens/person.ts';

/** `invited`: has not chosen a password yet */
export type UserStatus = 'active' | 'disabled' | 'invited';

export interface TwoFactor {
  /** of the authenticator app: sealed, about the user's id; null: none, passkeys are the second factor */
  readonly secret: string | null;
  /** of an authenticator app that is set up beside passkeys, but not confirmed with a code yet */
  readonly next_secret?: string;
  /** null: set up, but not confirmed with a code yet; it then has no effect */
  readonly enabled_at: string | null;
  /** the time step of the code that was accepted last (RFC 6238 §5.2): it and those before it are used up */
  readonly last_step: number;
  /** hex SHA-256 of the recovery codes that are left */
  readonly recovery_codes: readonly string[];
}

export interface UserRecord {
  readonly id: UserId;
  readonly email: Email;
  readonly name: string | null;
  readonly role: Role;
  readonly status: UserStatus;
  /** the encoded result of `Passwords.hash` */
  readonly password: string | null;
  readonly two_factor: TwoFactor | null;
  /** hex SHA-256 of the invitation that is out */
  readonly invitation: { readonly hash: string; readonly expires_at: string } | null;
  readonly created_at: string;
  readonly created_by: string;
  readonly last_login_at: string | null;
  /** the addresses of the last logins, newest first */
  readonly known_addresses: readonly string[];
  /** topics of mails that the person turned off; absent: none */
  readonly mail_off?: readonly MailTopic[];
  /** the accounts at identity providers that sign in to this one; absent: none */
  readonly identities?: readonly UserIdentity[];
  /** absent: none */
  readonly passkeys?: readonly Passkey[];
  /** true: may change the policy about versions, whatever the role; absent: no */
  readonly policy_editor?: boolean;
}

const timeText = z.iso.datetime();

const userRecord = z.strictObject({
  id: z.string().regex(/^usr_[0-9A-Za-z]{16}$/),
  email: z.string().min(3),
  name: z.string().nullable(),
  role: z.enum(roles),
  status: z.enum(['active', 'disabled', 'invited']),
  password: z.string().nullable(),
  two_factor: z
    .strictObject({
      secret: z.string().nullable(),
      next_secret: z.string().optional(),
      enabled_at: timeText.nullable(),
      last_step: z.number().int(),
      recovery_codes: z.array(z.string()),
    })
    .nullable(),
  invitation: z.strictObject({ hash: z.string(), expires_at: timeText }).nullable(),
  created_at: timeText,
  created_by: z.string(),
  last_login_at: timeText.nullable(),
  known_addresses: z.array(z.string()),
  mail_off: z.array(z.enum(mailTopics)).optional(),
  identities: z.array(identityRecord).optional(),
  passkeys: z.array(passkeySchema).optional(),
  policy_editor: z.boolean().optional(),
});

/**
 * A record as stored. Throws for any other value: another program wrote the state, and its rows must not grant access.
 */
export function parseUserRecord(value: JsonValue): UserRecord {
  const parsed = userRecord.safeParse(value);
  if (parsed.success) return parsed.data as unknown as UserRecord;
  const fields = parsed.error.issues
    .map(({ path }) => path.join('.'))
    .filter((path) => path !== '')
    .join(', ');
  throw malformedRecord(`A user record${fields === '' ? '' : ` (${fields})`}`);
}

/** The user id that an email or an invitation leads to. Throws StateError for a value that is no user id. */
export function parseUserPointer(value: JsonValue): UserId {
  const id = typeof value === 'string' ? parseUserId(value) : undefined;
  if (id === undefined) throw malformedRecord('A row that leads to a user');
  return id;
}

export function mintUserId(randomBytes: RandomBytes): UserId {
  return `usr_${randomBase62(16, randomBytes)}` as UserId;
}

export const userKeyPrefix = 'user/';

export function userKey(id: UserId): string {
  return `${userKeyPrefix}${id}`;
}

/** Leads from an email to the user's id. */
export function userEmailKey(email: string): string {
  return `user-email/${hashEmail(email)}`;
}

/** Leads from an invitation to the id of its user. */
export function invitationKey(hash: string): string {
  return `user-invitation/${hash}`;
}

/** True if the password alone signs nobody in: an authenticator app is on, or there is a passkey. */
export function hasTwoFactor({ two_factor, passkeys = [] }: UserRecord): boolean {
  return (two_factor !== null && two_factor.enabled_at !== null) || passkeys.length > 0;
}

/** True if an authenticator app gives the codes. */
export function hasAuthenticator({ two_factor }: UserRecord): boolean {
  return two_factor !== null && two_factor.enabled_at !== null && two_factor.secret !== null;
}

/** True for a person who signs in only at an identity provider: without a password of this registry. */
export function hasProviderOnly({ password, identities = [] }: UserRecord): boolean {
  return password === null && identities.length > 0;
}

/** Whoever signed in first chose the address, perhaps that of another person, and can still sign in. */
export function isMadeByProvider(record: UserRecord): boolean {
  return record.created_by === 'system:sso' && hasProviderOnly(record);
}

/** What the person may do beside the role. */
export function personRights({ policy_editor: isEditor }: UserRecord): { readonly rights?: readonly PersonRight[] } {
  return isEditor === true ? { rights: ['policy editor'] } : {};
}
