// One's own passkeys over HTTP: list, rename, remove. Only a browser adds and uses them, on the pages of the console.

import { z } from 'zod';
import { showPasskey } from '../../auth/passkey.ts';
import type { Passkeys } from '../../passkeys/passkeys.ts';
import { operation } from '../../registry/operation.ts';
import { paginate, pageOf, pageQuery } from '../../registry/page.ts';
import { idSchema, time, timeSchema } from '../../registry/fields.ts';
import { sessionOf } from './authentication.ts';
import { longestPasskeyName } from '../../passkeys/name.ts';
import { code, password } from '../schemas/user.ts';
import { ageOrder } from '../../state/rows.ts';

// Passkeys as the management API shows and takes them.

const passkeySchema = z
  .object({
    id: idSchema('pk', 'the passkey'),
    name: z.string().meta({ description: 'as you call it', example: 'Laptop' }),
    host: z.string().meta({ description: 'the host of the console where it works', example: 'packages.example.org' }),
    created_at: timeSchema('it was added'),
    last_used_at: time.nullable().meta({ description: 'the time of its last use; null: never' }),
    backed_up: z.boolean().meta({ description: 'true: your other devices have it, too' }),
  })
  .meta({ id: 'Passkey' });

const passkeyPatch = z
  .strictObject({
    name: z.string().min(1).max(longestPasskeyName).meta({ description: 'the new name', example: 'Laptop' }),
  })
  .meta({ id: 'PasskeyPatch' });

const passkeyRemoval = z.strictObject({ password, code }).meta({ id: 'PasskeyRemoval' });

export interface PasskeyServices {
  readonly passkeys: Passkeys;
}

const tag = 'Authentication';
const params = z.strictObject({ id: idSchema('pk', 'the passkey') });

const listPasskeys = operation({
  id: 'listPasskeys',
  method: 'get',
  path: '/api/auth/passkeys',
  tag,
  summary: 'List your passkeys',
  description: 'Oldest first. You add them in the console, because a browser has to make them.',
  query: pageQuery,
  answer: pageOf(passkeySchema),
  answers: 'a page of passkeys',
  run: async ({ passkeys }: PasskeyServices, query, call) =>
    paginate((await passkeys.list(sessionOf(call).userId)).map(showPasskey), query, ageOrder),
});

const renamePasskey = operation({
  id: 'renamePasskey',
  method: 'patch',
  path: '/api/auth/passkeys/{id}',
  tag,
  summary: 'Rename one of your passkeys',
  description: 'Only you see the name.',
  params,
  body: passkeyPatch,
  answer: passkeySchema,
  answers: 'the passkey',
  errors: ['NOT_FOUND'],
  run: async ({ passkeys }: PasskeyServices, { id, name }, call) =>
    showPasskey(await passkeys.rename(sessionOf(call).userId, id, name)),
});

const removePasskey = operation({
  id: 'removePasskey',
  method: 'post',
  path: '/api/auth/passkeys/{id}/remove',
  tag,
  summary: 'Remove one of your passkeys',
  description:
    'Requires the password and a code of the authenticator, or a recovery code. Ends all other sessions. In the ' +
    'console, another passkey is enough.',
  params,
  body: passkeyRemoval,
  answer: passkeySchema,
  answers: 'the removed passkey',
  errors: ['NOT_FOUND', 'INVALID_CREDENTIALS', 'TOO_MANY_ATTEMPTS', 'LAST_ADMIN'],
  run: async ({ passkeys }: PasskeyServices, { id, ...proof }, call) =>
    showPasskey(await passkeys.remove(sessionOf(call), id, { ...proof, address: call.clientAddress })),
});

export const passkeyOperations = [listPasskeys, renamePasskey, removePasskey];
