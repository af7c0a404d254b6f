// The record of a user in the state, including all credentials. Passwords are stored only as scrypt, recovery codes and
// invitations only as hashes, and the secret of the authenticator sealed.

import { z } from 'zod';
import type { JsonValue } from '../../build/contract/json.ts';
import { malformedRecord } from '../core/state/state-error.ts';
import type { RowOf } from '../state/rows.ts';
import { identityRecord } from './user-identity.ts';
import { hashEmail, type Email } from './email.ts';
import { mailTopics } from './mail-topic.ts';
import { passkeySchema } from './passkey.ts';
import { roles } from './permissions.ts';
import { isUserId, type PersonRight, type UserId } from '../core/tokens/person.ts';

const timeText = z.iso.datetime();

const twoFactorRecord = z.strictObject({
  /** of the authenticator app: sealed, about the user's id; null: none, passkeys are the second factor */
  secret: z.string().nullable(),
  /** of an authenticator app that is set up beside passkeys, but not confirmed with a code yet */
  next_secret: z.string().exactOptional(),
  /** null: set up, but not confirmed with a code yet; it then has no effect */
  enabled_at: timeText.nullable(),
  /** the time step of the code that was accepted last (RFC 6238 §5.2): it and those before it are used up */
  last_step: z.number().int(),
  /** hex SHA-256 of the recovery codes that are left */
  recovery_codes: z.array(z.string()),
});
export type TwoFactor = RowOf<typeof twoFactorRecord>;

const userRecord = z.strictObject({
  id: z.custom<UserId>(isUserId),
  email: z.custom<Email>((value) => typeof value === 'string' && value.length >= 3),
  name: z.string().nullable(),
  role: z.enum(roles),
  /** `invited`: has not chosen a password yet */
  status: z.enum(['active', 'disabled', 'invited']),
  /** the encoded result of `Passwords.hash` */
  password: z.string().nullable(),
  two_factor: twoFactorRecord.nullable(),
  /** hex SHA-256 of the invitation that is out */
  invitation: z.strictObject({ hash: z.string(), expires_at: timeText }).nullable(),
  created_at: timeText,
  created_by: z.string(),
  last_login_at: timeText.nullable(),
  /** the addresses of the last logins, newest first */
  known_addresses: z.array(z.string()),
  /** topics of mails that the person turned off; absent: none */
  mail_off: z.array(z.enum(mailTopics)).exactOptional(),
  /** the accounts at identity providers that sign in to this one; absent: none */
  identities: z.array(identityRecord).exactOptional(),
  /** absent: none */
  passkeys: z.array(passkeySchema).exactOptional(),
  /** true: may change the policy about versions, whatever the role; absent: no */
  policy_editor: z.boolean().exactOptional(),
});
export type UserRecord = RowOf<typeof userRecord>;
/**
 * A record as stored. Throws for any other value: another program wrote the state, and its rows must not grant access.
 */
export function parseUserRecord(value: JsonValue): UserRecord {
  const parsed = userRecord.safeParse(value);
  if (parsed.success) return value as unknown as UserRecord;
  const fields = parsed.error.issues
    .map(({ path }) => path.join('.'))
    .filter((path) => path !== '')
    .join(', ');
  throw malformedRecord(`A user record${fields === '' ? '' : ` (${fields})`}`);
}

/** The user id that an email or an invitation leads to. Throws StateError for a value that is no user id. */
export function parseUserPointer(value: JsonValue): UserId {
  if (!isUserId(value)) throw malformedRecord('A row that leads to a user');
  return value;
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
