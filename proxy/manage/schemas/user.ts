// Users and sessions as the management API shows and takes them.

import { z } from '@hono/zod-openapi';
import { longestPassword } from '../../auth/password.ts';
import { roles } from '../../auth/policy.ts';
import { actorWho, idOf } from './id.ts';
import { time, timeWhen } from './time.ts';

const role = z.enum(roles).openapi({
  description: '`admin`: everything; `maintainer`: repositories, packages, artifacts, own tokens; `viewer`: reads',
});
const name = z
  .string()
  .max(200)
  .nullable()
  .openapi({ description: 'how the person is called; null where they did not say', example: 'Ada Lovelace' });
const email = z
  .string()
  .max(254)
  .openapi({ description: 'the address with which the person logs in', format: 'email', example: 'ada@example.org' });

export const userSchema = z
  .object({
    id: idOf('usr', 'the user'),
    email,
    name,
    role,
    status: z
      .enum(['active', 'disabled', 'invited'])
      .openapi({ description: '`invited`: has not chosen a password yet' }),
    two_factor_enabled: z.boolean().openapi({ description: 'whether a login needs a code of an authenticator' }),
    recovery_codes_left: z.number().int().openapi({ description: '0 without two-factor authentication' }),
    invitation_expires_at: time.nullable().openapi({ description: 'of the invitation that is out; null: none is' }),
    created_at: timeWhen('the user was made'),
    created_by: actorWho('made the user'),
    last_login_at: time.nullable().openapi({ description: 'when they last logged in; null: never' }),
  })
  .openapi('User');

const invitation = z
  .object({
    token: z.string().openapi({ description: 'the invitation: shown this once, kept nowhere', example: 'inv_…' }),
    link: z.string().openapi({
      description:
        'where it is accepted, relative to the address of this service; what stands behind # is never sent to a server',
      example: '/api/swagger#invitation=inv_…',
    }),
    expires_at: timeWhen('it ends'),
  })
  .openapi('Invitation');

export const userDraft = z.strictObject({ email, name: name.optional(), role }).openapi('UserDraft');
export const userPatch = z
  .strictObject({
    name: name.optional(),
    role: role.optional(),
    status: z
      .enum(['active', 'disabled'])
      .optional()
      .openapi({ description: '`disabled` ends all sessions and the invitation at once' }),
    invite: z
      .literal(true)
      .optional()
      .openapi({ description: 'another invitation, to choose a new password with; one that is out already ends' }),
    reset_two_factor: z
      .literal(true)
      .optional()
      .openapi({ description: 'takes two-factor authentication off the account, and ends all sessions' }),
  })
  .openapi('UserPatch');

export const changedUser = userSchema
  .extend({ invitation: invitation.optional().openapi({ description: 'only where one was made' }) })
  .openapi('ChangedUser');

/** Checked for its length when it is looked at: the shortest that may be chosen is a setting. */
export const newPassword = z
  .string()
  .max(longestPassword * 4)
  .openapi({
    format: 'password',
    description: `12 characters at least unless the settings say otherwise, ${longestPassword} at most`,
  });
export const password = z
  .string()
  .max(longestPassword * 4)
  .openapi({ format: 'password', description: 'the password of the account' });
export const code = z
  .string()
  .min(1)
  .max(64)
  .openapi({ description: 'six digits of the authenticator, or a recovery code', example: '123456' });

const ownName = z.string().max(200).optional().openapi({ description: 'how you are called', example: 'Ada Lovelace' });
const setupCode = z
  .string()
  .max(200)
  .openapi({ description: 'printed by the server when it started without a user', example: 'set_…' });

export const setupDraft = z
  .strictObject({ setup_code: setupCode, email, name: ownName, password: newPassword })
  .openapi('Setup');
export const loginDraft = z
  .strictObject({
    email: z
      .string()
      .max(1000)
      .openapi({ description: 'the address of the account', format: 'email', example: 'ada@example.org' }),
    password,
    code: code.optional(),
  })
  .openapi('Login');
export const acceptance = z
  .strictObject({
    token: z.string().max(200).openapi({ description: 'the invitation', example: 'inv_…' }),
    password: newPassword,
    name: ownName,
  })
  .openapi('InvitationAcceptance');
export const passwordChange = z
  .strictObject({
    current_password: password.openapi({ description: 'the password that holds now' }),
    new_password: newPassword.openapi({ example: 'a staple for every battery' }),
  })
  .openapi('PasswordChange');

export const loggedIn = z
  .object({
    token: z.string().openapi({ description: 'of the session: send it as `Authorization: Bearer …`' }),
    expires_at: timeWhen('the session ends'),
    user: userSchema.openapi({ description: 'the user who logged in' }),
  })
  .openapi('LoggedIn');

export const sessionSchema = z
  .object({
    id: idOf('ses', 'the session'),
    created_at: timeWhen('it began'),
    expires_at: timeWhen('it ends'),
    address: z.string().openapi({ description: 'where the login came from', example: '192.0.2.7' }),
    current: z.boolean().openapi({ description: 'this request belongs to it' }),
  })
  .openapi('Session');
