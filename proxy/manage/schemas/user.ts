// Users and sessions as the management API shows and takes them.

import { z } from 'zod';
import { longestPassword } from '../../auth/password.ts';
import { roles } from '../../auth/permissions.ts';
import { mailTopics } from '../../auth/mail-topic.ts';
import { actorSchema, idSchema, time, timeSchema } from '../../registry/fields.ts';

const role = z.enum(roles).meta({
  description:
    '`admin`: may do everything. `maintainer`: manages repositories, packages, artifacts and own tokens. ' +
    '`viewer`: may read',
});
const policyEditor = z
  .boolean()
  .meta({ description: 'whether the user may change the policy about versions. Admins may without it' });
const name = z
  .string()
  .max(200)
  .nullable()
  .meta({ description: 'the name of the user; null if not given', example: 'Ada Lovelace' });
const email = z
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
  })
  .meta({ id: 'Invitation', description: 'the invitation; it appears only in this answer' });

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

export const ownPatch = z
  .strictObject({
    name: name.optional(),
    mail_off: z
      .array(z.enum(mailTopics))
      .max(mailTopics.length)
      .optional()
      .meta({ description: 'notices by mail that you do not want. `syncs`, `advisories`: only for maintainers' }),
  })
  .meta({ id: 'OwnPatch', example: { name: 'Ada Lovelace', mail_off: ['syncs'] } });

export const changedUser = userSchema.extend({ invitation: invitation.optional() }).meta({ id: 'ChangedUser' });

/** Its length is checked later, because the minimum length is a setting. */
export const newPassword = z
  .string()
  .max(longestPassword * 4)
  .meta({
    format: 'password',
    description: `at most ${longestPassword} characters; the minimum is the setting passwords.min_length, by default 12`,
  });
export const password = z
  .string()
  .max(longestPassword * 4)
  .meta({ format: 'password', description: 'the password of the account' });
export const code = z
  .string()
  .min(1)
  .max(64)
  .meta({ description: 'six digits from the authenticator, or a recovery code', example: '123456' });

const ownName = z.string().max(200).optional().meta({ description: 'your name', example: 'Ada Lovelace' });
const setupCode = z
  .string()
  .max(200)
  .meta({ description: 'the setup code that the server printed when it started without a user', example: 'set_…' });

export const setupDraft = z
  .strictObject({ setup_code: setupCode, email, name: ownName, password: newPassword })
  .meta({ id: 'Setup' });
export const loginDraft = z
  .strictObject({
    email: z
      .string()
      .max(1000)
      .meta({ description: 'the address of the account', format: 'email', example: 'ada@example.org' }),
    password,
    code: code.optional(),
  })
  .meta({ id: 'Login' });
export const acceptance = z
  .strictObject({
    token: z.string().max(200).meta({ description: 'the invitation', example: 'inv_…' }),
    password: newPassword,
    name: ownName,
  })
  .meta({ id: 'InvitationAcceptance' });
export const passwordChange = z
  .strictObject({
    current_password: password.meta({ description: 'the current password' }),
    new_password: newPassword.meta({ example: 'a staple for every battery' }),
  })
  .meta({ id: 'PasswordChange' });

export const loggedIn = z
  .object({
    token: z.string().meta({ description: 'the session token; send it as `Authorization: Bearer …`' }),
    expires_at: timeSchema('the session ends'),
    user: userSchema,
  })
  .meta({ id: 'LoggedIn' });

export const sessionSchema = z
  .object({
    id: idSchema('ses', 'the session'),
    created_at: timeSchema('it began'),
    expires_at: timeSchema('it ends'),
    address: z.string().meta({ description: 'the client address of the login', example: '192.0.2.7' }),
    current: z.boolean().meta({ description: 'true for the session of this request' }),
  })
  .meta({ id: 'Session' });
