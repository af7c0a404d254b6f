// A user as every surface shows and takes one. Never the password or another credential.

import { z } from 'zod';
import { mailTopics } from '../auth/mail-topic.ts';
import { longestPassword } from '../auth/password.ts';
import { roles } from '../auth/permissions.ts';
import { hasAuthenticator, hasTwoFactor, type UserRecord } from '../auth/user.ts';
import { actorSchema, idSchema, time, timeSchema } from '../registry/fields.ts';
import type { Fixed } from '../registry/operation.ts';

const role = z.enum(roles).meta({
  description:
    '`admin`: may do everything. `maintainer`: manages repositories, packages, artifacts and own tokens. ' +
    '`viewer`: may read',
});
const policyEditor = z
  .boolean()
  .meta({ description: 'whether the user may change the policy about versions. Admins may without it' });
export const name = z
  .string()
  .max(200)
  .nullable()
  .meta({ description: 'the name of the user; null if not given', example: 'Ada Lovelace' });
export const email = z
  .string()
  .max(254)
  .meta({ description: 'the email address for the login', format: 'email', example: 'ada@example.org' });

export const userSchema = z
  .object({
    id: idSchema('usr', 'the user'),
    email,
    name,
    role,
    policy_editor: policyEditor,
    status: z
      .enum(['active', 'disabled', 'invited'])
      .meta({ description: '`invited`: the user has not set a password yet' }),
    two_factor_enabled: z.boolean().meta({ description: 'whether a login requires more than the password' }),
    authenticator_enabled: z.boolean().meta({ description: 'whether an authenticator app gives codes' }),
    recovery_codes_left: z.number().int().meta({ description: '0 without two-factor authentication' }),
    passkeys: z.number().int().meta({ description: 'how many passkeys the user has' }),
    invitation_expires_at: time
      .nullable()
      .meta({ description: 'when the open invitation ends; null without an invitation' }),
    created_at: timeSchema('the user was made'),
    created_by: actorSchema('made the user'),
    last_login_at: time.nullable().meta({ description: 'the time of the last login; null: never' }),
    mail_off: z.array(z.enum(mailTopics)).meta({ description: 'the notices by mail that the user turned off' }),
  })
  .meta({ id: 'User', description: 'a person with an account' });
export type UserDocument = Fixed<z.output<typeof userSchema>>;

export const ownUser = userSchema
  .extend({
    sees_all_packages: z
      .boolean()
      .meta({ description: 'false: the user sees only the packages of teams, and may do nothing else' }),
  })
  .meta({ id: 'OwnUser', description: 'the person who asks' });

export const userDetails = userSchema
  .extend({
    identities: z
      .array(
        z.object({
          issuer: z
            .string()
            .meta({ description: 'the address of the identity provider', example: 'https://login.example.org' }),
          subject: z.string().meta({ description: 'the account there', example: '248289761001' }),
          last_login_at: time.nullable().meta({ description: 'the last sign-in there; null: never' }),
        }),
      )
      .meta({ description: 'accounts at identity providers' }),
    teams: z
      .array(
        z.object({
          id: idSchema('tea', 'the team'),
          name: z.string().meta({ description: 'the name of the team', example: 'Shop' }),
        }),
      )
      .meta({ description: 'the teams of the user' }),
    packages: z
      .array(z.string())
      .nullable()
      .meta({ description: 'patterns of the packages that the user sees; null: all', example: ['acme/*'] }),
    tokens: z
      .array(
        z.object({
          id: idSchema('tok', 'the token'),
          description: z.string().meta({ description: 'the terminal', example: 'laptop' }),
          expires_at: time.nullable().meta({ description: 'when the token expires; null: never' }),
        }),
      )
      .meta({ description: 'valid tokens of `libretto login`' }),
  })
  .meta({ id: 'UserDetails' });
export type UserDetails = Fixed<z.output<typeof userDetails>>;

const invitation = z
  .object({
    token: z.string().meta({ description: 'the invitation; it appears only in this answer', example: 'inv_…' }),
    link: z.string().meta({
      description:
        'the page to accept the invitation, relative to the address of the registry: a page of the console, or of ' +
        'the API explorer on a server without the console',
      example: '/ui/invitation?code=inv_…',
    }),
    expires_at: timeSchema('it ends'),
    mailed: z.boolean().meta({ description: 'true: the registry sends the link by mail, too' }),
    leaves_provider: z.boolean().meta({
      description: 'true: with its use, the account leaves its identity provider, and its person signs in here',
    }),
  })
  .meta({ id: 'Invitation', description: 'the invitation; it appears only in this answer' });

export const changedUser = userSchema.extend({ invitation: invitation.optional() }).meta({ id: 'ChangedUser' });
export type ChangedUserDocument = Fixed<z.output<typeof changedUser>>;

export const userDraft = z.strictObject({ email, name: name.optional(), role }).meta({ id: 'UserDraft' });
export const userPatch = z
  .strictObject({
    name: name.optional(),
    role: role.optional(),
    policy_editor: policyEditor.optional(),
    status: z
      .enum(['active', 'disabled'])
      .optional()
      .meta({ description: '`disabled` ends all sessions and the invitation at once' }),
    invite: z
      .literal(true)
      .optional()
      .meta({ description: 'create an invitation to choose a new password; an open invitation ends' }),
    reset_two_factor: z.literal(true).optional().meta({
      description: 'turn off two-factor authentication for the account, remove its passkeys, and end all sessions',
    }),
  })
  .meta({ id: 'UserPatch' });

/** Its length is checked later, because the minimum length is a setting. */
export const newPassword = z
  .string()
  .max(longestPassword * 4)
  .meta({
    format: 'password',
    description: `at most ${longestPassword} characters; the minimum is the setting passwords.min_length, by default 12`,
  });
/** The public fields of a user, without the secrets of the record. */
export function showUser(record: UserRecord): z.output<typeof userSchema> {
  const { id, email, name, role, status, two_factor, invitation, created_at, created_by, last_login_at } = record;
  const enabled = hasTwoFactor(record);
  return {
    id,
    email,
    name,
    role,
    policy_editor: record.policy_editor ?? false,
    status,
    two_factor_enabled: enabled,
    authenticator_enabled: hasAuthenticator(record),
    recovery_codes_left: enabled ? (two_factor?.recovery_codes.length ?? 0) : 0,
    passkeys: record.passkeys?.length ?? 0,
    invitation_expires_at: invitation?.expires_at ?? null,
    created_at,
    created_by,
    last_login_at,
    mail_off: [...(record.mail_off ?? [])],
  };
}
