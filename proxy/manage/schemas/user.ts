// What people send and get who sign in, in the management API.

import { z } from 'zod';
import { longestPassword } from '../../auth/password.ts';
import { mailTopics } from '../../auth/mail-topic.ts';
import { email, name, newPassword, userSchema } from '../../people/user-schema.ts';
import { idSchema, timeSchema } from '../../registry/fields.ts';

export const ownPatch = z
  .strictObject({
    name: name.optional(),
    mail_off: z.array(z.enum(mailTopics)).max(mailTopics.length).optional().meta({
      description:
        'notices by mail that you do not want. `syncs`, `advisories`: only for maintainers. `reviews`: only for those who may change the policy',
    }),
  })
  .meta({ id: 'OwnPatch', example: { name: 'Ada Lovelace', mail_off: ['syncs'] } });

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
