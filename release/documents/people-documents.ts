// The documents of the commands for tokens, users, keys, settingsand the audit log.

import { z } from 'zod';
import { auditEventSchema } from '../../proxy/audit/operations.ts';
import { explanationSchema } from '../../proxy/tokens/token-explanation.ts';
import { changedUser, userDetails, userSchema } from '../../proxy/people/user-schema.ts';
import { createdToken, tokenSchema } from '../../proxy/tokens/token-schema.ts';
import * as part from './parts.ts';

const { count, flag, orNull, text, time } = part;

const signIn = z.object({
  url: text('the address of the registry'),
  token_id: text('the id of the token'),
  email: text('the person'),
  expires_at: time('when the token expires'),
  kept_in: z.enum(['file', 'secret service']).describe('where the token is on this machine'),
});
const signedIn = signIn.extend({
  role: text('the role of the person'),
  composer: orNull(z.string(), 'the path of auth.json with the token; null: without --composer'),
});

const key = z.object({
  kid: text('the id of the key'),
  purpose: z.enum(['signing', 'sealing']).describe('`signing`: sessions. `sealing`: stored credentials'),
  state: z.enum(['current', 'old', 'ended']).describe('`old`: still opens older values'),
  created_at: time('when it was made'),
  ends_at: orNull(z.iso.datetime(), 'null: never'),
});
const keys = z.array(key).describe('the keys, without their secret values');

const settings = z.object({
  settings: z
    .array(
      z.object({
        key: text('the name of the setting'),
        value: z.unknown().describe('its value: a number, true, false, text or a list'),
        origin: z.enum(['environment', 'flag', 'api', 'file', 'default']).describe('where the value comes from'),
        changeable: flag('false: a flag or a variable fixes the value'),
      }),
    )
    .describe('the settings, or the changed one'),
});

export const peopleDocuments = {
  'token create': createdToken,
  'token import': z.object({
    dry_run: flag('true: nothing was changed'),
    tokens: z
      .array(
        z.object({
          description: text('the name in the other registry'),
          change: z
            .enum(['import', 'create', 'none', 'expired'])
            .describe('its secret stays; a new secret; it is here already; it is left out'),
          id: orNull(text('the id of the token'), 'null: there is none'),
          token: orNull(text('the new secret'), 'null: no new secret'),
        }),
      )
      .describe('in the order of the file'),
  }),
  'token rotate': createdToken,
  'token list': z.object({ tokens: z.array(tokenSchema).describe('oldest first') }),
  'token show': tokenSchema,
  'token update': tokenSchema,
  'token revoke': tokenSchema,
  'token explain': explanationSchema,
  'user create': changedUser,
  'user show': userDetails,
  'user update': changedUser,
  'user disable': changedUser,
  'user list': z.object({ users: z.array(userSchema).describe('oldest first') }),
  login: z.union([signedIn, z.object({ sign_ins: z.array(signIn).describe('with --list: by address') })]),
  logout: signIn,
  'keys list': z.object({ keys }),
  'keys rotate': z.object({ keys, resealed: count('the number of secrets that were sealed again') }),
  'settings list': settings,
  'settings set': settings,
  'settings unset': settings,
  'audit list': z.object({ events: z.array(auditEventSchema).describe('newest first') }),
  'audit verify': part.auditVerdict,
};
